// Opens folders in the navigation in place. A page carries only its own folder; what is in another one is read from that folder's page when it is wanted.

import { keepInSight, make } from "./dom";

export function startNav(): void {
  for (const entry of document.querySelectorAll<HTMLElement>(".brain-nav .is-folder")) addToggle(entry);
  keepInSight(document.querySelector<HTMLElement>("#brain-side"), document.querySelector<HTMLElement>('.brain-nav a[aria-current="page"]'));
}

function addToggle(entry: HTMLElement): void {
  const link = entry.querySelector<HTMLAnchorElement>(":scope > a");
  if (!link) return;
  const name = (link.firstChild ?? link).textContent?.trim() ?? "";
  const button = make("button", { type: "button", class: "brain-nav__toggle", "aria-expanded": "false", "aria-label": `Pages in ${name}` });
  let list: HTMLUListElement | undefined;
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    if (!open || list) {
      show(button, list, open);
      return;
    }
    button.setAttribute("aria-busy", "true");
    fetchPages(link.href)
      .then((entries) => {
        if (entries.length === 0) throw new Error("the folder lists nothing");
        list = make("ul", { class: "brain-nav__list brain-nav__inside" }, ...entries);
        entry.append(list);
        for (const inside of list.querySelectorAll<HTMLElement>(".is-folder")) addToggle(inside);
        show(button, list, true);
      })
      // The folder's page says why it cannot be shown.
      .catch(() => location.assign(link.href))
      .finally(() => button.removeAttribute("aria-busy"));
  });
  link.after(button);
}

function show(button: HTMLElement, list: HTMLElement | undefined, open: boolean): void {
  button.setAttribute("aria-expanded", String(open));
  if (list) list.hidden = !open;
}

/** Returns the entries of a folder as its own page lists them, with addresses that hold here. */
async function fetchPages(address: string): Promise<HTMLElement[]> {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.querySelectorAll<HTMLElement>(".brain-nav__list:not(.brain-nav__top) > li");
  return [...found].flatMap((entry) => {
    const link = entry.querySelector("a");
    if (!link) return [];
    const target = new URL(link.getAttribute("href") ?? "", response.url || address);
    const mark = link.querySelector(".brain-mark");
    const title = (mark?.previousSibling ?? link).textContent ?? "";
    const copy = make("a", { href: target.href, dir: "auto" }, title);
    // The space before it is part of the title.
    if (mark) copy.append(make("small", { class: mark.className }, mark.textContent ?? ""));
    if (target.pathname === location.pathname) copy.setAttribute("aria-current", "page");
    return [make("li", entry.className ? { class: entry.className } : {}, copy)];
  });
}
