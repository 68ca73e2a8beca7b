// The names of dots, on the flat canvas that sigma lays over them.

import { type Box, overlaps, shorten } from "./backdrop";
import type { Colours } from "./colours";

interface Labelled {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly label: string | null;
  readonly forceLabel?: unknown;
  readonly chosen?: unknown;
}

const LONGEST = 36;

/** How close the dots are. */
interface Closeness {
  /** Pixels of one unit of the layout. */
  readonly unit: number;
  /** Of what dots have in a picture of many pages. */
  readonly shrink: number;
}

/** Writes a name, unless the dots are too close for it or another name is there: `taken` are the places of those that were written. */
export function drawLabel(context: CanvasRenderingContext2D, node: Labelled, colours: Colours, { unit, shrink }: Closeness, taken: Box[]): void {
  if (!node.label) return;
  const least = unit < 1.9 ? Number.POSITIVE_INFINITY : unit < 4.5 ? 5.2 * unit * shrink : 0;
  if (node.size < least && !node.forceLabel) return;
  const chosen = node.chosen === true;
  context.font = `${chosen ? 650 : 500} ${chosen ? 14 : 12.5}px ${colours.font}`;
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const text = shorten(node.label, chosen ? 60 : LONGEST);
  const width = context.measureText(text).width;
  const away = node.size + 4;
  // At the right edge of the picture there is no room for it but on the left.
  const turned = node.x + away + width > context.canvas.clientWidth && node.x - away - width > 0;
  const x = turned ? node.x - away : node.x + away;
  const left = turned ? x - width : x;
  const box: Box = [left - 2, node.y - 9, left + width + 2, node.y + 9];
  if (!node.forceLabel && overlaps(box, taken)) return;
  taken.push(box);
  context.textAlign = turned ? "right" : "left";
  context.strokeStyle = colours.ground;
  context.lineWidth = 3.5;
  context.strokeText(text, x, node.y);
  context.fillStyle = chosen ? colours.strong : colours.text;
  context.fillText(text, x, node.y);
}

/** The dot under the pointer: its whole name on a plate. */
export function drawHover(context: CanvasRenderingContext2D, node: Labelled, colours: Colours): void {
  context.beginPath();
  context.arc(node.x, node.y, node.size + 2.5, 0, 2 * Math.PI);
  context.strokeStyle = colours.strong;
  context.lineWidth = 1.5;
  context.stroke();
  if (!node.label) return;
  const text = shorten(node.label, 90);
  context.font = `600 13px ${colours.font}`;
  context.textAlign = "left";
  context.textBaseline = "middle";
  const [x, width] = [node.x + node.size + 5, context.measureText(text).width];
  context.beginPath();
  context.roundRect(x - 5, node.y - 13, width + 12, 26, 6);
  context.fillStyle = colours.ground;
  context.fill();
  context.strokeStyle = colours.line;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = colours.strong;
  context.fillText(text, x + 1, node.y);
}
