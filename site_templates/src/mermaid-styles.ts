// Mermaid writes style attributes and <style> elements, which a policy without `unsafe-inline` refuses. The same styles set through the object model
// are allowed: while a diagram is drawn, the ways in which Mermaid writes styles are led there. Nothing of the page itself runs meanwhile that
// would notice, and afterwards everything is as before.

/** Kept out of the style attribute until the element is where it may have one. */
const HELD = "data-brain-style";

/** A finished drawing. */
export interface Drawing {
  markup: string;
  sheets: CSSStyleSheet[];
}

/** Style sheets of the drawing that stands in an element. */
const worn = new WeakMap<HTMLElement, CSSStyleSheet[]>();

/** Draws with inline styles led through the object model. One drawing at a time. */
export async function drawWithoutInlineStyles(draw: () => Promise<string>): Promise<Drawing> {
  const sheets: CSSStyleSheet[] = [];
  const restore = patch((sheet) => {
    sheets.push(sheet);
    // Worn at once: texts are measured while the diagram is drawn.
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
  try {
    return { markup: await draw(), sheets };
  } catch (error) {
    drop(sheets);
    throw error;
  } finally {
    restore();
  }
}

/** Puts a drawing into an element, in place of the one that it held. */
export function insertDrawing(figure: HTMLElement, drawing: Drawing): void {
  const parsed = new DOMParser().parseFromString(hold(drawing.markup), "text/html");
  const svg = parsed.querySelector("svg");
  if (!svg) throw new Error("nothing was drawn");
  const placed = document.importNode(svg, true);
  figure.replaceChildren(placed);
  release(placed);
  drop(worn.get(figure) ?? []);
  worn.set(figure, drawing.sheets);
}

function drop(sheets: readonly CSSStyleSheet[]): void {
  document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
}

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

function patch(wear: (sheet: CSSStyleSheet) => void): () => void {
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
  DOMParser.prototype.parseFromString = function (markup: unknown, type: DOMParserSupportedType): Document {
    // It may come as TrustedHTML.
    const parsed = parseFromString.call(this, hold(String(markup)), type);
    release(parsed.documentElement);
    return parsed;
  };
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
    if (name.toLowerCase() !== "style") return createElement.call(this, name, options);
    // Stands for the style element: an empty group that takes rules and hands them to the document.
    const stand = document.createElementNS("http://www.w3.org/2000/svg", "g");
    Object.defineProperty(stand, "innerHTML", {
      set(rules: string): void {
        const sheet = new CSSStyleSheet();
        sheet.replaceSync(rules);
        wear(sheet);
      },
    });
    return stand as unknown as HTMLElement;
  } as typeof document.createElement;

  return () => {
    Element.prototype.setAttribute = setAttribute;
    Object.defineProperty(Element.prototype, "innerHTML", innerHTML);
    DOMParser.prototype.parseFromString = parseFromString;
    document.createElement = createElement;
  };
}
