// The controls above picture and table: find a page, what to go by, what to show, filters. They show the state and change it; they keep none.

import { make } from "../dom";
import type { Mode, Model } from "./model";
import { type PageField, makePageField } from "./page-field";
import type { Go } from "./panel";
import { type View, sayPages } from "./view";

const MOST_CHOICES = 400;
const MODES: [Mode, string][] = [["links", "Links"], ["folders", "Hierarchy"], ["related", "Related"]];

export interface Controls {
  readonly element: HTMLElement;
  show(view: View): void;
}

export function makeControls(model: Model, canDraw: boolean, go: Go): Controls {
  const find = makePageField(model, "Find a page", (page) => go(page >= 0 ? { page: model.place(page), to: undefined, stub: "" } : { page: undefined, to: undefined }));
  const way = makePageField(model, "Way to another page", (page) => go({ to: page >= 0 ? model.place(page) : undefined }));
  const modes = makeChoice("Go by", MODES, (mode) => go({ mode }));
  const looks = makeChoice<"picture" | "table">("Show as", [["picture", "Picture"], ["table", "Table"]], (as) => go({ as, row: 0 }));
  const tags = rank(model.file.tags.map((tag, index) => [tag, (model.file.tagged[index] ?? []).reduce((sum, step) => sum + (step > 0 ? 1 : -step), 0)]));
  const tag = makeSelect("Tag", "Any tag", tags.map(([name, count]) => [name, `#${name} (${count})`]), (value) => go({ tag: value, row: 0 }));
  const folders = model.file.folders.path.map((path) => [path, path] as [string, string]).filter(([path]) => path).slice(0, MOST_CHOICES);
  const folder = makeSelect("Folder", "Any folder", folders, (value) => go({ folder: value, row: 0 }));
  const state = makeSelect("State", "Any state", model.file.states.map(([css, words]) => [css, words]), (value) => go({ state: value, row: 0 }));
  const orphans = makeToggle(`Orphans`, model.orphan.reduce((sum, one) => sum + one, 0), (on) => go({ orphans: on, row: 0 }));
  const stubs = makeToggle(`Stubs`, model.file.stubs.all, (on) => go({ stubs: on, stub: "" }));
  const reset = make("button", { type: "button", class: "brain-graph__small" }, "Reset");
  reset.addEventListener("click", () => go({ tag: "", folder: "", state: "", orphans: false, stubs: false, stub: "", page: undefined, to: undefined, group: undefined, row: 0, sort: "" }));
  const status = make("p", { class: "brain-graph__status", role: "status" });
  if (!canDraw) looks.element.hidden = true;
  tag.element.hidden = tags.length === 0;
  folder.element.hidden = folders.length === 0;
  state.element.hidden = model.file.states.length === 0;
  const element = make(
    "div",
    { class: "brain-graph__controls", role: "group", "aria-label": "Controls of the graph" },
    make("div", { class: "brain-graph__row" }, find.element, way.element, modes.element, looks.element),
    make("div", { class: "brain-graph__row" }, tag.element, folder.element, state.element, orphans.element, stubs.element, reset, status),
  );
  const say = describe(model, canDraw);
  return {
    element,
    show(view) {
      find.set(view.page);
      way.set(view.to);
      way.element.hidden = view.page < 0;
      modes.set(view.mode);
      looks.set(canDraw ? view.state.as : "table");
      tag.set(view.state.tag);
      folder.set(view.state.folder);
      state.set(view.state.state);
      orphans.set(view.state.orphans);
      stubs.set(view.state.stubs);
      reset.hidden = !view.filtered && !view.state.stubs && view.page < 0 && view.group < 0 && !view.state.sort;
      const said = say(view);
      if (status.textContent !== said) status.textContent = said;
    },
  };
}

function describe(model: Model, canDraw: boolean): (view: View) => string {
  const all = `${sayPages(model.count)}, ${model.overview.links === 1 ? "1 link" : `${model.overview.links.toLocaleString("en")} links`}`;
  return (view) => {
    const drawn = canDraw ? "" : "This browser does not draw in WebGL; the table holds the same. ";
    if (view.mode === "related" && model.overview.relations.state !== "found") return `${drawn}Related pages have not been found yet.`;
    return drawn + (view.filtered ? `${view.fitting.toLocaleString("en")} of ${sayPages(model.count)}` : all);
  };
}

interface Control<T> {
  readonly element: HTMLElement;
  set(value: T): void;
}

function makeChoice<T extends string>(label: string, values: [T, string][], choose: (value: T) => void): Control<T> {
  const buttons = values.map(([value, name]) => {
    const button = make("button", { type: "button", "aria-pressed": "false" }, name);
    button.addEventListener("click", () => choose(value));
    return [value, button] as const;
  });
  return {
    element: make("div", { class: "brain-graph__choice", role: "group", "aria-label": label }, ...buttons.map(([, button]) => button)),
    set(chosen) {
      for (const [value, button] of buttons) button.setAttribute("aria-pressed", String(value === chosen));
    },
  };
}

function makeSelect(label: string, none: string, values: (readonly [string, string])[], choose: (value: string) => void): Control<string> {
  const select = make("select", { "aria-label": label, class: "brain-graph__select" }, make("option", { value: "" }, none));
  for (const [value, name] of values) select.append(make("option", { value }, name));
  select.addEventListener("change", () => choose(select.value));
  return {
    element: select,
    set(value) {
      // A shared address may name one that is not among the first.
      if (value && ![...select.options].some((option) => option.value === value)) select.append(make("option", { value }, value));
      select.value = value;
    },
  };
}

function makeToggle(label: string, count: number, choose: (on: boolean) => void): Control<boolean> {
  const button = make("button", { type: "button", class: "brain-graph__toggle", "aria-pressed": "false" }, label, " ", make("span", { class: "brain-count" }, count.toLocaleString("en")));
  button.disabled = count === 0;
  button.addEventListener("click", () => choose(button.getAttribute("aria-pressed") !== "true"));
  return { element: button, set: (on) => button.setAttribute("aria-pressed", String(on)) };
}

function rank(counted: [string, number][]): [string, number][] {
  return counted.sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).slice(0, MOST_CHOICES);
}

export type { PageField };
