// What the explorer knows: the files that the build wrote (indexer/publish/explorer_values.py), as columns over numbered pages. No part of the
// document, no picture. Whatever pages say is text in arrays and never a key of an object.

export const FORMAT = 1;

/** How pages hang together in a view. */
export type Mode = "links" | "folders" | "related";

export interface Overview {
  readonly format: number;
  readonly title: string;
  readonly pages: number;
  readonly links: number;
  readonly groups: {
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly r: readonly number[];
    readonly pages: readonly number[];
    /** Best connected page; -1: the group is the pages of a folder that no link reaches or leaves. */
    readonly hub: readonly number[];
    readonly name: readonly string[];
  };
  /** Flat: group, group, links between them; the strongest first. */
  readonly bonds: readonly number[];
  readonly relations: { readonly state: "found" | "waiting" | "unknown"; readonly why?: string };
}

export interface PagesFile {
  readonly format: number;
  readonly titles: readonly string[];
  readonly shared: readonly number[];
  readonly urls: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly group: readonly number[];
  readonly fx: readonly number[];
  readonly fy: readonly number[];
  readonly folder: readonly number[];
  readonly folders: {
    readonly path: readonly string[];
    readonly title: readonly string[];
    readonly above: readonly number[];
    readonly index: readonly number[];
    readonly x: readonly number[];
    readonly y: readonly number[];
    readonly r: readonly number[];
  };
  readonly links: readonly (readonly number[])[];
  readonly orphans: readonly number[];
  readonly hubs: readonly number[];
  readonly tags: readonly string[];
  readonly tagged: readonly (readonly number[])[];
  /** Style and words of each state that a document has here. */
  readonly states: readonly (readonly [string, string])[];
  readonly stated: readonly (readonly number[])[];
  readonly stubs: { readonly all: number; readonly names: readonly string[]; readonly links: readonly number[]; readonly from: readonly (readonly number[])[] };
}

export interface RelatedFile {
  readonly format: number;
  readonly related: readonly (readonly number[])[];
}

/** Lists of numbers for each page, in one array: those of page p are `to[start[p]]` up to `to[start[p + 1]]`. */
export interface Lists {
  readonly start: Int32Array;
  readonly to: Int32Array;
}

/** Returns an entry of a column; 0 where there is none. */
export function at(column: ArrayLike<number>, index: number): number {
  return column[index] ?? 0;
}

/** Returns the numbers that were written as distances; -4 = four times the next number. */
export function spell(short: readonly number[]): number[] {
  const numbers: number[] = [];
  let last = -1;
  for (const step of short) {
    if (step > 0) numbers.push((last += step));
    else for (let run = step; run < 0; run++) numbers.push((last += 1));
  }
  return numbers;
}

export function pack(lists: readonly (readonly number[])[]): Lists {
  const start = new Int32Array(lists.length + 1);
  for (const [page, list] of lists.entries()) start[page + 1] = at(start, page) + list.length;
  const to = new Int32Array(at(start, lists.length));
  for (const [page, list] of lists.entries()) to.set(list, at(start, page));
  return { start, to };
}

/** Returns the same lists the other way round. */
export function turn(lists: Lists, count: number): Lists {
  const start = new Int32Array(count + 1);
  for (const page of lists.to) start[page + 1] = at(start, page + 1) + 1;
  for (let page = 0; page < count; page++) start[page + 1] = at(start, page + 1) + at(start, page);
  const to = new Int32Array(lists.to.length);
  const next = start.slice();
  for (let page = 0; page < count; page++) {
    for (let place = at(lists.start, page); place < at(lists.start, page + 1); place++) {
      const target = at(lists.to, place);
      to[at(next, target)] = page;
      next[target] = at(next, target) + 1;
    }
  }
  return { start, to };
}

export function list(lists: Lists, page: number): Int32Array {
  return lists.to.subarray(at(lists.start, page), at(lists.start, page + 1));
}

export class Model {
  readonly count: number;
  readonly urls: readonly string[];
  readonly out: Lists;
  readonly into: Lists;
  /** Distinct pages linked either way. */
  readonly degree: Int32Array;
  readonly orphan: Uint8Array;
  readonly hub: Uint8Array;
  /** Place in `file.states`; -1 = no document. */
  readonly state: Int8Array;
  readonly stubsFrom: readonly (readonly number[])[];
  related: Lists | undefined;
  relatedTo: Lists | undefined;
  private readonly numbers: ReadonlyMap<string, number>;
  private tagSets: (ReadonlySet<number> | undefined)[] = [];

