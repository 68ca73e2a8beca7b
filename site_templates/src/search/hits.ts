// Postings of several tokens → the hits of one word. Twin of indexer/publish/search_hits.py; integers only, so that both give the same order.

import { readBody, readTitles } from "./format";

/** Where one word stands, in pages by slot. */
export interface Hits {
  /** Slot → (weight 1–63 in sixteenths) × 16 + shortness of the path. */
  readonly titles: Map<number, number>;
  /** Slot → section → weight 1–15 in sixteenths. */
  readonly body: Map<number, Map<number, number>>;
  /** In how many pages it stands; 0 = it does not occur. */
  readonly pages: number;
  /** It stands in further pages, which are not listed; perhaps none is. */
  readonly cut: boolean;
}

export const NOWHERE: Hits = { titles: new Map(), body: new Map(), pages: 0, cut: false };

export function hasPage(hits: Hits, slot: number): boolean {
  return hits.cut || hits.titles.has(slot) || hits.body.has(slot);
}

export function listSlots(hits: Hits): Set<number> {
  return new Set([...hits.titles.keys(), ...hits.body.keys()]);
}

/** Returns the hits of one token whose weights count for `share` sixteenths. */
export function readHits(names: Iterable<number>, numbers: Iterable<number>, share: number, pages = 0, cut = false): Hits {
  const titles = new Map<number, number>();
  for (const [slot, weight] of readTitles(names)) titles.set(slot, Math.floor(weight / 16) * share * 16 + (weight % 16));
  const hits = { titles, body: readBody(numbers, share), pages, cut };
  return pages ? hits : { ...hits, pages: listSlots(hits).size };
}

/** Returns the hits of a word that may stand there in any of several forms, of which the first is the word itself. */
export function joinAny(all: readonly Hits[]): Hits {
  const found = all.filter((hits) => hits.pages > 0);
  const first = found[0];
  if (!first) return NOWHERE;
  if (found.length === 1) return first;
  const joined = { titles: new Map<number, number>(), body: new Map<number, Map<number, number>>(), pages: 0, cut: first.cut };
  for (const hits of found) {
    for (const [slot, weight] of hits.titles) if (weight > (joined.titles.get(slot) ?? 0)) joined.titles.set(slot, weight);
    for (const [slot, places] of hits.body) {
      const known = joined.body.get(slot);
      if (!known) joined.body.set(slot, new Map(places));
      else for (const [section, weight] of places) if (weight > (known.get(section) ?? 0)) known.set(section, weight);
    }
  }
  return { ...joined, pages: Math.max(first.pages, listSlots(joined).size) };
}

/** Returns the hits of a word of which all parts have to stand in one section, or in the names of one page. */
export function joinAll(found: readonly Hits[], share: number): Hits {
  const some = found.filter((hits) => !hits.cut);
  const listed = (some.length ? some : [...found]).sort((a, b) => sizeOf(a) - sizeOf(b));
  const [first, ...others] = listed;
  if (!first || found.some((hits) => hits.pages === 0)) return NOWHERE;
  const joined = { titles: new Map<number, number>(), body: new Map<number, Map<number, number>>(), pages: 0, cut: found.every((hits) => hits.cut) };
  for (const [slot, weight] of first.titles) {
    const weights = [weight, ...others.map((hits) => hits.titles.get(slot) ?? 0)];
    const least = Math.min(...weights);
    if (least > 0) joined.titles.set(slot, Math.floor((Math.floor(least / 16) * share) / 16) * 16 + (least % 16));
  }
  for (const [slot, places] of first.body) {
    const together = new Map<number, number>();
    for (const [section, weight] of places) {
      const least = Math.min(weight, ...others.map((hits) => hits.body.get(slot)?.get(section) ?? 0));
      if (least > 0) together.set(section, Math.floor((least * share) / 16));
    }
    if (together.size) joined.body.set(slot, together);
  }
  return { ...joined, pages: listSlots(joined).size };
}

function sizeOf(hits: Hits): number {
  return hits.titles.size + hits.body.size;
}
