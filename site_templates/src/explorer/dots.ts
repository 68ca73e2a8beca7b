// The dots and lines of the picture: which there are, where, how large and in which colour. Filled into a graph that sigma draws.

import Graph from "graphology";
import { branchOf, hueOf } from "./backdrop";
import { type Colours, mix } from "./colours";
import { type Model, at, list } from "./model";
import type { View } from "./view";

export interface DotAttributes {
  x: number;
  y: number;
  size: number;
  color: string;
  ringColor: string;
  type: "dot" | "ring";
  label: string | null;
  forceLabel: boolean;
  zIndex: number;
  chosen: boolean;
}

export interface LineAttributes {
  size: number;
  color: string;
  type: "line" | "thin" | "arrow";
  zIndex: number;
}

export type Drawing = Graph<DotAttributes, LineAttributes>;

const LEAF = 3.6;
const HUB = 5;
const LEAST = 240;
const GOLDEN = 2.399963229728653;
/** Of a brain with at most so many links, all lines are always there. */
const ALL_LINES = 1_500;
/** More lines than these at once say nothing. */
export const MOST_LINES = 2_500;
const MOST_NAMED = 40;
/** Of its related pages, each shows so many before one is chosen. */
const NEAREST = 2;

/** How far a picture reaches, in the units of the layout. */
export interface Extent {
  readonly width: number;
  readonly height: number;
  /** What 1 stands for: the longer side, and never so little that a few pages would fill the screen. */
  readonly size: number;
}

export function measure(model: Model, mode: View["mode"]): Extent {
  const { x, y, r } = mode === "folders" ? model.file.folders : model.overview.groups;
  let [width, height] = [1, 1];
  for (let disc = 0; disc < x.length; disc++) {
    width = Math.max(width, (x[disc] ?? 0) + (r[disc] ?? 0));
    height = Math.max(height, (y[disc] ?? 0) + (r[disc] ?? 0));
  }
  return { width, height, size: Math.max(width, height, LEAST) };
}

/** Returns the place of a page, both from 0 to 1. */
export function placeOf(model: Model, mode: View["mode"], page: number, size: number): [number, number] {
  const [x, y] = mode === "folders" ? [model.file.fx, model.file.fy] : [model.file.x, model.file.y];
  return [at(x, page) / size, at(y, page) / size];
}

/** Returns a stub's place: beside a page that wants it, each in a direction of its own. */
export function placeOfStub(model: Model, mode: View["mode"], stub: number, size: number): [number, number] {
  const page = (model.stubsFrom[stub] ?? []).reduce((best, other) => (at(model.degree, other) > at(model.degree, best) ? other : best), model.stubsFrom[stub]?.[0] ?? 0);
  const [x, y] = placeOf(model, mode, page, size);
  const reach = (8 + 2.5 * (stub % 3) + radiusOf(model, page, size)) / size;
  return [x + reach * Math.cos(stub * GOLDEN), y + reach * Math.sin(stub * GOLDEN)];
}

let most = { model: undefined as Model | undefined, degree: 1 };

/** Few pages fill the picture: their dots are smaller than the space they have, so that their names do not lie on each other. */
export function shrinkOf(size: number): number {
  return Math.min(1, Math.max(0.6, size / 600));
}

function radiusOf(model: Model, page: number, size: number): number {
  if (most.model !== model) most = { model, degree: model.degree.reduce((found, degree) => Math.max(found, degree), 10) };
  return shrinkOf(size) * (LEAF + HUB * Math.sqrt(at(model.degree, page) / most.degree));
}

/** Draws dots and lines anew; `shown` are the pages that get a dot, undefined for all. */
export function drawDots(drawing: Drawing, model: Model, view: View, colours: Colours, shown: ReadonlySet<number> | undefined): void {
  drawing.clear();
  const { size } = measure(model, view.mode);
  const near = new Set(view.neighbours);
  const way = new Set(view.path.map((step) => step.page));
  const focused = view.page >= 0 || view.stub >= 0;
  const wanting = new Set(view.stub >= 0 ? model.stubsFrom[view.stub] : []);
  const palette = new Palette(colours);
  for (let page = 0; page < model.count; page++) {
    if (shown && !shown.has(page)) continue;
    const [x, y] = placeOf(model, view.mode, page, size);
    const chosen = page === view.page || page === view.to || way.has(page);
    const lit = chosen || near.has(page) || wanting.has(page);
    const faint = (view.filtered && at(view.fits, page) === 0 && !chosen) || (focused && !lit);
    const hue = hueOfPage(model, view, page, colours);
    const orphan = view.state.orphans && at(model.orphan, page) === 1;
    drawing.addNode(String(page), {
      x, y,
      size: (view.mode === "folders" ? Math.min(radiusOf(model, page, size), 4.3) : radiusOf(model, page, size)) / size,
      color: chosen ? colours.accent : orphan && !faint ? colours.ground : palette.dot(hue, faint),
      ringColor: orphan && !faint ? colours.amber : colours.strong,
      type: chosen || orphan ? "ring" : "dot",
      label: faint && focused ? null : model.title(page),
      forceLabel: chosen || (lit && near.size + wanting.size <= MOST_NAMED),
      zIndex: chosen ? 3 : lit ? 2 : faint ? 0 : 1,
      chosen,
    });
  }
  if (view.state.stubs) drawStubs(drawing, model, view, colours, size);
}

