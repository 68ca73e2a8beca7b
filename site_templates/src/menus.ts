// Menus made of <details> close when one clicks elsewhere or presses Escape.

export function startMenus(): void {
  const close = (except?: Node): void => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.brain-menu[open]")) {
      if (!except || !menu.contains(except)) menu.open = false;
    }
  };
  document.addEventListener("click", (event) => close(event.target instanceof Node ? event.target : undefined));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector<HTMLDetailsElement>("details.brain-menu[open]");
    if (!menu) return;
    const inside = menu.contains(document.activeElement);
    menu.open = false;
    if (inside) menu.querySelector("summary")?.focus();
  });
}
