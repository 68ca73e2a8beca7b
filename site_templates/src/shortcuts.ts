// The list of keyboard shortcuts (`?`), and the single keys of the page.

import { isTyping, make } from "./dom";

const SHORTCUTS: [keys: string[], what: string][] = [
  [["/"], "Search"],
  [["Ctrl K", "⌘ K"], "Search, from anywhere"],
  [["↑", "↓"], "Move between results"],
  [["Enter"], "Open the result"],
  [["Esc"], "Close what is open, unmark what was searched for"],
  [["["], "Previous page"],
  [["]"], "Next page"],
  [["?"], "This list"],
];

let dialog: HTMLDialogElement | undefined;

function build(): HTMLDialogElement {
  const close = make("button", { type: "button", class: "brain-icon-button brain-dialog__close", "aria-label": "Close" });
  const list = make("dl", { class: "brain-shortcuts" });
  for (const [keys, what] of SHORTCUTS) {
    const names = keys.flatMap((key, index) => [...(index ? [" "] : []), make("kbd", {}, key)]);
    list.append(make("div", {}, make("dt", {}, ...names), make("dd", {}, what)));
  }
  const made = make(
    "dialog",
    { class: "brain-dialog brain-dialog--small", "aria-labelledby": "brain-shortcuts-title" },
    make("div", { class: "brain-dialog__head" }, make("h2", { id: "brain-shortcuts-title" }, "Keyboard shortcuts"), close),
    list,
  );
  close.addEventListener("click", () => made.close());
  made.addEventListener("click", (event) => {
    if (event.target === made) made.close();
  });
  document.body.append(made);
  return made;
}

function show(): void {
  dialog ??= build();
  if (!dialog.open) dialog.showModal();
}

function follow(rel: string): void {
  document.querySelector<HTMLAnchorElement>(`.brain-pager a[rel="${rel}"]`)?.click();
}

export function startShortcuts(): void {
  for (const button of document.querySelectorAll("[data-brain-shortcuts]")) button.addEventListener("click", show);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    if (event.key === "?") show();
    else if (event.key === "[") follow("prev");
    else if (event.key === "]") follow("next");
    else return;
    event.preventDefault();
  });
}
