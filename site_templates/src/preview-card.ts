// A card with the first lines of the page that a link leads to. They are read from that page itself, so whoever may not read it gets no card.
// The page is parsed without being run, and only its words and a few elements that structure text are made anew here.
// It imports nothing: what it shared with the code of every page would be a file of its own there.

const REST = 350;
const FOCUS_REST = 600;
const NEXT = 120; // while a card is open
const GRACE = 250; // for the way from the link to the card
const KEPT = 40;
const LARGEST = 1_500_000; // bytes of a page
const MOST_BLOCKS = 4;
const MOST_LETTERS = 420;
const BLOCKS = "P, UL, OL, BLOCKQUOTE, PRE, DL, DIV, SECTION, TABLE, DETAILS, FIGURE, HR, H1, H2, H3, H4, H5, H6";
const KEEP = /^(P|UL|OL|LI|BLOCKQUOTE|PRE|CODE|EM|STRONG|DEL|MARK|SUB|SUP|KBD|BR)$/;
const SKIP = /^(SCRIPT|STYLE|TEMPLATE|NOSCRIPT|TABLE|DETAILS|FIGURE|IMG|VIDEO|AUDIO|SVG|MATH|HR|BUTTON|INPUT)$/i;

interface Preview {
  readonly title: string;
  readonly lang: string;
  readonly state: HTMLElement | undefined;
  readonly text: readonly Node[];
}

const pages = new Map<string, Document>();
let card: HTMLElement | undefined;
let link: HTMLAnchorElement | undefined;
let opening = 0;
let closing = 0;
let loading: AbortController | undefined;

/** The pointer came to a link, or the focus did. */
export function aim(target: HTMLAnchorElement, event: Event): void {
  const gone = event.type === "focusin" ? document.activeElement !== target : !target.matches(":hover");
  if (gone) return; // while this code was loading
  clearTimeout(closing);
  if (target === link) return;
  const rest = card?.hidden === false ? NEXT : event.type === "focusin" ? FOCUS_REST : REST;
  drop();
  link = target;
  const spot = event instanceof PointerEvent ? event.clientX : undefined;
  opening = window.setTimeout(() => void open(target, spot), rest);
  target.addEventListener("pointerleave", leave);
  target.addEventListener("blur", close);
  target.addEventListener("click", close);
}

function leave(): void {
  clearTimeout(closing);
  const grace = card?.hidden === false ? GRACE : 0;
  closing = window.setTimeout(() => {
    if (document.activeElement !== link || !link?.matches(":focus-visible")) close();
  }, grace);
}

function drop(): void {
  clearTimeout(opening);
  clearTimeout(closing);
  loading?.abort();
  link?.removeEventListener("pointerleave", leave);
  link?.removeEventListener("blur", close);
  link?.removeEventListener("click", close);
  if (card && link) describe(link, false);
  link = undefined;
}

function close(): void {
  drop();
  if (card) card.hidden = true;
}

function describe(element: Element, on: boolean): void {
  const others = (element.getAttribute("aria-describedby") ?? "").split(" ").filter((id) => id && id !== "brain-preview");
  if (on) others.push("brain-preview");
  if (others.length > 0) element.setAttribute("aria-describedby", others.join(" "));
  else element.removeAttribute("aria-describedby");
}

async function open(target: HTMLAnchorElement, spot: number | undefined): Promise<void> {
  const address = new URL(target.href);
  const page = address.origin + address.pathname === location.origin + location.pathname ? document : await load(address);
  const shown = page && read(page, decode(address.hash.slice(1)));
  if (target !== link) return; // it was left meanwhile
  if (!shown) {
    if (card) card.hidden = true;
    return;
  }
  card ??= build();
  card.lang = shown.lang;
  card.replaceChildren(block("p", "brain-preview__title", shown.title), ...(shown.state ? [shown.state] : []), block("div", "brain-preview__text", ...shown.text));
  card.hidden = false;
  place(card, target, spot);
  describe(target, true);
}

function block(tag: string, name: string, ...children: (Node | string)[]): HTMLElement {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.dir = "auto";
  made.append(...children);
  return made;
}

function build(): HTMLElement {
  const made = block("div", "brain-preview");
  made.id = "brain-preview";
  made.setAttribute("role", "tooltip");
  made.addEventListener("pointerenter", () => clearTimeout(closing));
  made.addEventListener("pointerleave", leave);
  document.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || made.hidden) return;
      event.stopPropagation();
      const last = link;
      close();
      link = last; // it does not open again while the pointer stays
      last?.addEventListener("pointerleave", leave);
      last?.addEventListener("blur", close);
    },
    true,
  );
  (document.querySelector("#brain-main") ?? document.body).append(made);
  return made;
}

