// Beside the picture and the table: what is chosen, in words. Everything the picture shows of a page can be read and followed here.

import { make, siteRoot } from "../dom";
import { type Model, at, list } from "./model";
import type { Step } from "./paths";
import type { State } from "./state";
import { type View, nameGroup, sayGroup, sayPages } from "./view";

export type Go = (change: Partial<State>) => void;

const FIRST = 40;

/** Returns the address of a page of the site. */
export function addressOf(model: Model, page: number): string {
  // "./": a first segment such as "a:b" would read as a scheme.
  return new URL(`./${model.url(page)}`, siteRoot()).href;
}

export function drawPanel(place: HTMLElement, model: Model, view: View, go: Go): void {
  const parts = view.page >= 0 ? showPage(model, view, go) : view.stub >= 0 ? showStub(model, view, go) : view.mode === "folders" ? showFolders(model, view, go) : view.group >= 0 ? showGroup(model, view, go) : showStart(model, view);
  place.replaceChildren(...parts);
}

/** A button that chooses a page. */
export function pageButton(model: Model, page: number, go: Go): HTMLButtonElement {
  const button = make("button", { type: "button", class: "brain-graph__page", dir: "auto" }, model.title(page) || "…");
  button.addEventListener("click", () => go({ page: model.place(page), to: undefined, stub: "" }));
  return button;
}

function showPage(model: Model, view: View, go: Go): Node[] {
  const { page } = view;
  const link = make("a", { class: "brain-graph__open", href: addressOf(model, page) }, "Open the page");
  const parts: Node[] = [closer(go), make("h2", { dir: "auto" }, model.title(page)), facts(model, page), make("p", {}, link)];
  if (view.to >= 0) parts.push(...showPath(model, view, go));
  if (view.mode === "links") {
    parts.push(...section("Links to", list(model.out, page), model, go, "It links to no page."), ...section("Linked from", list(model.into, page), model, go, "No page links to it."));
  } else if (view.mode === "folders") parts.push(...section("Beside it in the tree", view.neighbours, model, go, "Nothing is above or below it."));
  else if (model.related) parts.push(...section("Related, not linked", list(model.related, page), model, go, "No page is close to it."));
  const wanted = model.stubsFrom.flatMap((pages, stub) => (pages.includes(page) ? [stub] : []));
  if (view.mode === "links" && wanted.length) {
    parts.push(make("h3", {}, "Wants, not written ", count(wanted.length)), make("ul", {}, ...wanted.slice(0, FIRST).map((stub) => make("li", { dir: "auto" }, stubButton(model, stub, go)))));
  }
  return parts;
}

function facts(model: Model, page: number): HTMLElement {
  const state = model.file.states[at(model.state, page)];
  const group = at(model.file.group, page);
  const facts = make("ul", { class: "brain-graph__facts" });
  if (state) facts.append(make("li", {}, make("span", { class: `brain-state brain-state--${state[0]}` }, state[1])));
  const opens = make("button", { type: "button", class: "brain-graph__page", dir: "auto" }, sayGroup(model, group));
  opens.dataset.group = nameGroup(model, group);
  facts.append(make("li", {}, (model.overview.groups.hub[group] ?? -1) >= 0 ? "In the community of " : "", opens));
  const said = [at(model.hub, page) ? "A hub" : "", at(model.orphan, page) ? "An orphan: no page links to it" : ""].filter(Boolean);
  for (const words of said) facts.append(make("li", {}, words));
  return facts;
}

const HOW: Record<Step["how"], string> = {
  "": "", out: "links to", in: "is linked from", both: "links to, and is linked from", related: "is related to", up: "lies in", down: "holds",
};

function showPath(model: Model, view: View, go: Go): Node[] {
  if (!view.path.length) return [make("p", { class: "brain-graph__none" }, view.mode === "links" ? "No links lead from one to the other." : "There is no way from one to the other here.")];
  const steps = view.path.map((step) => {
    const name = step.page >= 0 ? pageButton(model, step.page, go) : make("span", { dir: "auto" }, model.file.folders.title[step.folder] ?? "");
    return make("li", {}, step.how ? make("small", {}, `${HOW[step.how]} `) : "", name);
  });
  const far = view.path.length - 1;
  return [make("h3", {}, `The shortest way: ${far === 1 ? "1 step" : `${far} steps`}`), make("ol", { class: "brain-graph__way" }, ...steps)];
}

function showStub(model: Model, view: View, go: Go): Node[] {
  const pages = model.stubsFrom[view.stub] ?? [];
  return [
    closer(go), make("h2", { dir: "auto" }, model.file.stubs.names[view.stub] ?? ""),
    make("p", {}, "A stub: pages link to it, and nobody has written it."), ...section("Linked from", pages, model, go, ""),
  ];
}

