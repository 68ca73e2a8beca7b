// Draws diagrams with Mermaid, under a policy that forbids inline styles. What someone writes in a diagram is text: security level strict.

import mermaid from "mermaid";
import { drawWithoutInlineStyles, insertDrawing } from "./mermaid-styles";

/** The colours of the site (styles/tokens.css), from which Mermaid derives its own. */
const LIGHT = {
  darkMode: false, background: "#ffffff", primaryColor: "#eef0ff", primaryTextColor: "#22262e", primaryBorderColor: "#a5abf0",
  secondaryColor: "#eaf7f9", tertiaryColor: "#f6f7f9", lineColor: "#5b6370", textColor: "#22262e", edgeLabelBackground: "#ffffff",
  noteBkgColor: "#fef6e7", noteTextColor: "#22262e", noteBorderColor: "#d9a441", clusterBkg: "#f6f7f9", clusterBorder: "#d4d7de",
};
const DARK = {
  darkMode: true, background: "#101216", primaryColor: "#23264a", primaryTextColor: "#dfe3ea", primaryBorderColor: "#6269b8",
  secondaryColor: "#0f2a30", tertiaryColor: "#171a20", lineColor: "#9ba4b3", textColor: "#dfe3ea", edgeLabelBackground: "#101216",
  noteBkgColor: "#2a2213", noteTextColor: "#dfe3ea", noteBorderColor: "#8a6a2a", clusterBkg: "#171a20", clusterBorder: "#3a404c",
};

/** How far a diagram may shrink: letters of 16 pixels to 10. */
const LEGIBLE = 0.625;

let count = 0;
let last: Promise<void> = Promise.resolve();

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
    theme: "base",
    themeVariables: dark ? DARK : LIGHT,
    fontFamily: '"Inter Variable", ui-sans-serif, system-ui, sans-serif',
  });
}

/** Draws each block beside its source, which stays in the page, hidden. A diagram that cannot be drawn shows its source and says why. */
export function drawDiagrams(blocks: readonly HTMLElement[], dark: boolean): Promise<void> {
  last = last.then(() => drawAll(blocks, dark));
  return last;
}

async function drawAll(blocks: readonly HTMLElement[], dark: boolean): Promise<void> {
  configure(dark);
  for (const block of blocks) {
    const figure = place(block);
    try {
      const source = block.textContent ?? "";
      const name = `brain-diagram-${++count}`;
      insertDrawing(figure, await drawWithoutInlineStyles(async () => (await mermaid.render(name, source)).svg));
      label(figure, source);
      keepLegible(figure);
      figure.dataset.drawn = dark ? "dark" : "light";
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

/** A wide diagram shrinks to the page as far as its letters stay legible; from there on it scrolls. */
function keepLegible(figure: HTMLElement): void {
  const svg = figure.querySelector("svg");
  const natural = Number.parseFloat(svg?.style.maxWidth ?? "");
  if (svg && natural > 0) svg.style.minWidth = `${Math.round(natural * LEGIBLE)}px`;
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
