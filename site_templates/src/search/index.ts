// Searches the index of this site. Twin of indexer/publish/search_reader.py: the same files give the same results in the same order.
// What the index says is returned as plain text in plain objects; whoever shows it sets it as text, never as HTML.

import { FORMAT, INDEX, type Entry, type IndexFile, type Leaves, type PageRecord, type Section, type WordFile, namePages, namePart, nameTerms, readTree } from "./format";
import { Files, type Load, fetchBelow } from "./load";
import { LeafChoice, findHits, listForms, listOwn } from "./lookup";
import { type Query, type QueryWord, isCompleted, nearForms, parseQuery, spellPhrase, spreadRuns } from "./query";
import { type Ranked, rankPages } from "./rank";
import { type Mark, type Piece, type Span, countNeighbours, cutSnippet, findMatches, markText } from "./snippet";
import { comparePoints, countPoints } from "./tokens";

export type { Piece } from "./snippet";

const LIMIT = 20;
const SHORT_TEXT = 60;
const SMALL_WORDS = 5;

/** One page that was found, with its best section. */
export interface Result {
  readonly path: string;
  readonly title: string;
  /** Relative to the site's root, with `#` and the heading's id where the section is not the top of the page. */
  readonly url: string;
  /** Heading of the best section; empty at the top of the page. */
  readonly heading: string;
  /** Folders that the page lies in, outermost first. */
  readonly breadcrumbs: readonly string[];
  /** 1-based line of the section in the file. */
  readonly line: number;
  /** The snippet. */
  readonly pieces: readonly Piece[];
  /** Comparable within one query only. */
  readonly score: number;
  /** Words of the query that this page lacks: the search was relaxed. Empty when everything matches. */
  readonly missing: readonly string[];
}

export interface Search {
  search(query: string, options?: number | { readonly limit?: number }): Promise<Result[]>;
  /** Loads what every search needs. */
  prefetch(): Promise<void>;
}

/** Opens the index below an address, `…/_/search/`. Nothing is fetched before the first search. */
export function createSearch(baseUrl: string, load: Load = fetchBelow(baseUrl)): Search {
  const files = new Files(load);
  const answer = async (query: string, limit: number): Promise<Result[]> => {
    const parsed = parseQuery(query);
    if (parsed.words.length === 0 || limit < 1) return [];
    const search = new OneSearch(files, await loadIndex(files), limit);
    const results = await search.answer(parsed);
    const spread = results.length ? undefined : spreadRuns(parsed);
    return spread ? search.answer(spread, query.trim()) : results;
  };
  return {
    async search(query, options) {
      const limit = (typeof options === "number" ? options : options?.limit) ?? LIMIT;
      try {
        return await answer(query, limit);
      } catch {
        // The site may have been built anew since its index was read: ask once more, from the start.
        files.clear();
        return answer(query, limit);
      }
    },
    async prefetch() {
      await loadIndex(files);
    },
  };
}

/** Returns a text with the words of a query marked, as the results' snippets are. */
export function highlight(text: string, query: string): Piece[] {
  return markText(text, parseQuery(query).words.map(makeMark));
}

/** Returns where the words of a query stand in the text of a page, without the small words around them: of `how to tie a knot`, not every `to` and `a`. */
export function findFound(text: string, query: string): Span[] {
  const words = parseQuery(query).words;
  const found = findMatches(text, words.map(makeMark));
  const counts = words.map((_, number) => found.filter((span) => span.word === number).length);
  const fewest = Math.min(...counts.filter(Boolean));
  const isSmall = words.map((word, number) => !word.run && countPoints(word.whole) < 4 && (counts[number] ?? 0) > Math.max(SMALL_WORDS, SMALL_WORDS * fewest));
  return found.filter((span) => !isSmall[span.word]);
}

interface Index {
  readonly pages: number;
  readonly leaves: Leaves;
}

async function loadIndex(files: Files): Promise<Index> {
  const content = (await files.load(INDEX)) as IndexFile;
  if (content.format !== FORMAT) throw new Error("the search index is of another version");
  return { pages: content.pages, leaves: readTree(content.tree) };
}

/** Something to look up in the text: a phrase, numbered -1, or a run with the number of its word. */
interface Check {
  readonly number: number;
  readonly text: string;
}

class OneSearch {
  constructor(
    private readonly files: Files,
    private readonly index: Index,
    private readonly limit: number,
  ) {}

  async answer(query: Query, lacking = ""): Promise<Result[]> {
    const choice = new LeafChoice(this.index.leaves);
    const words = choice.addWords(query.words);
    choice.addForms(words);
    const entries = new Map<string, Entry>();
    await this.loadTerms([...choice.chosen], entries);
    await this.loadTerms(choice.addBeginnings(words, entries), entries);
    const forms = words.map((word) => listForms(word, entries));
    const files = [...listOwn(forms, entries)];
    const contents = await Promise.all(files.map(([, file]) => this.files.load(file)));
    const own = new Map(files.map(([token], number) => [token, contents[number] as WordFile]));
    const hits = forms.map((found) => findHits(found, entries, own));
    const checks = listChecks(words, query.phrases);
    const ranked = rankPages(words, hits, this.index.pages, checks.length ? this.limit * 3 : this.limit);
    const kept = checks.length ? await this.keepChecked(ranked, checks) : ranked;
    const marks = words.map(makeMark);
    const missing = (found: Ranked): string[] => (lacking ? [lacking] : found.missing.map((number) => words[number]?.typed ?? ""));
    const shown = await Promise.all(kept.map((found) => this.show(found, marks, missing(found))));
    return shown.sort(
      (a, b) => Number(a.missing.length > 0) - Number(b.missing.length > 0) || b.score - a.score || comparePoints(a.path, b.path),
    );
  }

