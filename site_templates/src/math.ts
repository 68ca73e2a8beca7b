// Draws TeX with KaTeX. Elements are built through the DOM (katex.render), so no inline style is parsed and a strict policy holds.

import katex from "katex";

/** Replaces the TeX text of each element by the formula; broken TeX stays readable, marked. */
export function drawMath(elements: Iterable<HTMLElement>): void {
  for (const element of elements) {
    const source = element.textContent ?? "";
    try {
      katex.render(source, element, {
        displayMode: element.tagName === "DIV" || element.classList.contains("brain-math-display"),
        output: "htmlAndMathml",
        // What someone writes must not load anything, run anything, or take for ever.
        trust: false,
        maxExpand: 200,
        maxSize: 40,
        strict: false,
        throwOnError: true,
      });
      element.classList.add("is-drawn");
    } catch (error) {
      element.textContent = source;
      element.classList.add("is-broken");
      element.title = error instanceof Error ? error.message : "This formula cannot be drawn";
    }
  }
}
