// The table twin: the same pages, filters and choice as the picture, for keyboard and screen reader, and for browsers without WebGL.

import { make } from "../dom";
import { type Model, at, list } from "./model";
import { type Go, addressOf, stubButton } from "./panel";
import { type View, sayGroup } from "./view";

const ROWS = 100;

interface Column {
  readonly key: string;
  readonly name: string;
  readonly number?: boolean;
  compare(one: number, other: number): number;
  show(page: number): Node | string;
}

export function drawTable(place: HTMLElement, model: Model, view: View, go: Go): void {
  const columns = listColumns(model, view, go);
  const key = view.state.sort.replace(/^-/, "");
  const column = columns.find((one) => one.key === key);
  const pages = choose(model, view);
  const sign = view.state.sort.startsWith("-") ? -1 : 1;
  if (column) pages.sort((one, other) => sign * column.compare(one, other) || one - other);
  const first = Math.min(view.state.row, Math.max(0, pages.length - 1));
  const rows = pages.slice(first, first + ROWS).map((page) => {
    const row = make("tr", page === view.page ? { class: "is-chosen" } : {});
    for (const one of columns) row.append(make(one.key === "page" ? "th" : "td", { ...(one.key === "page" ? { scope: "row" } : {}), ...(one.number ? { class: "is-number" } : {}), dir: one.number ? "ltr" : "auto" }, one.show(page)));
    return row;
  });
  const head = make("tr", {}, ...columns.map((one) => heading(one, key, sign, go)));
  const caption = make("caption", {}, say(model, view, pages.length, first));
  const table = make("table", { class: "brain-graph__rows" }, caption, make("thead", {}, head), make("tbody", {}, ...rows));
  const box = make("div", { class: "brain-graph__scroll", tabindex: "0", role: "region", "aria-label": "Pages as a table" }, table);
  place.replaceChildren(box, ...pager(pages.length, first, go), ...listStubs(model, view, go));
}

/** The pages of the table: what passes the filters; of an open community, its own; of a way, its steps. */
function choose(model: Model, view: View): number[] {
  if (view.path.length) return view.path.flatMap((step) => (step.page >= 0 ? [step.page] : []));
  const pages = view.page >= 0 ? [view.page, ...view.neighbours] : Array.from({ length: model.count }, (_, page) => page);
  return pages.filter((page) => page === view.page || (at(view.fits, page) === 1 && (view.page >= 0 || view.group < 0 || at(model.file.group, page) === view.group)));
}

function listColumns(model: Model, view: View, go: Go): Column[] {
  const byText = (text: (page: number) => string) => (one: number, other: number): number => text(one).localeCompare(text(other), "en");
  const number = (key: string, name: string, value: (page: number) => number): Column => ({
    key, name, number: true, compare: (one, other) => value(other) - value(one), show: (page) => value(page).toLocaleString("en"),
  });
  const columns: Column[] = [
    { key: "page", name: "Page", compare: byText((page) => model.title(page)), show: (page) => make("a", { href: addressOf(model, page) }, model.title(page) || "…") },
    { key: "around", name: "Around it", compare: () => 0, show: (page) => around(model, page, go) },
    number("out", "Links to", (page) => list(model.out, page).length),
    number("in", "Linked from", (page) => list(model.into, page).length),
  ];
  if (view.mode === "related" && model.related) columns.push(number("related", "Related", (page) => list(model.related ?? model.out, page).length));
  const folder = (page: number): string => model.file.folders.path[model.folder(page)] ?? "";
  const group = (page: number): string => sayGroup(model, at(model.file.group, page));
  if (view.mode === "folders") columns.push({ key: "folder", name: "Folder", compare: byText(folder), show: folder });
  else columns.push({ key: "community", name: "Community", compare: byText(group), show: group });
  if (model.file.states.length) {
    const state = (page: number): readonly [string, string] | undefined => model.file.states[at(model.state, page)];
    columns.push({ key: "state", name: "State", compare: byText((page) => state(page)?.[1] ?? "~"), show: (page) => (state(page) ? make("span", { class: `brain-state brain-state--${state(page)?.[0]}` }, state(page)?.[1] ?? "") : "") });
  }
  return columns;
}

function around(model: Model, page: number, go: Go): HTMLElement {
  const button = make("button", { type: "button", class: "brain-graph__small", "aria-label": `Show what is around ${model.title(page)}` }, "Show");
  button.addEventListener("click", () => go({ page: model.place(page), to: undefined, stub: "", row: 0 }));
  return button;
}

function heading(column: Column, key: string, sign: number, go: Go): HTMLElement {
  const cell = make("th", { scope: "col", ...(column.number ? { class: "is-number" } : {}) });
  if (column.key === "around") {
    cell.append(column.name);
    return cell;
  }
  const sorted = column.key === key;
  // Numbers begin with the largest.
  const rising = (sign > 0) !== Boolean(column.number);
  if (sorted) cell.setAttribute("aria-sort", rising ? "ascending" : "descending");
  const button = make("button", { type: "button" }, column.name, make("span", { "aria-hidden": "true" }, sorted ? (rising ? " ↑" : " ↓") : ""));
  button.addEventListener("click", () => {
    go({ sort: sorted && sign > 0 ? `-${column.key}` : column.key, row: 0 });
    document.querySelector<HTMLElement>(`.brain-graph__rows th[aria-sort] button`)?.focus();
  });
  cell.append(button);
  return cell;
}

function say(model: Model, view: View, total: number, first: number): string {
  const what = view.path.length ? "The way" : view.page >= 0 ? `Around ${model.title(view.page)}` : view.group >= 0 ? sayGroup(model, view.group) : view.filtered ? "Pages that pass the filters" : "All pages";
  return total > ROWS ? `${what}: ${(first + 1).toLocaleString("en")}–${Math.min(first + ROWS, total).toLocaleString("en")} of ${total.toLocaleString("en")}` : `${what}: ${total.toLocaleString("en")}`;
}

function pager(total: number, first: number, go: Go): Node[] {
  if (total <= ROWS) return [];
  const step = (name: string, row: number): HTMLButtonElement => {
    const button = make("button", { type: "button", class: "brain-graph__small" }, name);
    button.disabled = row < 0 || row >= total;
    button.addEventListener("click", () => go({ row }));
    return button;
  };
  return [make("nav", { class: "brain-graph__pager", "aria-label": "Parts of the table" }, step("Previous", first > 0 ? Math.max(0, first - ROWS) : -1), step("Next", first + ROWS))];
}

function listStubs(model: Model, view: View, go: Go): Node[] {
  const { stubs } = model.file;
  if (!view.state.stubs) return [];
  const rows = stubs.names.slice(0, 500).map((_, stub) => make("li", {}, stubButton(model, stub, go), " ", make("small", {}, `${stubs.links[stub]} ${stubs.links[stub] === 1 ? "link" : "links"}`)));
  const more = stubs.all > rows.length ? ` The ${rows.length} most wanted of ${stubs.all.toLocaleString("en")}.` : "";
  return [make("h2", {}, "Stubs"), make("p", {}, `Linked, not written.${more}`), make("ul", { class: "brain-graph__stubs" }, ...rows)];
}
