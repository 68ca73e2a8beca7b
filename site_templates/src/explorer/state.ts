// What the explorer shows, as it stands in the address: a view can be shared, and the back button leads to the one before.

import type { Mode } from "./model";

export interface State {
  readonly mode: Mode;
  readonly as: "picture" | "table";
  /** Where the chosen page lies below the site's root, without escapes; undefined = none. */
  readonly page: string | undefined;
  /** The page to find a way to. */
  readonly to: string | undefined;
  /** Name of a stub that is chosen. */
  readonly stub: string;
  /** Place of the hub whose community is open, or the folder of pages without a link. */
  readonly group: string | undefined;
  readonly tag: string;
  readonly folder: string;
  readonly state: string;
  readonly orphans: boolean;
  readonly stubs: boolean;
  /** Column by which the table is sorted, `-` before it for the other direction. */
  readonly sort: string;
  /** First row of the table. */
  readonly row: number;
}

export const START: State = {
  mode: "links", as: "picture", page: undefined, to: undefined, stub: "", group: undefined, tag: "", folder: "", state: "", orphans: false, stubs: false, sort: "", row: 0,
};

/** Returns what an address says; whatever it does not understand it leaves out. */
export function readState(query: string): State {
  const given = new URLSearchParams(query);
  const shown = (given.get("show") ?? "").split(",");
  const mode = given.get("by");
  const row = Number(given.get("row"));
  return {
    mode: mode === "folders" || mode === "related" ? mode : "links",
    as: given.get("as") === "table" ? "table" : "picture",
    page: given.get("page") ?? undefined,
    to: given.get("to") ?? undefined,
    stub: given.get("stub") ?? "",
    group: given.get("group") ?? undefined,
    tag: given.get("tag") ?? "",
    folder: given.get("folder") ?? "",
    state: given.get("state") ?? "",
    orphans: shown.includes("orphans"),
    stubs: shown.includes("stubs"),
    sort: given.get("sort") ?? "",
    row: Number.isInteger(row) && row > 0 ? row : 0,
  };
}

/** Returns the address of a state, without what is as at the start. */
export function writeState(state: State): string {
  const query = new URLSearchParams();
  if (state.mode !== "links") query.set("by", state.mode);
  if (state.as === "table") query.set("as", "table");
  for (const name of ["group", "page", "to"] as const) if (state[name] !== undefined) query.set(name, state[name]);
  for (const name of ["stub", "tag", "folder", "state"] as const) if (state[name]) query.set(name, state[name]);
  const shown = [state.orphans ? "orphans" : "", state.stubs ? "stubs" : ""].filter(Boolean).join(",");
  if (shown) query.set("show", shown);
  if (state.sort) query.set("sort", state.sort);
  if (state.row) query.set("row", String(state.row));
  const text = query.toString().replaceAll("%2F", "/").replaceAll("%2C", ",");
  return text ? `?${text}` : location.pathname;
}
