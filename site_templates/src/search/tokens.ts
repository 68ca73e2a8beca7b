// Text → search words. Twin of indexer/parse/tokens.py, which explains it; both are held to tests/golden/search_tokens.json.

/** Code points of a token. */
export const LONGEST = 64;

// Scripts written without spaces between words.
const RUN_CHARACTERS =
  "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ebd\\u0ec0-\\u0ec4\\u0ec8-\\u0ece\\u0edc-\\u0edf\\u1000-\\u103f\\u1050-\\u109f\\u1100-\\u11ff" +
  "\\u1780-\\u17d3\\u17dc\\u17dd\\u2e80-\\u2fd5\\u3005-\\u3007\\u3021-\\u3029\\u3038-\\u303b\\u3041-\\u3096\\u3099\\u309a\\u309d-\\u309f\\u30a1-\\u30fa" +
  "\\u30fc-\\u30ff\\u3105-\\u312f\\u3131-\\u318e\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97c\\ua9e0-\\ua9ef\\ua9fa-\\ua9fe" +
  "\\uaa60-\\uaa7f\\uac00-\\ud7a3\\ud7b0-\\ud7fb\\uf900-\\ufaff\\uff66-\\uff9f\\uffa0-\\uffdc\\u{12000}-\\u{1cfff}\\u{20000}-\\u{323af}";
const INVISIBLE = "\\u00ad\\u200c\\u200d\\u2060";
const NO_MARK = `${RUN_CHARACTERS}\\u20d0-\\u20ff\\ufe00-\\ufe0f\\u{1d000}-\\u{1d3ff}\\u{1f200}-\\u{10ffff}`;
const LETTER = `(?![${RUN_CHARACTERS}\\u{1f200}-\\u{10ffff}])[\\p{L}\\p{N}_]`;
const ATOM = `${LETTER}(?:${LETTER}|(?![${NO_MARK}])\\p{M}|[${INVISIBLE}])*`;
const BRACKETED = "\\[[A-Za-z]{1,2}\\](?=[A-Za-z])";
const SUFFIX = "(?:\\+\\+(?![A-Za-z0-9_+])|#(?![A-Za-z0-9_#]))?";
const WORD = `(?:(?<![A-Za-z0-9_.])\\.)?(?:${BRACKETED})?${ATOM}(?:${BRACKETED}${ATOM}|[.\\-]${ATOM})*${SUFFIX}|[${RUN_CHARACTERS}]+`;

const WORDS = new RegExp(WORD, "gu");
const RUN_AT_START = new RegExp(`^[${RUN_CHARACTERS}]`, "u");
const ACCENTS = new RegExp(`[\\u0300-\\u036f${INVISIBLE}]`, "gu");
const ASCII = /^[\0-\x7f]*$/;
const CAMEL = /([a-z][0-9]*|[A-Z][0-9]+)(?=[A-Z])|([A-Z])(?=[A-Z][a-z]{2})/g;
const VERSION = /^v[0-9]+\.[0-9]/;

/** One word of a text as the search sees it. */
export interface Word {
  /** Folded; empty when only its parts count. */
  readonly whole: string;
  /** Smallest parts of an identifier, in order. */
  readonly parts: readonly string[];
  /** Parts that have parts themselves. */
  readonly middle: readonly string[];
  /** Characters of a script without spaces. */
  readonly run: boolean;
}

/** A word as it stands in a text; positions in UTF-16 units. */
export interface RawWord {
  readonly raw: string;
  readonly start: number;
}

export function findWords(text: string): RawWord[] {
  return Array.from(text.matchAll(WORDS), (match) => ({ raw: match[0], start: match.index }));
}

