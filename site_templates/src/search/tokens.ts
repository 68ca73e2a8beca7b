// Text → search words. Twin of indexer/parse/tokens.py, which explains it; both are held to tests/golden/search_tokens.json.

/** Code points of a token. */
export const LONGEST = 64;

// Scripts written without spaces between words.
const RUN_CHARACTERS =
  "\\u0e01-\\u0e3a\\u0e40-\\u0e4e\\u0e81-\\u0ebd\\u0ec0-\\u0ec4\\u0ec8-\\u0ece\\u0edc-\\u0edf\\u1000-\\u103f\\u1050-\\u109f\\u1100-\\u11ff" +
  "\\u1780-\\u17d3\\u17dc\\u17dd\\u2e80-\\u2fd5\\u3005-\\u3007\\u3021-\\u3029\\u3038-\\u303b\\u3041-\\u3096\\u3099\\u309a\\u309d-\\u309f\\u30a1-\\u30fa" +
  "\\u30fc-\\u30ff\\u3105-\\u312f\\u3131-\\u318e\\u31a0-\\u31bf\\u31f0-\\u31ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\ua960-\\ua97c\\ua9e0-\\ua9ef\\ua9fa-\\ua9fe" +
  "\\uaa60-\\uaa7f\\uac00-\\ud7a3\\ud7b0-\\ud7fb\\uf900-\\ufaff\\uff66-\\uff9f\\uffa0-\\uffdc\\u{12000}-\\u{1cfff}\\u{20000}-\\u{323af}";
const PICTURES =
  "\\u231a\\u231b\\u2328\\u23cf\\u23e9-\\u23fa\\u2600-\\u2767\\u2794-\\u27bf\\u2b1b\\u2b1c\\u2b50\\u2b55\\u{1f1e6}-\\u{1f1ff}\\u{1f300}-\\u{1f3fa}" +
  "\\u{1f400}-\\u{1faff}";
const PICTURE = `(?:[\\u{1f1e6}-\\u{1f1ff}]{2}|[${PICTURES}])[\\ufe0e\\ufe0f\\u{1f3fb}-\\u{1f3ff}]*`;
const INVISIBLE = "\\u00ad\\u200c\\u200d\\u2060";
const NO_MARK = `${RUN_CHARACTERS}\\u20d0-\\u20ff\\ufe00-\\ufe0f\\u{1d000}-\\u{1d3ff}\\u{1f200}-\\u{10ffff}`;
const LETTER = `(?![${RUN_CHARACTERS}\\u{1f200}-\\u{10ffff}])[\\p{L}\\p{N}_]`;
const INNER = `(?:${LETTER}|(?![${NO_MARK}])\\p{M}|[${INVISIBLE}])`;
const ATOM = `${LETTER}${INNER}*`;
const BRACKETED = "\\[[A-Za-z]{1,2}\\](?=[A-Za-z])";
const SUFFIX = "(?:\\+\\+(?![A-Za-z0-9_+])|#(?![A-Za-z0-9_#]))?";
// Numbers written in groups of three.
const GROUPED = `(?<!${INNER}|[.,])(?<!${INNER}-)[0-9]{1,3}(?:,[0-9]{3})+(?:\\.[0-9]+)?(?!${INNER}|,[0-9]|\\.${LETTER})`;
const WORD = `${GROUPED}|(?:(?<![A-Za-z0-9_.])\\.)?(?:${BRACKETED})?${ATOM}(?:${BRACKETED}${ATOM}|[.\\-]${ATOM})*${SUFFIX}|[${RUN_CHARACTERS}]+|${PICTURE}(?:\\u200d${PICTURE})*`;

const WORDS = new RegExp(WORD, "gu");
const RUN_AT_START = new RegExp(`^[${RUN_CHARACTERS}]`, "u");
const ACCENTS = new RegExp(
  "[\\u0300-\\u036f\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u0640\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8" +
    `\\u06ea-\\u06ed\\u0711\\u0730-\\u074a\\ufe0e\\ufe0f\\u{1f3fb}-\\u{1f3ff}${INVISIBLE}]`,
  "gu",
);
const LETTERS = "ðd đd ħh ıi łl øo ŧt ɓb ɗd ƙk æae œoe þth \u0629\u0647 \u06c1\u0647 \u0649\u064a \u06cc\u064a \u06a9\u0643";
const ZEROS = "\u0660\u06f0\u0966\u09e6\u0a66\u0ae6\u0be6\u0c66\u0ce6\u0d66\u0e50\u0ed0\u1040\u17e0";
const PLAIN_FORMS = new Map(LETTERS.split(" ").map((pair) => [pair.charAt(0), pair.slice(1)]));
for (const zero of ZEROS) {
  for (let digit = 0; digit < 10; digit++) PLAIN_FORMS.set(String.fromCharCode(zero.charCodeAt(0) + digit), String(digit));
}
const ASCII = /^[\0-\x7f]*$/;
const CAMEL = /([a-z][0-9]*|[A-Z][0-9]+)(?=[A-Z])|([A-Z])(?=[A-Z][a-z]{2})/g;
const TWO_WORDS = /^([^._+#-]+)[.-]([^._+#-]+)$/;
// Not between two digits: `1_2` is not 12.
const SNAKE = /(?<=[^._+#-])_(?=[^._+#-])(?!(?<=[0-9]_)[0-9])/gu;
const JOINED_AT_MOST = 20;
const VERSION = /^v[0-9]+\.[0-9]/;

/** One word of a text as the search sees it. */
export interface Word {
  /** Folded, `userid` for `user_id` as for `userId`, `1000` for `1,000`; empty when only its parts count. */
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

function foldChar(char: string): string {
  const lower = foldCase(char);
  return PLAIN_FORMS.get(lower) ?? lower;
}

/** Returns text as it is compared: compatibility forms, case, accents, points and invisible joiners folded away, letters and digits plain. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  const bare = text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC");
  return Array.from(bare, foldChar).join("").normalize("NFC");
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
  const bare = raw.replace(/[[\],]/g, "").toLowerCase();
  const whole = bare.replace(SNAKE, "");
  const parts: string[] = [];
  const middle: string[] = [];
  for (const piece of pieces) {
    const humps = piece.replace(CAMEL, "$1$2 ").toLowerCase().split(" ");
    parts.push(...humps);
    if (humps.length > 1 && pieces.length > 1) middle.push(piece.toLowerCase());
  }
  if (VERSION.test(whole)) middle.push(whole.slice(1));
  middle.push(...writeAsOne(bare));
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
    if (pieces.length === 0) return undefined;
    const whole = countPoints(folded) > LONGEST ? "" : folded.replace(SNAKE, "");
    return { whole, parts: pieces.map(cut), middle: writeAsOne(folded), run: false };
  }
  // Folding has opened the word up (`½` is `1⁄2`), or has made a run of it.
  const words = found.map((inner) => splitWord(inner.raw)).filter((word) => word !== undefined);
  const parts = words.flatMap((word) => (word.run ? pairRun(word.whole) : [word.whole, ...word.parts])).filter(Boolean);
  return { whole: "", parts, middle: [], run: false };
}

/** Returns `email` for `e-mail`, `nodejs` for `node.js`: two words that are also written as one; nothing for other words. */
export function writeAsOne(whole: string): string[] {
  const two = TWO_WORDS.exec(whole);
  const joined = two && countPoints(whole) <= JOINED_AT_MOST ? `${two[1] ?? ""}${two[2] ?? ""}` : "";
  return joined && !/^[0-9]+$/.test(joined) ? [joined] : [];
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
