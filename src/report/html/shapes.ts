/** Paths and markers of a plot, in units of the drawing. */

import {
  area,
  line,
  type SymbolType,
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolStar,
  symbolTriangle,
  symbolWye,
} from "d3-shape";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Band {
  readonly x: number;
  readonly low: number;
  readonly high: number;
}

const SYMBOLS: readonly SymbolType[] = [
  symbolCircle,
  symbolSquare,
  symbolTriangle,
  symbolDiamond,
  symbolCross,
  symbolStar,
  symbolWye,
];

/** A tenth of a unit is far below what can be seen. */
const DIGITS = 1;

/** The path through the points, broken where one is missing. */
export function linePath(points: readonly (Point | undefined)[]): string {
  const path = line<Point | undefined>()
    .defined((point) => point !== undefined)
    .x((point) => point?.x ?? 0)
    .y((point) => point?.y ?? 0)
    .digits(DIGITS);
  return path([...points]) ?? "";
}

/** The outline of the space between the low and the high values. */
export function bandPath(bands: readonly (Band | undefined)[]): string {
  const path = area<Band | undefined>()
    .defined((band) => band !== undefined)
    .x((band) => band?.x ?? 0)
    .y0((band) => band?.low ?? 0)
    .y1((band) => band?.high ?? 0)
    .digits(DIGITS);
  return path([...bands]) ?? "";
}

/** The outline of the marker of a series, around the origin; neighbours differ in shape. */
export function markerPath(index: number, size = 44): string {
  const type = SYMBOLS[index % SYMBOLS.length] ?? symbolCircle;
  return symbol(type, size).digits(DIGITS)() ?? "";
}
