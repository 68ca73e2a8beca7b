// A query as typed → words, phrases, other forms. Twin of indexer/publish/search_query.py.

import { type Word, countPoints, findWords, pairRun, splitWord, writeAsOne } from "./tokens";

const LONGEST_QUERY = 400;
const MOST_WORDS = 16;
const SHORTEST_COMPLETED = 4;
const SPREAD = /^(?:[\uac00-\ud7a3]{3,}|.{4,})$/u;
const ARABIC = /^[\u0621-\u064a]{3,}$/;
const ARTICLE = "\u0627\u0644";
// Right behind a digit, `"` stands for inches; between Hebrew letters, for an abbreviation.
const PHRASE = /(?<![0-9])"([^"]*)"/;
const ABBREVIATED = /(?<=[\u05d0-\u05ea])"(?=[\u05d0-\u05ea])/g;
const POSSESSIVE = /(?<=[\p{L}\p{Nl}\p{No}])['’‘][sS](?![\p{L}\p{N}])/gu;
const CONTRACTED = /(?<![\p{L}\p{N}_.'’‘-])([A-Za-z]+['’‘](?:[TtDdMm]|[Rr][Ee]|[Vv][Ee]|[Ll][Ll]))(?![\p{L}\p{N}_])/u;
const RUN_TOGETHER = /^(?:((?:are|ca|could|did|do|does|had|has|have|is|must|need|should|was|were|wo|would)n)(t)|(they|you)(d|ll|re|ve))$/;
const VERSION = /^v?[0-9]+(?:\.[0-9]+)*$/;

/** Sixteenths of a weight that count for a word itself, another form of it, its completion, its parts. */
export const EXACT = 16;
export const NEAR = 12;
export const COMPLETED = 12;
export const IN_PARTS = 8;

export interface QueryWord {
  readonly typed: string;
  /** Folded; empty when only its parts can be looked up. */
  readonly whole: string;
  /** Parts of an identifier; pairs of a run. */
  readonly parts: readonly string[];
  readonly run: boolean;
  /** May still be being typed. */
  readonly last: boolean;
  readonly quoted: boolean;
  /** `don't` and `dont`, which are the same. */
  readonly contracted: boolean;
}

export interface Query {
  readonly words: readonly QueryWord[];
  /** As `spellPhrase` spells them. */
  readonly phrases: readonly string[];
}

export function parseQuery(query: string): Query {
  const text = Array.from(query).slice(0, LONGEST_QUERY).join("").replace(/[“”„]/g, '"').replace(ABBREVIATED, "\u05f4");
  const stretches = text.split(PHRASE);
  const words = new Map<string, QueryWord>();
  const phrases: string[] = [];
  stretches.forEach((stretch, number) => {
    const quoted = number % 2 === 1;
    const found = readWords(stretch, quoted);
    const last = found.at(-1);
    if (quoted && last) phrases.push(spellPhrase(stretch));
    const apart = last?.contracted && /['’‘]/.test(last.typed);
    if (last && number === stretches.length - 1 && !/\s$/.test(stretch) && !apart) found[found.length - 1] = { ...last, last: true };
    for (const word of found) {
      const key = word.whole || word.parts.join(" ");
      if (!words.has(key)) words.set(key, word);
    }
  });
  return { words: [...words.values()].slice(0, MOST_WORDS), phrases };
}

function readWords(stretch: string, quoted: boolean): QueryWord[] {
  const found: QueryWord[] = [];
  // The `s` of `Hume's` is no word: alone it says nothing, and completed it would be any word with s.
  stretch
    .replace(POSSESSIVE, "")
    .split(CONTRACTED)
    .forEach((piece, number) => {
      if (number % 2) {
        const parts = piece.toLowerCase().split(/['’‘]/);
        found.push({ typed: piece, whole: parts.join(""), parts, run: false, last: false, quoted, contracted: true });
        return;
      }
      for (const { raw } of findWords(piece)) {
        const word = splitWord(raw);
        if (word) found.push(readWord(raw, word, quoted));
      }
    });
  return found;
}

function readWord(raw: string, word: Word, quoted: boolean): QueryWord {
  const two = quoted || word.parts.length ? null : RUN_TOGETHER.exec(word.whole);
  const parts = two ? two.slice(1).filter(Boolean) : word.run ? pairRun(word.whole) : word.parts;
  return { typed: raw, whole: word.whole, parts, run: word.run, last: false, quoted, contracted: two !== null };
}

/** Returns how many words a name would have that is the query; a contraction is two there. */
export function countUnits(words: readonly QueryWord[]): number {
  const units = (word: QueryWord): number => (word.contracted ? word.parts.length : word.run ? Math.max(1, countPoints(word.whole) - 1) : 1);
  return words.reduce((sum, word) => sum + units(word), 0);
}

/** Tells whether longer words that begin with it count too. */
export function isCompleted(word: QueryWord): boolean {
  if (word.whole === "" || word.run || word.quoted) return false;
  return word.last || (countPoints(word.whole) >= SHORTEST_COMPLETED && !word.contracted);
}

/** Tells whether a word is numbers with dots or commas, whose parts say nothing apart: `2.10` is not 2 somewhere and 10 elsewhere. */
export function isVersion(word: QueryWord): boolean {
  return VERSION.test(word.whole);
}

/** Returns text as its folded words with one space between and around; at a run, none around. */
export function spellPhrase(text: string): string {
  const spelled = findWords(text)
    .map(({ raw }) => splitWord(raw))
    .filter((word) => word !== undefined);
  if (spelled.length === 0) return "";
  const before = spelled[0]?.run ? "" : " ";
  const after = spelled.at(-1)?.run ? "" : " ";
  return before + spelled.map((word) => word.whole || word.parts.join(" ")).join(" ") + after;
}

/** Returns other forms, to be looked up as well: without an English ending, written as one, Arabic with or without the article. */
export function nearForms(word: QueryWord): string[] {
  const whole = word.whole;
  if (word.quoted || word.run || word.contracted) return [];
  if (word.parts.length) return isVersion(word) && whole.startsWith("v") ? [whole.slice(1)] : writeAsOne(whole);
  if (ARABIC.test(whole)) return [whole.startsWith(ARTICLE) && whole.length > 4 ? whole.slice(2) : ARTICLE + whole];
  if (/^[a-z]+[bcdfghjklmnpqrstvwxz]y$/.test(whole)) return [`${whole.slice(0, -1)}ies`, `${whole.slice(0, -1)}ied`];
  if (!/^[a-z]{5,}$/.test(whole)) return [];
  if (whole.endsWith("ing")) return [...stems(whole.slice(0, -3)), `${whole.slice(0, -3)}e`];
  if (whole.endsWith("ies") || whole.endsWith("ied")) return [`${whole.slice(0, -3)}y`, whole.slice(0, -1)];
  if (whole.endsWith("ed")) return [...stems(whole.slice(0, -2)), whole.slice(0, -1)];
  if (whole.endsWith("es")) return [whole.slice(0, -1), whole.slice(0, -2)];
  return whole.endsWith("s") ? [whole.slice(0, -1)] : [];
}

/** `runn` of `running` is `run` as well. */
function stems(stem: string): string[] {
  return /^[a-z]+[aeiou]([bdgmnprt])\1$/.test(stem) ? [stem, stem.slice(0, -1)] : [stem];
}

/** Returns the query with the pairs of its long runs as words of their own; undefined without long runs. */
export function spreadRuns(query: Query): Query | undefined {
  const isLong = (word: QueryWord): boolean => word.run && SPREAD.test(word.whole);
  if (!query.words.some(isLong)) return undefined;
  const words = new Map<string, QueryWord>();
  for (const word of query.words) {
    const all = isLong(word)
      ? word.parts.map((pair) => ({ typed: pair, whole: pair, parts: [pair], run: true, last: false, quoted: false, contracted: false }))
      : [word];
    for (const one of all) if (!words.has(one.whole)) words.set(one.whole, one);
  }
  return { words: [...words.values()].slice(0, MOST_WORDS), phrases: [] };
}