function drawStubs(drawing: Drawing, model: Model, view: View, colours: Colours, size: number): void {
  for (const [stub, name] of model.file.stubs.names.entries()) {
    const pages = model.stubsFrom[stub] ?? [];
    if (!pages.some((page) => drawing.hasNode(String(page)))) continue;
    const [x, y] = placeOfStub(model, view.mode, stub, size);
    const chosen = stub === view.stub;
    const faint = !chosen && (view.stub >= 0 || (view.page >= 0 && !pages.includes(view.page)) || (view.filtered && !pages.some((page) => view.fits[page])));
    drawing.addNode(`s${stub}`, {
      x, y, size: 3.2 / size, color: colours.ground, ringColor: faint ? mix(colours.line, colours.ground, 0.35) : colours.grey, type: "ring",
      label: faint ? null : name, forceLabel: chosen, zIndex: chosen ? 3 : 1, chosen,
    });
  }
}

function hueOfPage(model: Model, view: View, page: number, colours: Colours): string {
  if (view.mode === "folders") {
    const branch = branchOf(model.file.folders.above, model.folder(page));
    return hueOf(branch, branch === 0, colours);
  }
  const group = at(model.file.group, page);
  return hueOf(group, at(model.overview.groups.hub, group) < 0, colours);
}

/** Mixing a colour costs more than drawing a dot: each is mixed once. */
class Palette {
  private readonly mixed = new Map<string, string>();

  constructor(private readonly colours: Colours) {}

  dot(hue: string, faint: boolean): string {
    const key = faint ? `${hue} faint` : hue;
    let found = this.mixed.get(key);
    if (!found) this.mixed.set(key, (found = mix(hue, this.colours.ground, faint ? 0.16 : 0.82)));
    return found;
  }
}

/** Draws the lines: of the chosen page and the way, of small brains all, of larger ones those between the pages in `window`. */
export function drawLines(drawing: Drawing, model: Model, view: View, colours: Colours, window: ReadonlySet<number>): void {
  const unit = 1 / measure(model, view.mode).size;
  const plain = { size: 0.35 * unit, color: mix(colours.line, colours.ground, 0.42), type: "thin", zIndex: 0 } as const;
  const pale = { ...plain, color: mix(colours.line, colours.ground, 0.15) };
  const sides = view.mode === "related" ? model.related : view.mode === "links" ? model.out : undefined;
  const lines = new Lines(drawing);
  drawChosen(lines, model, view, colours, unit);
  if (sides && view.page < 0 && view.stub < 0) {
    const all = sides.to.length <= ALL_LINES;
    const pages = all ? Array.from({ length: model.count }, (_, page) => page) : [...window];
    for (const page of pages) {
      for (const other of list(sides, page).subarray(0, view.mode === "related" ? NEAREST : undefined)) {
        if (lines.count >= MOST_LINES) return;
        if (all || window.has(other)) lines.add(String(page), String(other), view.filtered && !(view.fits[page] && view.fits[other]) ? pale : plain);
      }
    }
  }
  if (view.state.stubs && view.page < 0 && view.stub < 0 && model.file.stubs.names.length <= 300) {
    for (const [stub, pages] of model.stubsFrom.entries()) for (const page of pages.slice(0, 12)) lines.add(String(page), `s${stub}`, plain);
  }
}

function drawChosen(lines: Lines, model: Model, view: View, colours: Colours, unit: number): void {
  const strong = { size: 1.6 * unit, color: colours.accent, type: "line", zIndex: 3 } as const;
  const pages = view.path.filter((step) => step.page >= 0);
  for (const [place, step] of pages.entries()) {
    const before = pages[place - 1];
    if (before) lines.add(String(before.page), String(step.page), strong);
  }
  if (view.stub >= 0) for (const page of model.stubsFrom[view.stub] ?? []) lines.add(String(page), `s${view.stub}`, { size: 1.1 * unit, color: colours.grey, type: "arrow", zIndex: 2 });
  if (view.page < 0 || pages.length) return;
  const hue = mix(hueOfPage(model, view, view.page, colours), colours.ground, 0.75);
  const beside = { size: 1.1 * unit, color: view.mode === "related" ? mix(colours.violet, colours.ground, 0.75) : hue, type: "line", zIndex: 2 } as const;
  if (view.mode !== "links") for (const other of view.neighbours) lines.add(String(view.page), String(other), beside);
  else {
    for (const other of list(model.out, view.page)) lines.add(String(view.page), String(other), { ...beside, type: "arrow" });
    for (const other of list(model.into, view.page)) lines.add(String(other), String(view.page), { ...beside, type: "arrow" });
  }
  if (view.state.stubs) for (const [stub, from] of model.stubsFrom.entries()) if (from.includes(view.page)) lines.add(String(view.page), `s${stub}`, { ...beside, type: "arrow", color: colours.grey });
}

class Lines {
  count = 0;
  private readonly there = new Set<string>();

  constructor(private readonly drawing: Drawing) {
    drawing.clearEdges();
  }

  add(from: string, to: string, attributes: LineAttributes): void {
    const key = `${from}-${to}`;
    if (this.there.has(key) || from === to || !this.drawing.hasNode(from) || !this.drawing.hasNode(to)) return;
    this.there.add(key);
    this.count += 1;
    this.drawing.addEdgeWithKey(key, from, to, attributes);
  }
}
