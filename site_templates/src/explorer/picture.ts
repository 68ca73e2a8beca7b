// The picture: sigma draws dots and lines in WebGL, and two flat canvases below and above hold discs and names. Knows what is chosen, decides nothing.

import { createNodeBorderProgram } from "@sigma/node-border";
import Graph from "graphology";
import Sigma from "sigma";
import { EdgeArrowProgram, EdgeLineProgram, EdgeRectangleProgram, NodePointProgram } from "sigma/rendering";
import { type Box, type Disc, type Frame, drawBackdrop, drawNames, listFolders, listGroups } from "./backdrop";
import { type Colours, readColours } from "./colours";
import { type DotAttributes, type Drawing, type LineAttributes, drawDots, drawLines, placeOf, measure, placeOfStub, shrinkOf } from "./dots";
import { drawHover, drawLabel } from "./labels";
import { type Model, at } from "./model";
import type { View } from "./view";

/** What a reader does in the picture. */
export interface Deeds {
  choosePage(page: number): void;
  chooseStub(stub: number): void;
  openGroup(group: number): void;
  openFolder(folder: number): void;
  openPage(page: number): void;
  leave(): void;
}

/** Of larger brains, only the pages of what is open have dots. */
const MOST_DOTS = 12_000;
const MOST_NEAR = 700;
const SETTLED = 140;
/** Dots smaller than this, in pixels, are not for choosing: a click opens their community. */
const TINY = 2.4;

export function hasWebGl(): boolean {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl2"));
  } catch {
    return false;
  }
}

