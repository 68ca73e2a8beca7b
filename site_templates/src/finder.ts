// What the search dialog needs of the search, and loading it: the index is fetched when somebody searches, never before.

import { siteRoot } from "./dom";

/** A stretch of a snippet; `hit` where it matches the query. */
export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

/** One page that was found, with its best section. */
export interface Found {
  readonly path: string;
  readonly title: string;
  /** Relative to the site's root, with the heading's id. */
  readonly url: string;
  readonly heading: string;
  readonly pieces: readonly Piece[];
  /** Words of the query that this page lacks. */
  readonly missing: readonly string[];
}

export interface Finder {
  search(query: string, limit: number): Promise<readonly Found[]>;
}

let finder: Promise<Finder> | undefined;

/** Loads the search of this site, once. A failure is not kept: the next search tries again. */
export function loadFinder(): Promise<Finder> {
  finder ??= open().catch((error: unknown) => {
    finder = undefined;
    throw error;
  });
  return finder;
}

async function open(): Promise<Finder> {
  const { createSearch } = await import("./search/index");
  return createSearch(new URL("_/search/", siteRoot()).href);
}