  private async loadTerms(leaves: readonly string[], entries: Map<string, Entry>): Promise<void> {
    const contents = await Promise.all(leaves.map((leaf) => this.files.load(nameTerms(leaf))));
    for (const content of contents) for (const [token, entry] of Object.entries(content as Record<string, Entry>)) entries.set(token, entry);
  }

  private async record(slot: number): Promise<PageRecord> {
    const records = new Map(Object.entries((await this.files.load(namePages(slot))) as Record<string, PageRecord>));
    const record = records.get(String(slot));
    if (!record) throw new Error("the search index has changed");
    return record;
  }

  private async section(slot: number, number: number): Promise<Section> {
    const record = await this.record(slot);
    const starts = [0, ...(record.parts ?? [])];
    const part = starts.filter((start) => start <= number).length - 1;
    const sections = part ? ((await this.files.load(namePart(slot, part))) as readonly Section[]) : record.sections;
    const section = sections[number - (starts[part] ?? 0)];
    if (!section) throw new Error("the search index has changed");
    return section;
  }

  /** Keeps pages in which phrases and runs are found as they are, as many as wanted; looks at that many at a time. */
  private async keepChecked(ranked: readonly Ranked[], checks: readonly Check[]): Promise<Ranked[]> {
    const kept: Ranked[] = [];
    for (let at = 0; at < ranked.length && kept.length < this.limit; at += this.limit) {
      const checked = await Promise.all(ranked.slice(at, at + this.limit).map((found) => this.check(found, checks)));
      kept.push(...checked.filter((found) => found !== undefined));
    }
    return kept.slice(0, this.limit);
  }

  /** Looks phrases and runs up in names and text, for postings say only that their parts are there; leads to where they are. */
  private async check(found: Ranked, checks: readonly Check[]): Promise<Ranked | undefined> {
    const record = await this.record(found.slot);
    const names = [record.title, ...(record.aliases ?? []), record.path].map(spellPhrase);
    const wanted = checks.filter((check) => !found.missing.includes(check.number)).map((check) => check.text);
    const open = wanted.filter((check) => !names.some((name) => name.includes(check)));
    const unmet = new Set(open);
    if (open.length === 0) return found;
    for (const number of found.sections) {
      const [heading, , , text] = await this.section(found.slot, number);
      const spelled = [spellPhrase(heading), spellPhrase(text)];
      const met = open.filter((check) => spelled.some((one) => one.includes(check)));
      if (met.length === open.length) return { ...found, section: number };
      for (const check of met) unmet.delete(check);
    }
    return unmet.size ? undefined : found;
  }

  private async show(found: Ranked, marks: readonly Mark[], missing: readonly string[]): Promise<Result> {
    const record = await this.record(found.slot);
    const [heading, id, line, own] = await this.section(found.slot, found.section);
    const best = found.sections[0] ?? found.section;
    let text = own;
    if (countPoints(own) < SHORT_TEXT && best !== found.section) text = (await this.section(found.slot, best))[3];
    const shown = text || (record.sections.find((section) => section[3] !== "")?.[3] ?? "");
    let score = found.score;
    if (marks.length > 1) {
      const neighbours = Math.max(...[record.title, heading, text].map((name) => countNeighbours(name, marks)));
      score += Math.floor((score * neighbours) / (4 * (marks.length - 1)));
    }
    return {
      path: record.path,
      title: record.title,
      url: id ? `${record.url}#${id}` : record.url,
      heading,
      breadcrumbs: record.path.split("/").slice(0, -1),
      line,
      pieces: cutSnippet(shown, marks),
      score: score / 1000,
      missing,
    };
  }
}

/** Returns what has to be looked up in the text: phrases, and runs of three characters and more. */
function listChecks(words: readonly QueryWord[], phrases: readonly string[]): Check[] {
  const runs = words.map((word, number) => ({ number, text: word.run && countPoints(word.whole) > 2 ? word.whole : "" }));
  return [...phrases.map((text) => ({ number: -1, text })), ...runs.filter((check) => check.text !== "")];
}

/** Returns what is marked for one word. */
function makeMark(word: QueryWord): Mark {
  if (word.run) return { tokens: new Set(), beginning: "", run: word.whole, parts: new Set() };
  const parts = word.parts.length > 1 || !word.whole ? word.parts : []; // of `c++`, no other `c`
  const tokens = new Set([word.whole, ...nearForms(word)].filter(Boolean));
  return { tokens, beginning: isCompleted(word) ? word.whole : "", run: "", parts: new Set(parts) };
}
