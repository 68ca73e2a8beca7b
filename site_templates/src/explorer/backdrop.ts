// What lies behind and above the dots: the discs of communities or folders, the links between communities, and the names of discs.

import type { Colours } from "./colours";
import type { Model } from "./model";
import { type View, sayGroup } from "./view";

/** Turns places of the picture, 0 to 1, into pixels. */
export interface Frame {
  readonly x: (x: number) => number;
  readonly y: (y: number) => number;
  /** Pixels for the whole picture. */
  readonly scale: number;
  readonly width: number;
  readonly height: number;
}

export interface Disc {
  readonly x: number;
  readonly y: number;
  readonly r: number;
  readonly name: string;
  readonly note: string;
  readonly hue: string;
  /** No community: pages without a link. */
  readonly loose: boolean;
  readonly depth: number;
}

/** Returns the discs of the groups, in places from 0 to 1. */
export function listGroups(model: Model, size: number, colours: Colours): Disc[] {
  const { x, y, r, pages, hub } = model.overview.groups;
  return x.map((left, group) => {
    const loose = (hub[group] ?? -1) < 0;
    const count = pages[group] ?? 0;
    return {
      x: left / size, y: (y[group] ?? 0) / size, r: (r[group] ?? 0) / size, name: sayGroup(model, group), note: count > 1 ? String(count) : "",
      hue: hueOf(group, loose, colours), loose, depth: 0,
    };
  });
}

/** Returns the discs of the folders, outermost first. */
export function listFolders(model: Model, size: number, colours: Colours): Disc[] {
  const { x, y, r, title, above } = model.file.folders;
  const depths: number[] = [];
  return x.map((left, folder) => {
    const depth = (above[folder] ?? -1) < 0 ? 0 : (depths[above[folder] ?? 0] ?? 0) + 1;
    depths[folder] = depth;
    return { x: left / size, y: (y[folder] ?? 0) / size, r: (r[folder] ?? 0) / size, name: title[folder] ?? "", note: "", hue: hueOf(branchOf(above, folder), depth === 0, colours), loose: false, depth };
  });
}

export function hueOf(group: number, loose: boolean, colours: Colours): string {
  return loose ? colours.grey : (colours.hues[group % colours.hues.length] ?? colours.grey);
}

/** Returns the folder below the root that a folder is in. */
export function branchOf(above: readonly number[], folder: number): number {
  let branch = folder;
  while ((above[branch] ?? -1) > 0) branch = above[branch] ?? 0;
  return branch;
}

function isSeen(disc: Disc, frame: Frame): boolean {
  const [x, y, r] = [frame.x(disc.x), frame.y(disc.y), disc.r * frame.scale];
  return x + r > 0 && y + r > 0 && x - r < frame.width && y - r < frame.height && r > 1.5;
}

/** Draws discs and the links between communities. */
export function drawBackdrop(context: CanvasRenderingContext2D, discs: readonly Disc[], model: Model, view: View, frame: Frame, colours: Colours): void {
  context.clearRect(0, 0, frame.width, frame.height);
  if (view.mode === "links") drawBonds(context, discs, model.overview.bonds, frame, colours);
  for (const [number, disc] of discs.entries()) {
    if (!isSeen(disc, frame)) continue;
    const open = view.mode !== "folders" && number === view.group;
    context.beginPath();
    context.arc(frame.x(disc.x), frame.y(disc.y), disc.r * frame.scale, 0, 2 * Math.PI);
    // Opaque, so that links between others do not shine through.
    context.globalAlpha = 1;
    context.fillStyle = colours.ground;
    if (view.mode !== "folders") context.fill();
    context.globalAlpha = view.mode === "folders" ? (disc.depth ? 0.07 : 0.03) : open ? 0.16 : 0.09;
    context.fillStyle = disc.hue;
    context.fill();
    context.globalAlpha = open ? 0.95 : 0.4;
    context.strokeStyle = disc.hue;
    context.lineWidth = open ? 2 : 1;
    context.setLineDash(disc.loose ? [3, 4] : []);
    context.stroke();
  }
  context.setLineDash([]);
  context.globalAlpha = 1;
}

function drawBonds(context: CanvasRenderingContext2D, discs: readonly Disc[], bonds: readonly number[], frame: Frame, colours: Colours): void {
  // Near by, the links of the pages themselves are shown.
  const largest = Math.max(...discs.map((disc) => disc.r)) * frame.scale;
  const strength = Math.min(1, Math.max(0, 1.6 - largest / 260));
  if (strength === 0) return;
  context.strokeStyle = colours.line;
  for (let place = 0; place < bonds.length; place += 3) {
    const [one, other, links] = [discs[bonds[place] ?? 0], discs[bonds[place + 1] ?? 0], bonds[place + 2] ?? 0];
    if (!one || !other) continue;
    const [x1, y1, x2, y2] = [frame.x(one.x), frame.y(one.y), frame.x(other.x), frame.y(other.y)];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [from, to] = [(one.r * frame.scale) / length, 1 - (other.r * frame.scale) / length];
    if (from >= to) continue;
    context.globalAlpha = strength * Math.min(0.3, 0.08 + 0.04 * Math.log2(links + 1));
    context.lineWidth = Math.min(5, 0.6 + 0.6 * Math.log2(links + 1));
    context.beginPath();
    context.moveTo(x1 + (x2 - x1) * from, y1 + (y2 - y1) * from);
    context.lineTo(x1 + (x2 - x1) * to, y1 + (y2 - y1) * to);
    context.stroke();
  }
  context.globalAlpha = 1;
}

/** Left, top, right and bottom, in pixels. */
export type Box = readonly [number, number, number, number];

export function overlaps(box: Box, others: readonly Box[]): boolean {
  return others.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
}

/** Writes the names of discs, the largest first, where they do not run into each other. */
export function drawNames(context: CanvasRenderingContext2D, discs: readonly Disc[], view: View, frame: Frame, colours: Colours): void {
  context.clearRect(0, 0, frame.width, frame.height);
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const taken: Box[] = [];
  const seen = discs.filter((disc) => isSeen(disc, frame) && disc.name).sort((one, other) => other.r - one.r);
  for (const disc of seen) {
    const r = disc.r * frame.scale;
    const folders = view.mode === "folders";
    if (r < (disc.loose ? 22 : 14) || (folders && disc.depth === 0) || r > Math.max(frame.width, frame.height)) continue;
    const size = Math.min(16, Math.max(11.5, r / (folders ? 7 : 5)));
    const x = frame.x(disc.x);
    // At the upper rim, where no dot is; of a disc that reaches out of sight, at the edge of the picture.
    const y = Math.max(frame.y(disc.y) - r, 14);
    if (y > frame.y(disc.y) + r * 0.5) continue;
    context.font = `${disc.loose ? 500 : 640} ${size}px ${colours.font}`;
    const text = shorten(disc.name, Math.max(9, Math.floor((3.1 * r) / (size * 0.52)))) + (disc.note && r > 30 ? `  ${disc.note}` : "");
    const half = context.measureText(text).width / 2 + 4;
    const box: Box = [x - half, y - size * 0.75, x + half, y + size * 0.75];
    if (overlaps(box, taken)) continue;
    taken.push(box);
    context.strokeStyle = colours.ground;
    context.lineWidth = 4;
    context.strokeText(text, x, y);
    context.fillStyle = disc.loose ? colours.muted : colours.strong;
    context.fillText(text, x, y);
  }
}

export function shorten(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join("").trimEnd()}…` : text;
}
