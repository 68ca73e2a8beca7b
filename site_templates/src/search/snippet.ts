// Text of a section → the stretch to show, with what matches marked. Twin of indexer/publish/search_snippet.py; positions are code points.

import { countPoints, findWords, foldText, splitWord } from "./tokens";

const LENGTH = 200;
const LEAD = 60;
const TAIL = 30;
const LONGEST_MARK = 120;
const GAP = 2;

/** A stretch of text; `hit` where it matches the query. */
export interface Piece {
  readonly text: string;
  readonly hit: boolean;
}

/** What counts as a match of one word of the query. */
export interface Mark {
  readonly tokens: ReadonlySet<string>;
  /** Words that begin so match as well; empty = none. */
  readonly beginning: string;
  /** Characters of a script without spaces, marked inside longer runs. */
  readonly run: string;
  /** Parts of the word, marked where the text has none of the others: of `example.com`, no other `com`. */
  readonly parts: ReadonlySet<string>;
}

export interface Span {
  readonly start: number;
  readonly end: number;
  /** Number of the mark. */
  readonly word: number;
}

/** Returns the stretch of about 200 characters with the most different matches; without any, the beginning. */
export function cutSnippet(text: string, marks: readonly Mark[]): Piece[] {
  const chars = Array.from(text);
  const spans = findSpans(text, marks);
  const [first, last] = chooseWindow(spans);
  const start = findStart(chars, spans[first]?.start ?? 0);
  const end = findEnd(chars, start, spans.slice(first, last + 1));
  const pieces = markBetween(chars, spans, start, end);
  if (start > 0) pieces.unshift({ text: "…", hit: false });
  if (end < chars.length) pieces.push({ text: "…", hit: false });
  return merge(pieces);
}

/** Returns how many words of the query stand somewhere right behind the word before them, as they do in the query. */
export function countNeighbours(text: string, marks: readonly Mark[]): number {
  const spans = findSpans(text, marks);
  const pairs = new Set<number>();
  spans.slice(1).forEach((second, index) => {
    const first = spans[index];
    if (!first) return;
    const gap = second.start - first.end;
    if (second.word === first.word + 1 && gap >= 0 && gap <= GAP) pairs.add(second.word);
  });
  return pairs.size;
}

/** Returns the whole text with what matches marked. */
export function markText(text: string, marks: readonly Mark[]): Piece[] {
  const chars = Array.from(text);
  return merge(markBetween(chars, findSpans(text, marks), 0, chars.length));
}

/** Returns where words of the query stand in a text, in order and apart from each other; positions are UTF-16 units, `word` the number of the mark. */
export function findMatches(text: string, marks: readonly Mark[]): Span[] {
  const units = [0];
  for (const char of text) units.push((units.at(-1) ?? 0) + char.length);
  let end = 0;
  return findSpans(text, marks).flatMap((span) => {
    if (span.start < end) return [];
    end = span.end;
    return [{ ...span, start: units[span.start] ?? 0, end: units[span.end] ?? text.length }];
  });
}

function findSpans(text: string, marks: readonly Mark[]): Span[] {
  const spans: Span[] = [];
  const ofParts: Span[] = [];
  let units = 0;
  let points = 0;
  for (const { raw, start } of findWords(text)) {
    points += countPoints(text.slice(units, start));
    units = start;
    const word = splitWord(raw);
    if (!word) continue;
    const length = countPoints(raw);
    const tokens = [word.whole, ...word.parts, ...word.middle].filter(Boolean);
    marks.forEach((mark, number) => {
      const span = { start: points, end: points + length, word: number };
      if (word.run) spans.push(...findRun(raw, points, mark, number));
      else if (length > LONGEST_MARK) return;
      else if (tokens.some((token) => mark.tokens.has(token) || (mark.beginning !== "" && token.startsWith(mark.beginning)))) spans.push(span);
      else if (tokens.some((token) => mark.parts.has(token))) ofParts.push(span);
    });
  }
  const whole = new Set(spans.map((span) => span.word));
  spans.push(...ofParts.filter((span) => !whole.has(span.word)));
  return spans.sort((a, b) => a.start - b.start || a.end - b.end || a.word - b.word);
}

function findRun(raw: string, offset: number, mark: Mark, number: number): Span[] {
  const folded = foldText(raw);
  if (mark.run === "" || !folded.includes(mark.run)) return [];
  const length = countPoints(raw);
  if (countPoints(folded) !== length) return [{ start: offset, end: offset + length, word: number }];
  const spans: Span[] = [];
  const width = countPoints(mark.run);
  for (let at = folded.indexOf(mark.run); at >= 0; at = folded.indexOf(mark.run, at + mark.run.length)) {
    const start = offset + countPoints(folded.slice(0, at));
    spans.push({ start, end: start + width, word: number });
  }
  return spans;
}

/** Returns the numbers of the first and last match of the best stretch. */
function chooseWindow(spans: readonly Span[]): [first: number, last: number] {
  let chosen: [number, number] = [0, -1];
  let different = 0;
  let most = 0;
  spans.forEach((span, first) => {
    let last = first;
    while ((spans[last + 1]?.end ?? Infinity) <= span.start + LENGTH - LEAD) last++;
    const words = new Set(spans.slice(first, last + 1).map((other) => other.word)).size;
    const count = last - first + 1;
    if (words > different || (words === different && count > most)) {
      chosen = [first, last];
      different = words;
      most = count;
    }
  });
  return chosen;
}

function findStart(chars: readonly string[], first: number): number {
  let start = Math.max(0, first - LEAD);
  if (start === 0) return 0;
  const space = chars.indexOf(" ", start);
  if (space >= 0 && space < first) return space + 1;
  while (start > 0 && continues(chars, start)) start--;
  return start;
}

function findEnd(chars: readonly string[], start: number, spans: readonly Span[]): number {
  const needed = Math.max(start, ...spans.map((span) => span.end));
  let end = Math.max(needed, Math.min(chars.length, start + LENGTH));
  if (end === chars.length) return end;
  const space = chars.lastIndexOf(" ", end);
  if (space > start && space >= Math.max(needed, end - TAIL)) return space;
  while (end < chars.length && continues(chars, end)) end++;
  return end;
}

/** Tells whether the character here belongs to what readers see as one with the character before. */
function continues(chars: readonly string[], at: number): boolean {
  return /^[\p{M}\u200d\u{1f3fb}-\u{1f3ff}]$/u.test(chars[at] ?? "") || chars[at - 1] === "\u200d";
}

function markBetween(chars: readonly string[], spans: readonly Span[], start: number, end: number): Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  for (const span of spans) {
    if (span.start < at || span.end > end) continue;
    pieces.push({ text: chars.slice(at, span.start).join(""), hit: false }, { text: chars.slice(span.start, span.end).join(""), hit: true });
    at = span.end;
  }
  return [...pieces, { text: chars.slice(at, end).join(""), hit: false }];
}

function merge(pieces: readonly Piece[]): Piece[] {
  const merged: Piece[] = [];
  for (const piece of pieces) {
    const last = merged.at(-1);
    if (piece.text === "") continue;
    if (last && !last.hit && !piece.hit) merged[merged.length - 1] = { text: last.text + piece.text, hit: false };
    else merged.push(piece);
  }
  return merged;
}
