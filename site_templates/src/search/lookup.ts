// Which files a query needs, and which entries make up the hits of its words. Twin of indexer/publish/search_lookup.py.

import { type Entry, type Leaves, type WordFile, findLeaf, findLeaves, isPostings, splitPostings } from "./format";
import { type Hits, joinAll, joinAny, readHits } from "./hits";
import { COMPLETED, EXACT, IN_PARTS, NEAR, type QueryWord, isCompleted, isVersion, nearForms } from "./query";
import { comparePoints, countPoints } from "./tokens";

const TERMS_BYTES = 96_000;
const MOST_COMPLETIONS = 32;
const OWN_BYTES_OF_QUERY = 96_000;

export type Entries = ReadonlyMap<string, Entry>;

/** One token looked up for a word; its weights count for `share` sixteenths. */
interface Form {
  readonly token: string;
  readonly share: number;
}

/** All tokens looked up for a word: each of `single` alone, all of `together` in one section. */
export interface Forms {
  readonly single: readonly Form[];
  readonly together: readonly string[];
  /** Sixteenths that `together` counts for. */
  readonly share: number;
}

/** Chooses the files of terms to read for a query, within bounds. */
export class LeafChoice {
  readonly chosen = new Set<string>();
  private room = TERMS_BYTES;

  constructor(private readonly leaves: Leaves) {}

  /** Chooses what the words need themselves; returns those that there is room for. */
  addWords(words: readonly QueryWord[]): QueryWord[] {
    return words.filter((word) => this.add(ownTokens(word).map((token) => findLeaf(this.leaves, token))));
  }

  /** Chooses what parts, other forms and completions need, as far as there is room. */
  addForms(words: readonly QueryWord[]): void {
    for (const word of words) this.add(word.parts.map((token) => findLeaf(this.leaves, token)));
    for (const word of words) for (const token of nearForms(word)) this.add([findLeaf(this.leaves, token)]);
    for (const word of words) {
      if (!isCompleted(word)) continue;
      const names = findLeaves(this.leaves, word.whole);
      if (word.last || names.length === 1) this.add(names);
    }
  }

  /** Chooses what may complete words that do not occur as they are; returns the names added. */
  addBeginnings(words: readonly QueryWord[], entries: Entries): string[] {
    const before = new Set(this.chosen);
    for (const word of words) {
      if (word.whole === "" || word.run || word.quoted || word.contracted || entries.has(word.whole)) continue;
      for (const name of findLeaves(this.leaves, word.whole)) this.add([name]);
    }
    return [...this.chosen].filter((name) => !before.has(name));
  }

  private add(names: readonly string[]): boolean {
    const fresh = new Set(names.filter((name) => this.sizeOf(name) && !this.chosen.has(name)));
    let needed = 0;
    for (const name of fresh) needed += this.sizeOf(name);
    if (needed > this.room) return false;
    this.room -= needed;
    for (const name of fresh) this.chosen.add(name);
    return true;
  }

  private sizeOf(name: string): number {
    return this.leaves.get(name) ?? 0;
  }
}

function ownTokens(word: QueryWord): readonly string[] {
  return word.run || word.whole === "" ? word.parts : [word.whole];
}

/** Returns the tokens that stand for a word among those that occur. */
export function listForms(word: QueryWord, entries: Entries): Forms {
  let together = word.parts.every((part) => entries.has(part)) ? word.parts : [];
  if (together.length === 1 && !word.run && entries.has(word.whole)) together = []; // `c#` is not any `c`
  if (word.run || word.whole === "") return { single: [], together, share: EXACT };
  const single = new Map<string, number>();
  if (entries.has(word.whole)) single.set(word.whole, EXACT);
  for (const token of nearForms(word)) if (entries.has(token) && !single.has(token)) single.set(token, NEAR);
  if (isCompleted(word) || (!entries.has(word.whole) && !word.quoted && !word.contracted)) {
    const longer = [...entries].filter(([token]) => token.startsWith(word.whole) && !single.has(token));
    longer.sort(([token, entry], [other, its]) => countEntry(its) - countEntry(entry) || comparePoints(token, other));
    for (const [token] of longer.slice(0, MOST_COMPLETIONS)) single.set(token, shareCompletion(word, token));
  }
  if (single.size && isVersion(word)) together = [];
  const share = word.contracted || !single.size ? EXACT : IN_PARTS;
  return { single: Array.from(single, ([token, share]) => ({ token, share })), together, share };
}

/** A word being typed may become any longer one; of a finished one, only other forms are meant, which add few letters. */
function shareCompletion(word: QueryWord, token: string): number {
  const typed = countPoints(word.whole);
  const added = countPoints(token) - typed;
  return Math.max(3, word.last ? Math.floor((COMPLETED * typed) / (typed + added)) : COMPLETED - 2 * added);
}

function countEntry(entry: Entry): number {
  return isPostings(entry) ? entry.length : entry.pages;
}

/** Returns the frequent words whose own files to read, as far as allowed: words as typed first, rarer ones before others. */
export function listOwn(forms: readonly Forms[], entries: Entries): Map<string, string> {
  const order = new Map<string, { share: number; pages: number; bytes: number; file: string }>();
  for (const found of forms) {
    for (const { token, share } of [...found.single, ...found.together.map((part) => ({ token: part, share: EXACT }))]) {
      const entry = entries.get(token);
      if (!entry || isPostings(entry)) continue;
      order.set(token, { ...entry, share: Math.max(share, order.get(token)?.share ?? 0) });
    }
  }
  const sorted = [...order].sort(([token, a], [other, b]) => b.share - a.share || a.pages - b.pages || comparePoints(token, other));
  const chosen = new Map<string, string>();
  let room = OWN_BYTES_OF_QUERY;
  for (const [token, { bytes, file }] of sorted) {
    if (bytes > room) continue;
    room -= bytes;
    chosen.set(token, file);
  }
  return chosen;
}

/** Returns the hits of one word; `own` holds the files of frequent words that were read. */
export function findHits(forms: Forms, entries: Entries, own: ReadonlyMap<string, WordFile>): Hits {
  const read = ({ token, share }: Form): Hits => {
    const entry = entries.get(token) ?? [];
    if (isPostings(entry)) return readHits(...splitPostings(entry), share);
    const content = own.get(token);
    if (!content) return { titles: new Map(), body: new Map(), pages: entry.pages, cut: true };
    return readHits(content.titles, content.body, share, content.pages, content.cut);
  };
  const found = forms.single.map(read);
  if (forms.together.length) {
    found.push(joinAll(forms.together.map((token) => read({ token, share: EXACT })), forms.share));
  }
  return joinAny(found);
}
