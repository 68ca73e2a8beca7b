// Small tools for the document. Text of pages only ever enters it through textContent.

/** Returns an element with attributes and children; strings become text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Returns the address of the site's root, with a slash at its end. */
export function siteRoot(): URL {
  const root = document.querySelector<HTMLMetaElement>('meta[name="brain-root"]')?.content ?? "./";
  return new URL(root, location.href);
}

let live: HTMLElement | undefined;

/** Tells screen readers something, without moving the focus. */
export function announce(message: string): void {
  if (!live) {
    live = make("div", { class: "brain-visually-hidden", role: "status", "aria-live": "polite" });
    document.body.append(live);
  }
  const region = live;
  region.textContent = "";
  // A region that is filled in the turn it was made is often not read.
  setTimeout(() => {
    region.textContent = message;
  }, 50);
}

/** True while the reader types into something, so that single keys are text and not commands. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

/** Scrolls a box that scrolls by itself to a link in it that is out of sight. */
export function keepInSight(box: HTMLElement | null, link: HTMLElement | null | undefined): void {
  if (!box || !link || box.scrollHeight <= box.clientHeight) return;
  const inside = link.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (inside < 40 || inside > box.clientHeight - 60) box.scrollTop += inside - box.clientHeight / 3;
}