/** Puts the card below the link, or above where there is more room, and inside the window. */
function place(shown: HTMLElement, target: HTMLElement, spot: number | undefined): void {
  const rects = [...target.getClientRects()];
  const rect = rects.find((each) => spot !== undefined && each.left <= spot && spot <= each.right) ?? rects[0];
  if (!rect) return;
  const around = (shown.offsetParent ?? document.documentElement).getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = shown;
  const below = document.documentElement.clientHeight - rect.bottom;
  const top = below < height + 12 && rect.top > below ? rect.top - height - 6 : rect.bottom + 6;
  const left = Math.max(12, Math.min((spot ?? rect.left) - 24, document.documentElement.clientWidth - width - 12));
  shown.style.top = `${top - around.top}px`;
  shown.style.left = `${left - around.left}px`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns a page, undefined when it is not there for this reader or not a page. A redirect is another page. */
async function load(address: URL): Promise<Document | undefined> {
  const key = address.origin + address.pathname;
  const known = pages.get(key);
  if (known) return known;
  loading = new AbortController();
  try {
    const response = await fetch(key, { credentials: "same-origin", redirect: "manual", signal: loading.signal });
    const type = response.headers.get("content-type") ?? "";
    if (!response.ok || !type.startsWith("text/html") || Number(response.headers.get("content-length")) > LARGEST) return undefined;
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    if (pages.size >= KEPT) pages.delete(pages.keys().next().value ?? "");
    pages.set(key, page);
    return page;
  } catch {
    return undefined; // left, or offline
  }
}

function read(page: Document, id: string): Preview | undefined {
  const article = page.querySelector(".brain-article");
  const title = article?.querySelector("h1");
  if (!article || !title) return undefined;
  const section = id ? article.querySelector(`#${CSS.escape(id)}`) : null;
  if (id && !section) return undefined;
  const lang = article.getAttribute("lang") ?? page.documentElement.lang;
  if (section && section !== title) {
    const named = /^H[1-6]$/.test(section.tagName) ? section : title;
    return { title: words(named), lang, state: undefined, text: cut(readFrom(section)) };
  }
  const mark = article.querySelector(".brain-document .brain-state");
  const kind = mark?.className.match(/\bbrain-state--\w+/)?.[0];
  const state = mark && kind ? block("span", `brain-state ${kind}`, words(mark)) : undefined;
  const summary = page.querySelector<HTMLMetaElement>('meta[name="description"]')?.content.trim();
  const text = summary ? [block("p", "", summary)] : cut(readFrom(title));
  return { title: words(title), lang, state, text };
}

/** Returns the blocks of a section, or the one block that an id names. */
function* readFrom(start: Element): Generator<Element> {
  if (!/^H[1-6]$/.test(start.tagName)) {
    yield start.matches(BLOCKS) || start.tagName === "LI" ? start : (start.closest("p, li, blockquote, pre") ?? start);
    return;
  }
  for (let next = start.nextElementSibling; next; next = next.nextElementSibling) {
    if (/^H[1-6]$/.test(next.tagName)) {
      if (next.tagName <= start.tagName) return;
      continue;
    }
    if (!next.matches(".brain-byline, .brain-document, .brain-mermaid, .footnotes")) yield next;
  }
}

function cut(blocks: Iterable<Element>): Node[] {
  const shown: Node[] = [];
  const room = { letters: MOST_LETTERS };
  for (const each of blocks) {
    const copy = restate(each, room);
    if (!copy?.textContent?.trim()) continue;
    shown.push(copy instanceof HTMLElement && copy.tagName !== "LI" ? copy : block("p", "", copy.textContent));
    if (shown.length === MOST_BLOCKS || room.letters <= 0) break;
  }
  return shown;
}

/** Returns what a node says, made anew: no attribute, address, id or image of it comes along. */
function restate(node: Node, room: { letters: number }): Node | undefined {
  if (room.letters <= 0) return undefined;
  if (node.nodeType === Node.TEXT_NODE) {
    const text = node.textContent ?? "";
    const shown = text.length > room.letters ? `${text.slice(0, room.letters).trimEnd()}…` : text;
    room.letters -= text.length;
    return document.createTextNode(shown);
  }
  if (node.nodeType !== Node.ELEMENT_NODE) return undefined;
  const element = node as Element;
  if (SKIP.test(element.tagName) || element.matches(".footnote-ref, .footnote-backref, .brain-anchor, .brain-code-copy")) return undefined;
  const parts = [...element.childNodes].map((child) => restate(child, room)).filter((child) => child !== undefined);
  if (element.matches(BLOCKS)) return block(KEEP.test(element.tagName) ? element.tagName : "div", "", ...parts);
  const made = document.createElement(KEEP.test(element.tagName) ? element.tagName : "span");
  made.append(...parts);
  return made;
}

function words(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const extra of copy.querySelectorAll(".brain-anchor, .footnote-ref")) extra.remove();
  return copy.textContent?.replace(/\s+/g, " ").trim() ?? "";
}
