// What scrolls sideways can be scrolled from the keyboard: wide tables, code, formulas, the tabs.

const BOXES: [selector: string, name: string][] = [
  [".brain-article .brain-table", "Table"],
  [".brain-article pre", "Code"],
  [".brain-article div.brain-math", "Formula"],
];

export function startReach(): void {
  const check = (): void => {
    for (const [selector, name] of BOXES) {
      for (const [index, box] of document.querySelectorAll<HTMLElement>(selector).entries()) {
        const scrolls = box.scrollWidth > box.clientWidth + 1;
        if (scrolls === (box.getAttribute("role") === "region")) continue;
        if (scrolls) {
          box.tabIndex = 0;
          box.setAttribute("role", "region");
          box.setAttribute("aria-label", `${name} ${index + 1}`);
        } else {
          for (const attribute of ["tabindex", "role", "aria-label"]) box.removeAttribute(attribute);
        }
      }
    }
  };
  check();
  addEventListener("resize", check, { passive: true });
  document.addEventListener("brain:rendered", check);
}
