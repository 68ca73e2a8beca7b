// The search dialog (`/`, Ctrl-K, the button in the header), and the field of the search page.

import { isTyping, make } from "./dom";
import { loadFinder } from "./finder";
import { makeSearchBox, type SearchBox } from "./search-box";

let dialog: HTMLDialogElement | undefined;
let box: SearchBox | undefined;
let onPage: SearchBox | undefined;

function build(): HTMLDialogElement {
  const made = makeSearchBox(loadFinder);
  const close = make("button", { type: "button", class: "brain-search__close" }, make("span", {}, "Close"), " ", make("kbd", {}, "Esc"));
  made.element.querySelector("form")?.append(close);
  const keys = make("p", { class: "brain-search__keys", "aria-hidden": "true" });
  for (const [key, what] of [["↑", ""], ["↓", "move"], ["↵", "open"], ["Esc", "close"]] as const) keys.append(make("kbd", {}, key), what ? ` ${what} ` : " ");
  const shown = make("dialog", { class: "brain-dialog brain-dialog--search", "aria-label": "Search" }, made.element, keys);
  close.addEventListener("click", () => shown.close());
  shown.addEventListener("click", (event) => {
    if (event.target === shown) shown.close();
  });
  // A search field would only empty itself.
  made.field.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    shown.close();
  });
  // A result on this very page only moves to its section.
  made.element.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("a") && !(event.ctrlKey || event.metaKey || event.shiftKey)) shown.close();
  });
  shown.addEventListener("close", () => made.clear());
  document.body.append(shown);
  box = made;
  return shown;
}

function open(): void {
  if (onPage) {
    onPage.field.focus();
    return;
  }
  dialog ??= build();
  if (!dialog.open) dialog.showModal();
  box?.field.focus();
  // The index is small and will be wanted in a moment.
  loadFinder().catch(() => undefined);
}

function startPage(): void {
  const place = document.querySelector<HTMLElement>("[data-brain-search-page]");
  if (!place) return;
  onPage = makeSearchBox(loadFinder);
  onPage.element.classList.add("brain-search--page");
  place.append(onPage.element);
  const query = new URLSearchParams(location.search).get("q") ?? new URLSearchParams(location.hash.slice(1)).get("q") ?? "";
  onPage.field.value = query;
  onPage.field.focus({ preventScroll: true });
  if (query) onPage.refresh();
  keepQuery(onPage.element, onPage.field);
}

/** Writes the query into the address when a result is followed, so that the way back leads to the results. */
function keepQuery(element: HTMLElement, field: HTMLInputElement): void {
  element.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("a")) return;
    const address = new URL(location.href);
    address.hash = "";
    address.search = new URLSearchParams({ q: field.value.trim() }).toString();
    history.replaceState(history.state, "", address);
  });
}

export function startSearch(): void {
  startPage();
  for (const button of document.querySelectorAll("[data-brain-search]")) button.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    const combined = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k";
    const slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event.target);
    const elsewhere = document.querySelector("dialog[open]");
    if (!(combined || slash) || (elsewhere && elsewhere !== dialog)) return;
    event.preventDefault();
    if (combined && dialog?.open) dialog.close();
    else open();
  });
}
