// Loads the search of this site when somebody wants to search, never before.

import { siteRoot } from "./dom";
import type { Piece, Result } from "./search/index";

export type { Piece, Result } from "./search/index";

export interface Finder {
  search(query: string, limit: number): Promise<readonly Result[]>;
  /** Returns a text in stretches, those marked that match the query. */
  highlight(text: string, query: string): readonly Piece[];
}

let finder: Promise<Finder> | undefined;

/** Loads code and index, once. A failure is not kept: the next search tries again. */
export function loadFinder(): Promise<Finder> {
  finder ??= open().catch((error: unknown) => {
    finder = undefined;
    throw error;
  });
  return finder;
}

async function open(): Promise<Finder> {
  const { createSearch, highlight } = await import("./search/index");
  const search = createSearch(new URL("_/search/", siteRoot()).href);
  await search.prefetch();
  return { search: (query, limit) => search.search(query, limit), highlight };
}
