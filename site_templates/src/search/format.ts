// The files of the search index: names, the tree of terms, postings. Twin of indexer/publish/search_format.py and search_tree.py.

export const FORMAT = "brainpress-search/1";
export const INDEX = "index.json";

const SLOTS_PER_FILE = 128;
const DEEPEST = 200;
const TITLE_STEP = 1024;

/** The file that is read first. */
export interface IndexFile {
  readonly format: string;
  readonly pages: number;
  readonly bits: number;
  readonly tree: readonly number[];
}

/** A word's postings: names first, as a list of their own, if there are any. */
export type Postings = readonly (number | readonly number[])[];

/** Where a frequent word's postings are. */
export interface Stub {
  readonly pages: number;
  readonly cut: boolean;
  readonly file: string;
  readonly bytes: number;
}

export type Entry = Postings | Stub;

/** A file of one frequent word. */
export interface WordFile {
  readonly pages: number;
  readonly cut: boolean;
  readonly titles: readonly number[];
  readonly body: readonly number[];
}

/** Heading, its id, line, text. */
export type Section = readonly [heading: string, id: string, line: number, text: string];

export interface PageRecord {
  readonly path: string;
  readonly url: string;
  readonly title: string;
  readonly aliases?: readonly string[];
  /** First section of each further part. */
  readonly parts?: readonly number[];
  readonly sections: readonly Section[];
}

export function isPostings(entry: Entry): entry is Postings {
  return Array.isArray(entry);
}

export const nameTerms = (bits: string): string => `terms/t${bits}.json`;
export const namePages = (slot: number): string => `pages/${Math.floor(slot / SLOTS_PER_FILE)}.json`;
export const namePart = (slot: number, part: number): string => `parts/${slot}-${part}.json`;

/** Leaf name → bytes of entries. The name is the beginning of the tokens' UTF-8, bit by bit. */
export type Leaves = ReadonlyMap<string, number>;

export function readTree(tree: readonly number[]): Leaves {
  const leaves = new Map<string, number>();
  const open = [""];
  for (const number of tree) {
    for (let nodes = -number; nodes > 0; nodes--) {
      const name = open.pop() ?? "";
      open.push(`${name}1`, `${name}0`);
    }
    if (number >= 0) leaves.set(open.pop() ?? "", number);
  }
  return leaves;
}

function spellBits(token: string): string {
  const bytes = new TextEncoder().encode(token).subarray(0, DEEPEST / 8);
  return Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
}

/** Returns the leaf that holds this token, if any does. */
export function findLeaf(leaves: Leaves, token: string): string {
  const bits = spellBits(token).padEnd(DEEPEST, "0");
  for (let depth = 0; depth <= DEEPEST; depth++) if (leaves.has(bits.slice(0, depth))) return bits.slice(0, depth);
  throw new Error("the tree of the search index is incomplete");
}

/** Returns the leaves that can hold tokens beginning so, in order. */
export function findLeaves(leaves: Leaves, prefix: string): string[] {
  const bits = spellBits(prefix);
  return [...leaves.keys()].filter((name) => name.startsWith(bits) || bits.startsWith(name)).sort();
}

/** Gives slot and weight (16 × 1–63, plus shortness of the path) of each page with the word in its names. */
export function* readTitles(numbers: Iterable<number>): Generator<[slot: number, weight: number]> {
  let slot = -1;
  for (const number of numbers) {
    slot += Math.floor(number / TITLE_STEP);
    yield [slot, number % TITLE_STEP];
  }
}

/** Returns slot → section → weight × share. */
export function readBody(numbers: Iterable<number>, share: number): Map<number, Map<number, number>> {
  const body = new Map<number, Map<number, number>>();
  let places = new Map<number, number>();
  let slot = -1;
  let section = 0;
  for (const number of numbers) {
    if (number > 0) {
      slot += Math.floor(number / 16);
      section = 0;
      places = new Map();
      body.set(slot, places);
      if (number % 16) places.set(0, (number % 16) * share);
    } else {
      section += Math.floor(-number / 16);
      places.set(section, (-number % 16) * share);
    }
  }
  return body;
}

/** Returns the names and the body of a word's postings. */
export function splitPostings(postings: Postings): [titles: readonly number[], body: readonly number[]] {
  const first = postings[0];
  return Array.isArray(first) ? [first as readonly number[], postings.slice(1) as number[]] : [[], postings as readonly number[]];
}
