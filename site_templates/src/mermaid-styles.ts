// Mermaid writes style attributes and <style> elements, which a policy without `unsafe-inline` refuses. The same styles set through the object model
// are allowed: while a diagram is drawn, the ways in which Mermaid writes styles are led there. Nothing of the page itself runs meanwhile that
// would notice, and afterwards everything is as before.

/** Kept out of the style attribute until the element is where it may have one. */
const HELD = "data-brain-style";

let active = 0;
let restore: (() => void) | undefined;

/** Runs a drawing with Mermaid's inline styles led through the object model. */
export async function drawWithoutInlineStyles<T>(draw: () => Promise<T>): Promise<T> {
  if (active++ === 0) restore = patch();
  try {
    return await draw();
  } finally {
    if (--active === 0) restore?.();
  }
}

/** Puts a finished drawing into the page: its style sheet is adopted by the document, its style attributes are set one by one. */
export function insertDrawing(figure: HTMLElement, svg: string): void {
  const parsed = new DOMParser().parseFromString(hold(svg), "text/html");
  const drawing = parsed.querySelector("svg");
  if (!drawing) throw new Error("nothing was drawn");
  const sheets: CSSStyleSheet[] = [];
  for (const style of drawing.querySelectorAll("style")) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.textContent ?? "");
    sheets.push(sheet);
    style.remove();
  }
  const placed = document.importNode(drawing, true);
  figure.replaceChildren(placed);
  release(placed);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets.filter((sheet) => !owned.get(figure)?.includes(sheet)), ...sheets];
  owned.set(figure, sheets);
}

const owned = new WeakMap<HTMLElement, CSSStyleSheet[]>();

function hold(markup: string): string {
  return markup.replace(/(<[a-z][^<>]*?\s)style=/gi, `$1${HELD}=`);
}

function release(root: Element): void {
  for (const element of [root, ...root.querySelectorAll(`[${HELD}]`)]) {
    const value = element.getAttribute(HELD);
    if (value === null) continue;
    element.removeAttribute(HELD);
    setStyle(element, value);
  }
}

function setStyle(element: Element, value: string): void {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.style.cssText = value;
}

function patch(): () => void {
  const { setAttribute } = Element.prototype;
  const innerHTML = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML") as PropertyDescriptor;
  const { parseFromString } = DOMParser.prototype;
  const { createElement } = document;

  Element.prototype.setAttribute = function (name: string, value: string): void {
    if (name.toLowerCase() === "style") setStyle(this, value);
    else setAttribute.call(this, name, value);
  };
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...innerHTML,
    set(this: Element, markup: string): void {
      innerHTML.set?.call(this, hold(String(markup)));
      release(this);
    },
  });
  // Mermaid's own sanitiser parses what was drawn once more.
  DOMParser.prototype.parseFromString = function (markup: string, type: DOMParserSupportedType): Document {
    const parsed = parseFromString.call(this, hold(markup), type);
    release(parsed.documentElement);
    return parsed;
  };
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
    const element = createElement.call(this, name, options);
    // A style element of another type holds its text and is never applied, hence never refused.
    if (name.toLowerCase() === "style") setAttribute.call(element, "type", "text/x-held");
    return element;
  } as typeof document.createElement;

  return () => {
    Element.prototype.setAttribute = setAttribute;
    Object.defineProperty(Element.prototype, "innerHTML", innerHTML);
    DOMParser.prototype.parseFromString = parseFromString;
    document.createElement = createElement;
  };
}
