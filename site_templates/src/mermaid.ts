// Draws diagrams with Mermaid, under a policy that forbids inline styles. What someone writes in a diagram is text: security level strict.

import mermaid from "mermaid";
import { drawWithoutInlineStyles, insertDrawing } from "./mermaid-styles";

let count = 0;

function configure(dark: boolean): void {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    // A diagram may not change these, whatever its %%{init}%% says.
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "maxEdges", "suppressErrorRendering", "htmlLabels", "theme", "themeCSS", "fontFamily", "flowchart.htmlLabels"],
    suppressErrorRendering: true,
    maxTextSize: 50_000,
    maxEdges: 500,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    theme: dark ? "dark" : "neutral",
    fontFamily: '"Inter Variable", ui-sans-serif, system-ui, sans-serif',
  });
}

/** Draws each block beside its source, which stays in the page, hidden. A diagram that cannot be drawn shows its source and says why. */
export async function drawDiagrams(blocks: readonly HTMLElement[], dark: boolean): Promise<void> {
  configure(dark);
  for (const block of blocks) {
    const figure = place(block);
    try {
      const source = block.textContent ?? "";
      const { svg } = await drawWithoutInlineStyles(() => mermaid.render(`brain-diagram-${++count}`, source));
      insertDrawing(figure, svg);
      label(figure, source);
      block.hidden = true;
    } catch (error) {
      block.hidden = false;
      const note = document.createElement("p");
      note.className = "brain-diagram__error";
      note.textContent = `This diagram cannot be drawn: ${error instanceof Error ? error.message.split("\n")[0] : "unknown reason"}`;
      figure.replaceChildren(note);
    }
  }
}

function place(block: HTMLElement): HTMLElement {
  const next = block.nextElementSibling;
  if (next instanceof HTMLElement && next.classList.contains("brain-diagram")) return next;
  const figure = document.createElement("div");
  figure.className = "brain-diagram";
  block.after(figure);
  return figure;
}

/** Gives the picture a role and a name; its source is its description for those who cannot see it. */
function label(figure: HTMLElement, source: string): void {
  const svg = figure.querySelector("svg");
  if (!svg) return;
  svg.setAttribute("role", "img");
  svg.removeAttribute("aria-roledescription");
  if (!svg.hasAttribute("aria-labelledby")) svg.setAttribute("aria-label", `Diagram: ${source.trim().replace(/\s+/g, " ").slice(0, 300)}`);
}
