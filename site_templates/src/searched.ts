// Marks on this page what was searched for, when a result has led here. The code for it is loaded only then; that of the search is still in the cache.

import { canMark, keepWords, opensHere, takeWords } from "./handover";

const MOVES = ["wheel", "touchmove", "keydown", "pointerdown"] as const;

function mark(query: string): void {
  let moved = false;
  const noteMove = (): void => {
    moved = true;
  };
  for (const move of MOVES) addEventListener(move, noteMove, { once: true, passive: true });
  Promise.all([import("./search/index"), import("./found")]).then(
    ([search, found]) => {
      found.markFound((text) => search.findFound(text, query), () => moved);
      for (const move of MOVES) removeEventListener(move, noteMove);
    },
    // The page is there all the same.
    (error: unknown) => console.warn("What was searched for is not marked:", error),
  );
}

/** Called when the result behind `link` is followed, with the words that found it. */
export function followResult(query: string, link: HTMLAnchorElement, event: MouseEvent): void {
  if (!opensHere(event)) return;
  // A place on this very page is shown without loading one, right after this.
  const samePage = link.hash !== "" && link.pathname === location.pathname && link.search === location.search;
  if (!samePage) keepWords(query, link.pathname);
  else if (canMark()) setTimeout(() => mark(query));
}

export function startSearched(): void {
  const query = takeWords();
  if (query) mark(query);
}