  constructor(
    readonly overview: Overview,
    readonly file: PagesFile,
  ) {
    this.count = file.titles.length;
    this.urls = spellUrls(file);
    this.numbers = new Map(this.urls.map((url, page) => [decode(url), page]));
    this.out = pack(file.links.map(spell));
    this.into = turn(this.out, this.count);
    this.degree = countDegrees(this);
    this.orphan = mark(this.count, spell(file.orphans));
    this.hub = mark(this.count, file.hubs);
    this.state = new Int8Array(this.count).fill(-1);
    for (const [state, pages] of file.stated.entries()) for (const page of spell(pages)) this.state[page] = state;
    this.stubsFrom = file.stubs.from.map(spell);
  }

  title(page: number): string {
    return this.file.titles[page] ?? "";
  }

  url(page: number): string {
    return this.urls[page] ?? "";
  }

  /** Returns how a page is called in the address of a view: where it lies, without escapes, or they would be escaped once more. */
  place(page: number): string {
    return decode(this.url(page));
  }

  /** Returns the page at a place, -1 for none. */
  find(place: string): number {
    return this.numbers.get(place) ?? -1;
  }

  folder(page: number): number {
    return at(this.file.folder, page);
  }

  /** Whether a page lies in a folder or below it. */
  isIn(page: number, folder: number): boolean {
    let above = this.folder(page);
    while (above >= 0 && above !== folder) above = this.file.folders.above[above] ?? -1;
    return above === folder;
  }

  hasTag(page: number, tag: number): boolean {
    return (this.tagSets[tag] ??= new Set(spell(this.file.tagged[tag] ?? []))).has(page);
  }

  setRelated(file: RelatedFile): void {
    this.related = pack(file.related.map((pairs) => pairs.filter((_, index) => index % 2 === 0)));
    this.relatedTo = turn(this.related, this.count);
  }

  /** Returns the pages beside a page, each once: linked either way, related either way, or the folder's. */
  neighbours(page: number, mode: Mode): number[] {
    if (mode === "folders") return this.relatives(page);
    const [out, into] = mode === "links" ? [this.out, this.into] : [this.related, this.relatedTo];
    return out && into ? [...new Set([...list(out, page), ...list(into, page)])] : [];
  }

  /** The index page of its folder, or that of the folder above; and, for an index page, the pages and folders it stands for. */
  private relatives(page: number): number[] {
    const { above, index } = this.file.folders;
    const own = this.folder(page);
    const found: number[] = [];
    for (let folder = index[own] === page ? (above[own] ?? -1) : own; folder >= 0; folder = above[folder] ?? -1) {
      const parent = index[folder] ?? -1;
      if (parent >= 0) {
        found.push(parent);
        break;
      }
    }
    if (index[own] === page) {
      for (let other = 0; other < this.count; other++) if (other !== page && this.folder(other) === own) found.push(other);
      for (const [folder, parent] of above.entries()) if (parent === own && (index[folder] ?? -1) >= 0) found.push(index[folder] ?? -1);
    }
    return found;
  }
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url; // its bytes are no text
  }
}

function spellUrls(file: PagesFile): string[] {
  let last = "";
  return file.urls.map((rest, page) => (last = last.slice(0, at(file.shared, page)) + rest));
}

function mark(count: number, pages: readonly number[]): Uint8Array {
  const marked = new Uint8Array(count);
  for (const page of pages) marked[page] = 1;
  return marked;
}

function countDegrees(model: Model): Int32Array {
  const degree = new Int32Array(model.count);
  const seen = new Int32Array(model.count).fill(-1);
  for (let page = 0; page < model.count; page++) {
    for (const lists of [model.out, model.into]) {
      for (let place = at(lists.start, page); place < at(lists.start, page + 1); place++) {
        const other = at(lists.to, place);
        if (at(seen, other) === page) continue;
        seen[other] = page;
        degree[page] = at(degree, page) + 1;
      }
    }
  }
  return degree;
}
