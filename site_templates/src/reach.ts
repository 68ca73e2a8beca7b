// What scrolls sideways can be scrolled from the keyboard: wide tables, code, formulas, the tabs.

const BOXES: [selector: string, name: string][] = [
  [".brain-article .brain-table", "Table"],
  [".brain-article pre", "Code"],
  [".brain-article div.brain-math", "Formula"],
  [".brain-article .brain-diagram", "Diagram"],
  // A table of HTML scrolls itself, and stays a table.
  [".brain-article table:not(.brain-table > table, .brain-graph__rows)", ""],
];

export function startReach(): void {
  const check = (): void => {
    for (const [selector, name] of BOXES) {
      for (const [index, box] of document.querySelectorAll<HTMLElement>(selector).entries()) {
        const scrolls = box.scrollWidth > box.clientWidth + 1;
        if (scrolls === box.hasAttribute("tabindex")) continue;
        if (scrolls) {
          box.tabIndex = 0;
          if (!name) continue;
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
