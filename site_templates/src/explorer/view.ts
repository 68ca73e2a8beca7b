// What a state means for a model: numbers instead of names, and which pages pass the filters. Picture, table and panel all read this.

import { type Mode, type Model, at } from "./model";
import { type Step, findPath } from "./paths";
import type { State } from "./state";

export interface View {
  readonly state: State;
  readonly mode: Mode;
  readonly page: number;
  readonly to: number;
  readonly stub: number;
  readonly group: number;
  /** Number of the folder that the filter names; -1 for none. */
  readonly folder: number;
  /** 1 = passes the filters. */
  readonly fits: Uint8Array;
  readonly fitting: number;
  readonly filtered: boolean;
  readonly neighbours: readonly number[];
  readonly path: readonly Step[];
}

export function makeView(model: Model, state: State): View {
  const page = state.page === undefined ? -1 : model.find(state.page);
  const to = state.to === undefined || page < 0 ? -1 : model.find(state.to);
  const tag = state.tag ? model.file.tags.indexOf(state.tag) : -1;
  const folder = state.folder ? model.file.folders.path.indexOf(state.folder) : -1;
  const kind = model.file.states.findIndex(([css]) => css === state.state);
  const filtered = Boolean(state.tag || state.folder || state.state || state.orphans);
  const fits = new Uint8Array(model.count).fill(1);
  let fitting = model.count;
  if (filtered) {
    fitting = 0;
    for (let other = 0; other < model.count; other++) {
      const fit =
        (!state.tag || (tag >= 0 && model.hasTag(other, tag))) &&
        (!state.folder || (folder >= 0 && model.isIn(other, folder))) &&
        (!state.state || (kind >= 0 && at(model.state, other) === kind)) &&
        (!state.orphans || at(model.orphan, other) === 1);
      fits[other] = Number(fit);
      fitting += Number(fit);
    }
  }
  return {
    state,
    mode: state.mode,
    page,
    to,
    stub: state.stubs ? model.file.stubs.names.indexOf(state.stub) : -1,
    group: findGroup(model, state.group),
    folder,
    fits,
    fitting,
    filtered,
    neighbours: page >= 0 ? model.neighbours(page, state.mode) : [],
    path: page >= 0 && to >= 0 ? findPath(model, state.mode, page, to) : [],
  };
}

/** Returns how a group is called in an address: by its hub, or by its folder. */
export function nameGroup(model: Model, group: number): string {
  const hub = model.overview.groups.hub[group] ?? -1;
  return hub >= 0 ? model.place(hub) : `unlinked:${model.overview.groups.name[group] ?? ""}`;
}

function findGroup(model: Model, name: string | undefined): number {
  if (name === undefined) return -1;
  // The hub of a community may be another page by now: any page of it leads to it.
  const page = model.find(name);
  if (page >= 0) return at(model.file.group, page);
  return model.overview.groups.hub.findIndex((_, group) => nameGroup(model, group) === name);
}

/** Returns the words for a group, for people. */
export function sayGroup(model: Model, group: number): string {
  const name = model.overview.groups.name[group] ?? "";
  return (model.overview.groups.hub[group] ?? -1) >= 0 ? name : `No links: ${name === "/" ? "top level" : name.replace(/\/$/, "")}`;
}

export function sayPages(count: number): string {
  return count === 1 ? "1 page" : `${count.toLocaleString("en")} pages`;
}
