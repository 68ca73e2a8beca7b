// Mathematics, diagrams and the graph: their code is loaded only by pages that have some, and only from this site.

import { isDark, onSchemeChange } from "./scheme";

declare const MATH_URL: string;
declare const MATH_STYLE: string;
declare const MERMAID_URL: string;
declare const EXPLORER_URL: string;
declare const EXPLORER_STYLE: string;

interface MathPart {
  drawMath(elements: Iterable<HTMLElement>): void;
}
interface MermaidPart {
  drawDiagrams(blocks: readonly HTMLElement[], dark: boolean): Promise<void>;
}

interface ExplorerPart {
  openExplorer(place: HTMLElement): Promise<void>;
}

const beside = (path: string): string => new URL(path, import.meta.url).href;
const rendered = (): boolean => document.dispatchEvent(new CustomEvent("brain:rendered"));

async function loadStyle(address: string): Promise<void> {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  const loaded = new Promise((done) => {
    link.addEventListener("load", done);
    link.addEventListener("error", done);
  });
  document.head.append(link);
  await loaded;
}

async function startMath(): Promise<void> {
  const formulas = document.querySelectorAll<HTMLElement>(".brain-article .brain-math");
  if (formulas.length === 0) return;
  const [part] = await Promise.all([import(beside(MATH_URL)) as Promise<MathPart>, loadStyle(beside(MATH_STYLE))]);
  part.drawMath(formulas);
  rendered();
}

async function startMermaid(): Promise<void> {
  const blocks = [...document.querySelectorAll<HTMLElement>(".brain-article pre.brain-mermaid")];
  if (blocks.length === 0) return;
  const part = (await import(beside(MERMAID_URL))) as MermaidPart;
  let shown = isDark();
  await part.drawDiagrams(blocks, shown);
  rendered();
  onSchemeChange(() => {
    if (isDark() === shown) return;
    shown = isDark();
    void part.drawDiagrams(blocks, shown);
  });
}

async function startExplorer(): Promise<void> {
  const place = document.querySelector<HTMLElement>("[data-brain-graph]");
  if (!place || location.protocol === "file:") return;
  try {
    const [part] = await Promise.all([import(beside(EXPLORER_URL)) as Promise<ExplorerPart>, loadStyle(beside(EXPLORER_STYLE))]);
    await part.openExplorer(place);
  } catch (error) {
    place.textContent = "The graph could not be loaded. Check the connection and try again.";
    throw error;
  }
}

export function startLazy(): void {
  // A page whose diagrams fail to load still shows their source.
  startMath().catch((error: unknown) => console.warn("Formulas were not drawn:", error));
  startMermaid().catch((error: unknown) => console.warn("Diagrams were not drawn:", error));
  startExplorer().catch((error: unknown) => console.warn("The graph was not drawn:", error));
}
