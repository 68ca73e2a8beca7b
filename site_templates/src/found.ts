// Marks on a page what was searched for: painted over the text, which stays as it is. The marks go with Escape, and with the page.

const NAME = "brain-found";
const LONGEST = 400_000;
const MOST = 2000;
// Not words of the page, or drawn anew.
const NOT_TEXT = ".brain-anchor, .brain-math, .brain-mermaid, .brain-diagram, .brain-search, script, style, svg, button";
const APART = /^(?:P|LI|UL|OL|DIV|T[DHR]|TABLE|H[1-6R]|PRE|D[TDL]|BLOCKQUOTE|FIG\w+|SUMMARY|DETAILS|SECTION|BR|CAPTION)$/;
// What Escape closes first.
const OPEN = "dialog[open], details.brain-menu[open], .brain-preview, .brain-drawer-open";

interface Stretch {
  readonly start: number;
  readonly end: number;
}

/** The text of an element in one piece, and where each of its text nodes begins in it. */
class PageText {
  text = "";
  private readonly nodes: Text[] = [];
  private readonly starts: number[] = [];

  add(element: Element): void {
    const apart = APART.test(element.tagName);
    if (apart) this.text += "\n";
    for (const node of element.childNodes) {
      if (this.text.length > LONGEST) return;
      if (node instanceof Text) {
        this.starts.push(this.text.length);
        this.nodes.push(node);
        this.text += node.data;
      } else if (node instanceof Element && !node.matches(NOT_TEXT)) this.add(node);
    }
    if (apart) this.text += "\n";
  }

  /** Gives the range of each stretch; they are in order. */
  *locate(stretches: Iterable<Stretch>): Generator<Range> {
    let at = 0;
    for (const { start, end } of stretches) {
      while ((this.starts[at + 1] ?? Infinity) <= start) at++;
      let last = at;
      while ((this.starts[last + 1] ?? Infinity) < end) last++;
      const [first, final] = [this.nodes[at], this.nodes[last]];
      if (!first || !final) continue;
      const range = new Range();
      range.setStart(first, start - (this.starts[at] ?? 0));
      range.setEnd(final, Math.min(end - (this.starts[last] ?? 0), final.length));
      yield range;
    }
  }
}

function clear(event: Event): void {
  if (event instanceof KeyboardEvent && (event.key !== "Escape" || document.querySelector(OPEN))) return;
  CSS.highlights.delete(NAME);
  removeEventListener("keydown", clear, true);
  removeEventListener("pagehide", clear);
}

/** Scrolls to the first of the marks in the section that is shown, where none of them would be in sight. */
function show(ranges: readonly Range[], article: Element): void {
  const target = document.querySelector(":target") ?? article;
  const top = target.getBoundingClientRect().top;
  const boxes = ranges.map((range) => range.getBoundingClientRect());
  const first = boxes.find((box) => box.height > 0 && box.bottom > top);
  if (first && first.bottom - top > innerHeight * 0.7) scrollTo({ top: scrollY + first.top - innerHeight / 3, behavior: "instant" });
}

/** Marks what `find` finds on this page. `moved` tells whether the reader has begun to scroll: then the page stays where it is. */
export function markFound(find: (text: string) => Iterable<Stretch>, moved: () => boolean): void {
  const article = document.querySelector(".brain-article");
  if (!article) return;
  const page = new PageText();
  page.add(article);
  const ranges = [...page.locate([...find(page.text)].slice(0, MOST))];
  if (ranges.length === 0) return;
  CSS.highlights.set(NAME, new Highlight(...ranges));
  addEventListener("keydown", clear, true);
  addEventListener("pagehide", clear);
  if (!moved()) show(ranges, article);
}
