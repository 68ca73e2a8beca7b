// Hits of the words → pages in order, with the section each leads to. Twin of indexer/publish/search_rank.py; integers only.

import { type Hits, hasPage, listSlots } from "./hits";
import { EXACT, type QueryWord, countUnits } from "./query";

const TITLE = 63;
const ALIAS = 56;
const OF_TITLE = 2;
const OF_BODY = 3;
const SECTIONS = 4;
const FEW = 5;
const SHARE_OF_TWO = 6;
const SHARE_BESIDE = 11;
const SHARE_ALONE = 8;

/** One page that matches. */
export interface Ranked {
  readonly slot: number;
  /** The section to lead to. */
  readonly section: number;
  /** The best sections, best first, at most four. */
  readonly sections: readonly number[];
  readonly score: number;
  /** Numbers of the words that it lacks. */
  readonly missing: readonly number[];
}

function compareRanked(a: Ranked, b: Ranked): number {
  return Number(a.missing.length > 0) - Number(b.missing.length > 0) || b.score - a.score || a.slot - b.slot;
}

/** Returns 16 × log2(1 + all pages / pages with the word), by steps that are exact in any IEEE arithmetic. */
export function weighRarity(pages: number, allPages: number): number {
  let ratio = (allPages + pages) / pages;
  let sixteenths = 0;
  while (ratio >= 2) {
    ratio /= 2;
    sixteenths += 16;
  }
  for (const bit of [8, 4, 2, 1]) {
    ratio *= ratio;
    if (ratio >= 2) {
      ratio /= 2;
      sixteenths += bit;
    }
  }
  return sixteenths;
}

/** Returns the best pages, at most so many: those that match all words, or, where none or too few do, the most telling ones. */
export function rankPages(words: readonly QueryWord[], hits: readonly Hits[], allPages: number, most: number): Ranked[] {
  const present = hits.filter((found) => found.pages > 0);
  if (present.length === 0) return [];
  const ranking = new Ranking(words, hits, allPages);
  const complete = present.length === hits.length ? findComplete(hits) : new Set<number>();
  const best = takeBest(Array.from(complete, (slot) => ranking.score(slot, [])), most);
  if (hits.length > 1 && best.length < Math.min(FEW, most)) {
    const share = hits.length === 2 ? SHARE_OF_TWO : best.length ? SHARE_BESIDE : SHARE_ALONE;
    best.push(...takeBest(ranking.relax(complete, share), most - best.length));
  }
  return best;
}

function takeBest(ranked: Ranked[], most: number): Ranked[] {
  return ranked.sort(compareRanked).slice(0, most);
}

/** Returns the slots with all words. A cut word keeps no page out, unless all words are cut: then any of them lets one in. */
function findComplete(hits: readonly Hits[]): Set<number> {
  const listed = hits.filter((found) => !found.cut);
  if (listed.length === 0) return new Set(hits.flatMap((found) => [...listSlots(found)]));
  const [first, ...others] = listed.sort((a, b) => a.titles.size + a.body.size - (b.titles.size + b.body.size));
  const slots = first ? [...listSlots(first)] : [];
  return new Set(slots.filter((slot) => others.every((found) => hasPage(found, slot))));
}

/** Returns the weight of each word of a name of so many words, in sixteenths. */
function shareOut(weight: number, units: number): number {
  return Math.max(1, Math.floor((weight * 1000) / Math.floor(Math.sqrt(units * 1_000_000)))) * EXACT;
}

class Ranking {
  private readonly rarity: readonly number[];
  private readonly wholeTitle: number;
  private readonly wholeAlias: number;

  constructor(
    words: readonly QueryWord[],
    private readonly hits: readonly Hits[],
    allPages: number,
  ) {
    this.rarity = hits.map((found) => weighRarity(Math.max(1, found.pages), allPages));
    const units = countUnits(words);
    this.wholeTitle = shareOut(TITLE, units);
    this.wholeAlias = shareOut(ALIAS, units);
  }

  /** Scores one page: its names, its best section, and half of what other sections have beyond that. */
  score(slot: number, missing: readonly number[]): Ranked {
    let names = 0;
    let shortness = 0;
    let least = this.wholeTitle;
    let anywhere = 0;
    const sections = new Map<number, number>();
    this.hits.forEach((found, number) => {
      const rarity = this.rarity[number] ?? 0;
      const title = found.titles.get(slot) ?? 0;
      names += Math.floor(title / 16) * rarity;
      shortness = Math.max(shortness, title % 16);
      least = Math.min(least, Math.floor(title / 16));
      const places = found.body.get(slot);
      if (!places) return;
      let most = 0;
      for (const [section, weight] of places) {
        sections.set(section, (sections.get(section) ?? 0) + weight * rarity);
        most = Math.max(most, weight);
      }
      anywhere += most * rarity;
    });
    const sorted = [...sections].sort(([a, x], [b, y]) => y - x || a - b);
    const best = sorted.slice(0, SECTIONS).map(([section]) => section);
    const inside = sorted[0]?.[1] ?? 0;
    let score = OF_TITLE * names + OF_BODY * (inside + Math.floor((anywhere - inside) / 2));
    score *= least >= this.wholeTitle ? 3 : least >= this.wholeAlias ? 2 : 1;
    const top = best[0] ?? 0;
    return { slot, section: least ? 0 : top, sections: best.length ? best : [0], score: score * 16 + shortness, missing };
  }

  /** Returns pages that lack words, if what they have makes up so many sixteenths of what the words that occur at all tell. */
  relax(known: ReadonlySet<number>, share: number): Ranked[] {
    const told = new Map<number, number>();
    let everything = 0;
    this.hits.forEach((found, number) => {
      const rarity = this.rarity[number] ?? 0;
      for (const slot of listSlots(found)) told.set(slot, (told.get(slot) ?? 0) + rarity);
      if (found.pages > 0) everything += rarity;
    });
    const relaxed: Ranked[] = [];
    for (const [slot, mass] of told) {
      if (known.has(slot) || mass * 16 < everything * share) continue;
      const missing = this.hits.flatMap((found, number) => (hasPage(found, slot) ? [] : [number]));
      const full = this.score(slot, missing);
      relaxed.push({ ...full, score: Math.floor((full.score * mass) / everything) });
    }
    return relaxed;
  }
}