const still = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Picture {
  private readonly drawing: Drawing = new Graph<DotAttributes, LineAttributes>({ multi: false, type: "directed" });
  private readonly sigma: Sigma<DotAttributes, LineAttributes>;
  private readonly below: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;
  private colours: Colours;
  private discs: Disc[] = [];
  private size = 1;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private window = "";
  private shown: View | undefined;
  private readonly watch: ResizeObserver;
  /** Where names of dots have been written in this frame. */
  private readonly named: Box[] = [];

  constructor(
    private readonly place: HTMLElement,
    private readonly model: Model,
    private readonly deeds: Deeds,
  ) {
    this.colours = readColours(place);
    this.sigma = new Sigma<DotAttributes, LineAttributes>(this.drawing, place, {
      allowInvalidContainer: true,
      itemSizesReference: "positions",
      zoomToSizeRatioFunction: (ratio) => ratio,
      minCameraRatio: 0.004,
      maxCameraRatio: 2,
      enableCameraRotation: false,
      stagePadding: 24,
      zIndex: true,
      labelDensity: 0.6,
      labelGridCellSize: 110,
      labelRenderedSizeThreshold: 5.5,
      minEdgeThickness: 1.2,
      zoomDuration: still() ? 0 : 200,
      inertiaDuration: still() ? 0 : 200,
      defaultNodeType: "dot",
      nodeProgramClasses: { dot: NodePointProgram, ring: createNodeBorderProgram({ borders: [{ size: { value: 0.22 }, color: { attribute: "ringColor" } }, { size: { fill: true }, color: { attribute: "color" } }] }) },
      edgeProgramClasses: { line: EdgeRectangleProgram, thin: EdgeLineProgram, arrow: EdgeArrowProgram },
      defaultDrawNodeLabel: (context, node) => drawLabel(context, node, this.colours, { unit: this.sigma.scaleSize(1 / this.size), shrink: shrinkOf(this.size) }, this.named),
      defaultDrawNodeHover: (context, node) => drawHover(context, node, this.colours),
    });
    // Sigma hands these on, though its types do not say so.
    const [under, over] = [{ style: {}, beforeLayer: "edges" }, { style: {}, afterLayer: "labels" }];
    this.sigma.createCanvasContext("discs", under);
    this.sigma.createCanvasContext("names", over);
    const canvases = this.sigma.getCanvases();
    this.below = context(canvases.discs);
    this.above = context(canvases.names);
    this.sigma.resize(true);
    // Sigma asks the graphics card which dot is under the pointer, at every move, and waits for it; the places are known here.
    (this.sigma as unknown as { getNodeAtPosition: (point: { x: number; y: number }) => string | null }).getNodeAtPosition = (point) => this.find(point);
    this.listen();
    this.watch = new ResizeObserver(() => this.sigma.scheduleRefresh());
    this.watch.observe(place);
  }

  /** Shows a view; moves the camera when it is about something else than the last one. */
  show(view: View): void {
    const before = this.shown;
    this.shown = view;
    const turned = before?.mode !== view.mode;
    if (turned) {
      const { width, height, size } = measure(this.model, view.mode);
      this.size = size;
      // Of a few pages, the middle of a wider room.
      const [left, top] = [(Math.max(width, size * 0.75) - width) / size / 2, (Math.max(height, size * 0.6) - height) / size / 2];
      this.sigma.setCustomBBox({ x: [-left, width / size + left], y: [-top, height / size + top] });
      this.listDiscs();
    }
    drawDots(this.drawing, this.model, view, this.colours, this.chooseDots(view));
    this.window = "";
    this.drawNear();
    this.sigma.refresh();
    const other = !before || turned || before.page !== view.page || before.to !== view.to || before.group !== view.group || before.folder !== view.folder || before.stub !== view.stub;
    if (other) this.look(view, before === undefined || turned);
  }

  /** Reads the colours anew: the page has turned light or dark. */
  recolour(): void {
    this.colours = readColours(this.place);
    this.listDiscs();
    if (this.shown) this.show(this.shown);
  }

  zoom(factor: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.getBoundedRatio(camera.ratio * factor) }, { duration: still() ? 0 : 150 });
  }

  move(x: number, y: number): void {
    const camera = this.sigma.getCamera();
    const step = 0.12 * camera.ratio;
    void camera.animate({ x: camera.x + x * step, y: camera.y - y * step }, { duration: still() ? 0 : 120 });
  }

  fit(): void {
    this.fly({ x: 0.5, y: 0.5, ratio: 1 }, false);
  }

  close(): void {
    clearTimeout(this.settling);
    this.watch.disconnect();
    this.sigma.kill();
    this.drawing.clear();
  }

  private listDiscs(): void {
    const mode = this.shown?.mode ?? "links";
    this.discs = mode === "folders" ? listFolders(this.model, this.size, this.colours) : listGroups(this.model, this.size, this.colours);
  }

  private listen(): void {
    const { sigma, deeds } = this;
    sigma.on("clickNode", ({ node, event }) => {
      if (node.startsWith("s")) return deeds.chooseStub(Number(node.slice(1)));
      const page = Number(node);
      const group = at(this.model.file.group, page);
      const tiny = sigma.scaleSize(this.drawing.getNodeAttribute(node, "size")) < TINY;
      if (tiny && this.shown?.mode !== "folders") deeds.openGroup(group);
      else deeds.choosePage(page);
      event.preventSigmaDefault();
    });
    sigma.on("doubleClickNode", ({ node, event }) => {
      event.preventSigmaDefault();
      if (!node.startsWith("s")) deeds.openPage(Number(node));
    });
    sigma.on("clickStage", ({ event }) => {
      const point = sigma.viewportToGraph(event);
      const isHit = (disc: Disc): boolean => Math.hypot(disc.x - point.x, disc.y - point.y) <= disc.r;
      const folders = this.shown?.mode === "folders";
      // The innermost folder lies last.
      const hit = folders ? this.discs.reduce((found, disc, folder) => (isHit(disc) ? folder : found), -1) : this.discs.findIndex(isHit);
      if (folders && hit > 0 && hit !== this.shown?.folder) deeds.openFolder(hit);
      else if (!folders && hit >= 0 && hit !== this.shown?.group) deeds.openGroup(hit);
      else deeds.leave();
    });
    sigma.on("enterNode", () => this.place.classList.add("is-over"));
    sigma.on("leaveNode", () => this.place.classList.remove("is-over"));
    sigma.on("beforeRender", () => (this.named.length = 0));
    sigma.on("afterRender", () => this.drawFlat());
    sigma.getCamera().on("updated", () => {
      clearTimeout(this.settling);
      this.settling = setTimeout(() => this.drawNear(), SETTLED);
    });
  }

  /** Returns the dot at a point of the screen, the uppermost where several lie; a finger need not hit a small one exactly. */
  private find(point: { x: number; y: number }): string | null {
    const { x, y } = this.sigma.viewportToGraph(point);
    const slack = 2 / this.sigma.scaleSize(1);
    let found: string | null = null;
    let upper = -1;
    this.drawing.forEachNode((node, dot) => {
      const reach = dot.size + slack;
      if (dot.zIndex >= upper && (dot.x - x) ** 2 + (dot.y - y) ** 2 <= reach * reach) [found, upper] = [node, dot.zIndex];
    });
    return found;
  }

  private drawFlat(): void {
    const view = this.shown;
    if (!view) return;
    const frame = this.frame();
    drawBackdrop(this.below, this.discs, this.model, view, frame, this.colours);
    drawNames(this.above, this.discs, view, frame, this.colours);
  }

  private frame(): Frame {
    const { width, height } = this.sigma.getDimensions();
    const origin = this.sigma.graphToViewport({ x: 0, y: 0 });
    const corner = this.sigma.graphToViewport({ x: 1, y: 1 });
    const [sx, sy] = [corner.x - origin.x, corner.y - origin.y];
    return { x: (x) => origin.x + x * sx, y: (y) => origin.y + y * sy, scale: Math.abs(sx), width, height };
  }

  /** Draws the lines between the pages that are in sight, when there are not too many. */
  private drawNear(): void {
    const view = this.shown;
    if (!view) return;
    const pages = new Set<number>();
    const [low, high] = [this.sigma.viewportToGraph({ x: 0, y: 0 }), this.sigma.viewportToGraph({ x: this.sigma.getDimensions().width, y: this.sigma.getDimensions().height })];
    const [left, right, top, bottom] = [Math.min(low.x, high.x), Math.max(low.x, high.x), Math.min(low.y, high.y), Math.max(low.y, high.y)];
    for (let page = 0; page < this.model.count && pages.size <= MOST_NEAR; page++) {
      const [x, y] = placeOf(this.model, view.mode, page, this.size);
      if (x >= left && x <= right && y >= top && y <= bottom) pages.add(page);
    }
    if (pages.size > MOST_NEAR) pages.clear();
    const window = [...pages].join();
    if (window === this.window && window !== "") return;
    if (window === "" && this.window === "none") return;
    this.window = window || "none";
    drawLines(this.drawing, this.model, view, this.colours, pages);
  }

  private chooseDots(view: View): ReadonlySet<number> | undefined {
    if (this.model.count <= MOST_DOTS) return undefined;
    const pages = new Set<number>(view.neighbours);
    for (const step of view.path) if (step.page >= 0) pages.add(step.page);
    if (view.page >= 0) pages.add(view.page);
    if (view.stub >= 0) for (const page of this.model.stubsFrom[view.stub] ?? []) pages.add(page);
    const group = view.page >= 0 ? at(this.model.file.group, view.page) : view.group;
    for (let page = 0; page < this.model.count && pages.size < MOST_DOTS; page++) {
      if (at(this.model.file.group, page) === group || (view.filtered && at(view.fits, page) === 1)) pages.add(page);
    }
    return pages;
  }

  private look(view: View, first: boolean): void {
    const places: [number, number, number][] = [];
    const add = (page: number): unknown => page >= 0 && places.push([...placeOf(this.model, view.mode, page, this.size), 14 / this.size]);
    if (view.path.length) for (const step of view.path) add(step.page);
    else if (view.page >= 0) for (const page of [view.page, ...view.neighbours.slice(0, 60)]) add(page);
    else if (view.stub >= 0) {
      places.push([...placeOfStub(this.model, view.mode, view.stub, this.size), 14 / this.size]);
      for (const page of (this.model.stubsFrom[view.stub] ?? []).slice(0, 60)) add(page);
    } else if (view.group >= 0 && view.mode !== "folders") {
      const disc = this.discs[view.group];
      if (disc) places.push([disc.x, disc.y, disc.r]);
    } else if (view.folder >= 0 && view.mode === "folders") {
      const disc = this.discs[view.folder];
      if (disc) places.push([disc.x, disc.y, disc.r]);
    }
    if (!places.length) return this.fly({ x: 0.5, y: 0.5, ratio: 1 }, first);
    const [left, right] = [Math.min(...places.map(([x, , r]) => x - r)), Math.max(...places.map(([x, , r]) => x + r))];
    const [top, bottom] = [Math.min(...places.map(([, y, r]) => y - r)), Math.max(...places.map(([, y, r]) => y + r))];
    const { width, height } = this.sigma.getDimensions();
    const scale = this.frame().scale;
    const share = Math.max(((right - left) * scale) / (width * 0.82), ((bottom - top) * scale) / (height * 0.82), (80 / this.size) * (scale / Math.min(width, height)));
    const centre = this.sigma.viewportToFramedGraph(this.sigma.graphToViewport({ x: (left + right) / 2, y: (top + bottom) / 2 }));
    this.fly({ x: centre.x, y: centre.y, ratio: Math.min(1, share * this.sigma.getCamera().ratio) }, first);
  }

  private fly(to: { x: number; y: number; ratio: number }, first: boolean): void {
    const camera = this.sigma.getCamera();
    if (first || still()) camera.setState(to);
    else void camera.animate(to, { duration: 350, easing: "cubicInOut" });
  }
}

function context(canvas: HTMLCanvasElement | undefined): CanvasRenderingContext2D {
  const found = canvas?.getContext("2d");
  if (!found) throw new Error("this browser has no canvas");
  return found;
}
