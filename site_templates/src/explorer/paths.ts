// The shortest way between two pages.

import { type Lists, type Mode, type Model, at } from "./model";

/** One page or folder on the way. */
export interface Step {
  /** -1 for a folder without an index page. */
  readonly page: number;
  /** Where the step is a folder. */
  readonly folder: number;
  /** How it hangs together with the step before: linked from there, links to there, related, or above and below. */
  readonly how: "" | "out" | "in" | "both" | "related" | "up" | "down";
}

/** Returns the steps from one page to another, both included; empty when there is no way. */
export function findPath(model: Model, mode: Mode, from: number, to: number): Step[] {
  if (from === to) return [{ page: from, folder: -1, how: "" }];
  if (mode === "folders") return climb(model, from, to);
  const sides = mode === "links" ? [model.out, model.into] : [model.related, model.relatedTo];
  const pages = search(sides.filter((side) => side !== undefined), model.count, from, to);
  return pages.map((page, place) => ({ page, folder: -1, how: place ? tell(model, mode, pages[place - 1] ?? 0, page) : "" }));
}

function search(sides: readonly Lists[], count: number, from: number, to: number): number[] {
  const before = new Int32Array(count).fill(-1);
  const queue = new Int32Array(count);
  before[from] = from;
  queue[0] = from;
  for (let head = 0, tail = 1; head < tail && at(before, to) < 0; head++) {
    const page = at(queue, head);
    for (const side of sides) {
      for (let place = at(side.start, page); place < at(side.start, page + 1); place++) {
        const next = at(side.to, place);
        if (at(before, next) >= 0) continue;
        before[next] = page;
        queue[tail++] = next;
      }
    }
  }
  if (at(before, to) < 0) return [];
  const pages = [to];
  while (pages[0] !== from) pages.unshift(at(before, pages[0] ?? from));
  return pages;
}

function tell(model: Model, mode: Mode, from: number, to: number): Step["how"] {
  if (mode === "related") return "related";
  const out = has(model.out, from, to);
  return out && has(model.out, to, from) ? "both" : out ? "out" : "in";
}

function has(lists: Lists, page: number, other: number): boolean {
  return lists.to.subarray(at(lists.start, page), at(lists.start, page + 1)).includes(other);
}

/** Up from one page to the folder that holds both, and down to the other. */
function climb(model: Model, from: number, to: number): Step[] {
  const up = chain(model, from);
  const down = chain(model, to);
  const top = up.find((folder) => down.includes(folder)) ?? 0;
  const folders = [...up.slice(0, up.indexOf(top) + 1), ...down.slice(0, down.indexOf(top)).reverse()];
  const turning = up.indexOf(top);
  const steps: Step[] = [{ page: from, folder: -1, how: "" }];
  for (const [place, folder] of folders.entries()) {
    const page = model.file.folders.index[folder] ?? -1;
    if (page !== from && page !== to) steps.push({ page, folder, how: place <= turning ? "up" : "down" });
  }
  return [...steps, { page: to, folder: -1, how: model.file.folders.index[top] === to ? "up" : "down" }];
}

function chain(model: Model, page: number): number[] {
  const folders: number[] = [];
  for (let folder = model.folder(page); folder >= 0; folder = model.file.folders.above[folder] ?? -1) folders.push(folder);
  return folders;
}
