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

/** Renames what the policy would refuse already while it is parsed: style attributes, to be released later, and event handlers, for good. */
function hold(markup: string): string {
  const styled = markup.replace(/(<[a-z][^<>]*?[\s"'/])style\s*=/gi, `$1${HELD}=`);
  let handled = styled;
  for (let round = 0, before = ""; before !== handled && round < 20; round++) {
    before = handled;
    handled = handled.replace(/(<[a-z][^<>]*?[\s"'/])on([a-z]+\s*=)/gi, "$1data-brain-on-$2");
  }
  return handled;
}

function release(root: Element | DocumentFragment): void {
  for (const element of [root, ...root.querySelectorAll(`[${HELD}]`)]) {
    const value = element instanceof Element ? element.getAttribute(HELD) : null;
    if (value === null || !(element instanceof Element)) continue;
    element.removeAttribute(HELD);
    setStyle(element, value);
  }
}

function setStyle(element: Element, value: string): void {
  if (element instanceof HTMLElement || element instanceof SVGElement) element.style.cssText = value;
}

/** What a label may not bring along: Mermaid reads labels as HTML to decode them, even where it then shows them as text. */
const UNWANTED = "script, img, image, iframe, object, embed, link, base, meta, form, video, audio, source, style";

/** Returns markup as nodes; it is parsed where nothing loads and nothing runs. */
function parseInert(markup: string, inSvg: boolean): DocumentFragment {
  const parsed = parser.call(new DOMParser(), hold(inSvg ? `<svg>${markup}</svg>` : markup), "text/html");
  const root = inSvg ? (parsed.querySelector("svg") ?? parsed.body) : parsed.body;
  for (const element of root.querySelectorAll("*")) {
    if (element.matches(UNWANTED)) element.remove();
    for (const name of element.getAttributeNames()) if (/^on/i.test(name)) element.removeAttribute(name);
  }
  const fragment = document.createDocumentFragment();
  for (const node of [...root.childNodes]) fragment.append(document.importNode(node, true));
  release(fragment);
  return fragment;
}

const parser = DOMParser.prototype.parseFromString;

function patch(wear: (sheet: CSSStyleSheet) => void): () => void {
  const { setAttribute } = Element.prototype;
  const innerHTML = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML") as PropertyDescriptor;
  const { createElement } = document;

  Element.prototype.setAttribute = function (name: string, value: string): void {
    if (name.toLowerCase() === "style") setStyle(this, value);
    else setAttribute.call(this, name, value);
  };
  Object.defineProperty(Element.prototype, "innerHTML", {
    ...innerHTML,
    set(this: Element, markup: string): void {
      this.replaceChildren(parseInert(String(markup), this instanceof SVGElement));
    },
  });
  // Mermaid's own sanitiser parses what was drawn once more; it may come as TrustedHTML.
  DOMParser.prototype.parseFromString = function (markup: unknown, type: DOMParserSupportedType): Document {
    const parsed = parser.call(this, hold(String(markup)), type);
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
    DOMParser.prototype.parseFromString = parser;
    document.createElement = createElement;
  };
}