/** Lower case by full case folding where that differs: ß, final sigma, Cherokee, old forms of Cyrillic letters. */
function foldCase(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return char.toLowerCase();
  if (code === 0xdf || code === 0x1e9e) return "ss";
  if (code === 0x3c2) return "σ";
  if (code >= 0x13a0 && code <= 0x13f5) return char;
  if (code >= 0x13f8 && code <= 0x13fd) return String.fromCodePoint(code - 8);
  if (code >= 0xab70 && code <= 0xabbf) return String.fromCodePoint(code - 0x97d0);
  if (code >= 0x1c80 && code <= 0x1c88) return "вдосттъѣꙋ".charAt(code - 0x1c80);
  return char.toLowerCase();
}

/** Returns text as it is compared: compatibility forms, case, accents and invisible joiners folded away. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
  return Array.from(bare, foldCase).join("").normalize("NFC");
}

const known = new Map<string, Word | undefined>();
const KNOWN_AT_MOST = 5000;

/** Returns a word folded and split; undefined when nothing searchable is in it (`___`). Text repeats few words often, so they are kept. */
export function splitWord(raw: string): Word | undefined {
  if (known.has(raw)) return known.get(raw);
  if (known.size >= KNOWN_AT_MOST) known.clear();
  const word = ASCII.test(raw) ? splitPlain(raw) : splitOther(raw);
  known.set(raw, word);
  return word;
}

function splitPlain(raw: string): Word | undefined {
  const pieces = raw.split(/[^A-Za-z0-9]+/).filter(Boolean);
  if (pieces.length === 0) return undefined;
  const whole = raw.replace(/[[\]]/g, "").toLowerCase();
  const parts: string[] = [];
  const middle: string[] = [];
  for (const piece of pieces) {
    const humps = piece.replace(CAMEL, "$1$2 ").toLowerCase().split(" ");
    parts.push(...humps);
    if (humps.length > 1 && pieces.length > 1) middle.push(piece.toLowerCase());
  }
  if (VERSION.test(whole)) middle.push(whole.slice(1));
  if (parts.length === 1 && parts[0] === whole) return plain(whole);
  return { whole: whole.length > LONGEST ? "" : whole, parts: parts.map(cut), middle: middle.map(cut), run: false };
}

function splitOther(raw: string): Word | undefined {
  const folded = foldText(raw);
  if (RUN_AT_START.test(raw)) return { whole: folded, parts: [], middle: [], run: true };
  if (ASCII.test(folded)) return splitPlain(folded);
  const found = findWords(folded);
  if (found.length === 1 && found[0]?.raw === folded) {
    const pieces = folded.split(/[._+#-]+/).filter(Boolean);
    if (pieces.length === 1 && pieces[0] === folded) return plain(folded);
    return pieces.length ? { whole: countPoints(folded) > LONGEST ? "" : folded, parts: pieces.map(cut), middle: [], run: false } : undefined;
  }
  // Folding has opened the word up (`½` is `1⁄2`), or has made a run of it.
  const words = found.map((inner) => splitWord(inner.raw)).filter((word) => word !== undefined);
  const parts = words.flatMap((word) => (word.run ? pairRun(word.whole) : [word.whole, ...word.parts])).filter(Boolean);
  return { whole: "", parts, middle: [], run: false };
}

function plain(whole: string): Word {
  return { whole: cut(whole), parts: [], middle: [], run: false };
}

function cut(token: string): string {
  return token.length <= LONGEST ? token : Array.from(token).slice(0, LONGEST).join("");
}

/** Returns the adjacent pairs of a folded run, the single character of a run of one. */
export function pairRun(run: string): string[] {
  const chars = Array.from(run);
  return chars.length > 1 ? chars.slice(1).map((char, index) => (chars[index] ?? "") + char) : [run];
}

/** Returns how many code points a text has. */
export function countPoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Orders texts by code points, as Python does. */
export function comparePoints(a: string, b: string): number {
  const left = a[Symbol.iterator]();
  const right = b[Symbol.iterator]();
  for (;;) {
    const one = left.next();
    const other = right.next();
    if (one.done || other.done) return Number(other.done ?? false) - Number(one.done ?? false);
    const difference = (one.value.codePointAt(0) ?? 0) - (other.value.codePointAt(0) ?? 0);
    if (difference) return difference;
  }
}
