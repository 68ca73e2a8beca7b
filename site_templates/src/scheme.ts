// The button for light, dark, or as the system has it. The choice stays in this browser.

import { announce } from "./dom";

const ORDER = ["auto", "light", "dark"] as const;
type Scheme = (typeof ORDER)[number];
const LABELS: Record<Scheme, string> = { auto: "as the system", light: "light", dark: "dark" };

function current(): Scheme {
  const scheme = document.documentElement.dataset.scheme;
  return scheme === "light" || scheme === "dark" ? scheme : "auto";
}

function apply(scheme: Scheme): void {
  if (scheme === "auto") delete document.documentElement.dataset.scheme;
  else document.documentElement.dataset.scheme = scheme;
  try {
    if (scheme === "auto") localStorage.removeItem("brain-scheme");
    else localStorage.setItem("brain-scheme", scheme);
  } catch {
    // Not remembered then.
  }
  document.dispatchEvent(new CustomEvent("brain:scheme"));
}

/** True when the page is shown dark now. */
export function isDark(): boolean {
  const scheme = current();
  return scheme === "dark" || (scheme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
}

/** Calls back whenever the page turns light or dark. */
export function onSchemeChange(changed: () => void): void {
  document.addEventListener("brain:scheme", changed);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

export function startScheme(): void {
  const button = document.querySelector<HTMLButtonElement>(".brain-scheme-button");
  if (!button) return;
  const show = (): void => {
    const label = `Colour scheme: ${LABELS[current()]}`;
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  show();
  button.addEventListener("click", () => {
    apply(ORDER[(ORDER.indexOf(current()) + 1) % ORDER.length] ?? "auto");
    show();
    announce(`Colour scheme: ${LABELS[current()]}`);
  });
}
