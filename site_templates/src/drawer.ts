// The navigation drawer of narrow screens. Without scripts a checkbox opens it; with them it is a button, closes on Escape and keeps the focus inside.

/** Everything that is out of reach while the drawer is open. */
const BEHIND = "[data-md-component=skip], .md-header, .brain-tabs, .brain-content, .brain-rail, .brain-footer";

export function startDrawer(): void {
  const button = document.querySelector<HTMLButtonElement>(".brain-drawer-button");
  const toggle = document.querySelector<HTMLInputElement>("#__drawer");
  const side = document.querySelector<HTMLElement>("#brain-side");
  if (!button || !toggle || !side) return;
  if (!side.querySelector("a")) button.hidden = true;

  const show = (open: boolean): void => {
    toggle.checked = open;
    button.setAttribute("aria-expanded", String(open));
    document.documentElement.classList.toggle("brain-drawer-open", open);
    for (const element of document.querySelectorAll<HTMLElement>(BEHIND)) element.inert = open;
    if (open) (side.querySelector<HTMLElement>('a[aria-current="page"]') ?? side.querySelector<HTMLElement>("a"))?.focus();
    else button.focus();
  };
  button.addEventListener("click", () => show(!toggle.checked));
  toggle.addEventListener("change", () => show(toggle.checked));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && toggle.checked) show(false);
  });
  // The page may become wide while the drawer is open.
  matchMedia("(min-width: 60em)").addEventListener("change", (event) => {
    if (event.matches && toggle.checked) show(false);
  });
}
