// Copying: the page as Markdown, and each block of code.

import { announce, make } from "./dom";

const SHOWN = 1800;

/** Shows for a moment on the button what happened, and tells it. */
function tell(button: HTMLElement, message: string, ok: boolean): void {
  button.dataset.state = ok ? "done" : "failed";
  announce(message);
  setTimeout(() => {
    delete button.dataset.state;
  }, SHOWN);
}

async function fetchText(address: string): Promise<string> {
  const response = await fetch(address, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.text();
}

/** Puts text into the clipboard. The text may still be on its way: browsers want the write to begin within the click. */
async function write(text: Promise<string>): Promise<void> {
  if (typeof ClipboardItem !== "undefined" && navigator.clipboard.write) {
    const blob = text.then((value) => new Blob([value], { type: "text/plain" }));
    await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
  } else {
    await navigator.clipboard.writeText(await text);
  }
}

function startPageCopy(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>("[data-brain-copy]")) {
    button.addEventListener("click", () => {
      write(fetchText(button.dataset.brainCopy ?? "")).then(
        () => tell(button, "Copied the page as Markdown", true),
        () => tell(button, "The page could not be copied", false),
      );
    });
  }
}

function startCodeCopy(): void {
  for (const code of document.querySelectorAll<HTMLElement>(".brain-article pre > code")) {
    const block = code.parentElement as HTMLElement;
    if (block.classList.contains("brain-mermaid")) continue;
    const button = make("button", { type: "button", class: "brain-code-copy", "aria-label": "Copy code", title: "Copy code" });
    button.addEventListener("click", () => {
      write(Promise.resolve((code.textContent ?? "").replace(/\n$/, ""))).then(
        () => tell(button, "Copied the code", true),
        () => tell(button, "The code could not be copied", false),
      );
    });
    const frame = block.closest<HTMLElement>(".highlight") ?? wrap(block);
    frame.append(button);
  }
}

function wrap(block: HTMLElement): HTMLElement {
  const frame = make("div", { class: "highlight" });
  block.replaceWith(frame);
  frame.append(block);
  return frame;
}

export function startCopy(): void {
  startPageCopy();
  startCodeCopy();
}