function showGroup(model: Model, view: View, go: Go): Node[] {
  const pages: number[] = [];
  for (let page = 0; page < model.count; page++) if (at(model.file.group, page) === view.group && view.fits[page]) pages.push(page);
  pages.sort((one, other) => at(model.degree, other) - at(model.degree, one) || one - other);
  const loose = (model.overview.groups.hub[view.group] ?? -1) < 0;
  const says = loose ? "No link leads to these pages, and none leaves them." : "A community: its pages link to each other more than to others. It has the name of its hub.";
  return [closer(go), make("h2", { dir: "auto" }, sayGroup(model, view.group)), make("p", {}, says), ...section("Pages", pages, model, go, "None of its pages passes the filters.")];
}

function showFolders(model: Model, view: View, go: Go): Node[] {
  const { path, title, above } = model.file.folders;
  const here = Math.max(view.folder, 0);
  const counts = new Int32Array(path.length);
  for (let page = 0; page < model.count; page++) for (let folder = model.folder(page); folder >= 0; folder = above[folder] ?? -1) counts[folder] = at(counts, folder) + 1;
  const inside = above.flatMap((parent, folder) => (parent === here && at(counts, folder) ? [folder] : []));
  const rows = inside.map((folder) => {
    const button = make("button", { type: "button", class: "brain-graph__page", dir: "auto" }, title[folder] ?? "");
    button.dataset.folder = path[folder] ?? "";
    return make("li", {}, button, " ", make("small", {}, sayPages(at(counts, folder))));
  });
  const pages: number[] = [];
  for (let page = 0; page < model.count; page++) if (model.folder(page) === here) pages.push(page);
  const head = make("h2", { dir: "auto" }, view.folder >= 0 ? (title[here] ?? "") : "Folders");
  const parts: Node[] = view.folder > 0 ? [closer(go), head] : [head];
  if (rows.length) parts.push(...folded(rows));
  return [...parts, ...section("Pages here", pages, model, go, "")];
}

function showStart(model: Model, view: View): Node[] {
  const groups = model.overview.groups.pages.map((pages, group) => [group, pages] as const);
  const relations = model.overview.relations;
  const parts: Node[] = [make("h2", {}, "Communities")];
  if (view.mode === "related" && relations.state !== "found") {
    parts.push(make("p", { class: "brain-graph__none" }, relations.state === "waiting" ? `Related pages have to wait: ${relations.why ?? ""}` : "Related pages have not been looked for yet. They are found by brain refresh."));
  }
  parts.push(make("p", {}, "Pages that link to each other more than to others, by the page that most of their links meet."));
  const rows = groups.map(([group, pages]) => {
    const button = make("button", { type: "button", class: "brain-graph__page", dir: "auto" }, sayGroup(model, group));
    button.dataset.group = nameGroup(model, group);
    return make("li", {}, button, " ", make("small", {}, sayPages(pages)));
  });
  parts.push(...folded(rows));
  return parts;
}

function section(title: string, pages: ArrayLike<number>, model: Model, go: Go, none: string): Node[] {
  const head = make("h3", {}, `${title} `, count(pages.length));
  if (!pages.length) return none ? [head, make("p", { class: "brain-graph__none" }, none)] : [];
  const rows = Array.from({ length: Math.min(pages.length, 2_000) }, (_, place) => make("li", {}, pageButton(model, at(pages, place), go)));
  return [head, ...folded(rows)];
}

/** A long list begins short. */
function folded(rows: HTMLElement[]): Node[] {
  const first = make("ul", {}, ...rows.slice(0, FIRST));
  const rest = rows.slice(FIRST);
  if (!rest.length) return [first];
  const more = make("button", { type: "button", class: "brain-graph__more" }, `Show ${rest.length.toLocaleString("en")} more`);
  more.addEventListener("click", () => {
    first.append(...rest);
    more.remove();
    rest[0]?.querySelector("button")?.focus();
  });
  return [first, more];
}

export function stubButton(model: Model, stub: number, go: Go): HTMLButtonElement {
  const name = model.file.stubs.names[stub] ?? "";
  const button = make("button", { type: "button", class: "brain-graph__page is-stub", dir: "auto" }, name);
  button.addEventListener("click", () => go({ stub: name, stubs: true, page: undefined, to: undefined }));
  return button;
}

function count(number: number): HTMLElement {
  return make("span", { class: "brain-count" }, number.toLocaleString("en"));
}

function closer(go: Go): HTMLElement {
  const button = make("button", { type: "button", class: "brain-icon-button brain-graph__close", "aria-label": "Close, and show everything" }, make("span", { class: "brain-icon brain-icon--close" }));
  button.addEventListener("click", () => go({ page: undefined, to: undefined, stub: "", group: undefined, folder: "" }));
  return button;
}
