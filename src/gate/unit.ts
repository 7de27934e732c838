/**
 * What a figure is measured in, so that an assertion cannot compare a time with a rate, or 5 % with a count. A plain number in
 * an assertion is {@link BARE}: it takes the unit of what it stands beside.
 */

/** Powers of seconds and bytes. `milli`: a time that is written in milliseconds. */
export interface Dimension {
  readonly time: number;
  readonly bytes: number;
  readonly milli: boolean;
  /** Of numbers without a dimension: how many, a part of something, or neither. */
  readonly nature: "plain" | "count" | "share";
}

export const BARE = "bare";
export type Unit = Dimension | typeof BARE;

export const PLAIN: Dimension = { time: 0, bytes: 0, milli: false, nature: "plain" };
export const COUNT: Dimension = { ...PLAIN, nature: "count" };
export const SHARE: Dimension = { ...PLAIN, nature: "share" };
export const SECONDS: Dimension = { ...PLAIN, time: 1 };
export const MILLISECONDS: Dimension = { ...SECONDS, milli: true };
export const RATE: Dimension = { ...PLAIN, time: -1 };
export const BYTES: Dimension = { ...PLAIN, bytes: 1 };

/** What both sides of a sum or a comparison are brought to; undefined when they cannot be compared. */
export function commonUnit(a: Unit, b: Unit): Unit | undefined {
  if (a === BARE) return b;
  if (b === BARE) return a;
  if (a.time !== b.time || a.bytes !== b.bytes) return undefined;
  if (isDimensionless(a)) {
    if (a.nature === b.nature) return a;
    return a.nature === "plain" || b.nature === "plain" ? PLAIN : undefined;
  }
  return a.milli ? a : b;
}

export function productUnit(a: Unit, b: Unit): Unit {
  if (a === BARE) return b;
  if (b === BARE) return a;
  if (isDimensionless(a) && isDimensionless(b)) return natureOfProduct(a, b);
  if (isDimensionless(a)) return b;
  if (isDimensionless(b)) return a;
  return { time: a.time + b.time, bytes: a.bytes + b.bytes, milli: false, nature: "plain" };
}

/**
 * Undefined for a rate over a count and a count over a rate: `sent` is a rate and `planned` a count, and their quotient looks
 * like a ratio but is none.
 */
export function quotientUnit(a: Unit, b: Unit): Unit | undefined {
  if ((isRate(a) && isCount(b)) || (isCount(a) && isRate(b))) return undefined;
  if (b === BARE) return a;
  if (a === BARE && isDimensionless(b)) return PLAIN;
  if (a !== BARE && isDimensionless(a) && isDimensionless(b)) return b.nature === "count" ? PLAIN : a;
  if (a !== BARE && isDimensionless(b)) return a;
  const above = a === BARE ? PLAIN : a;
  return { time: above.time - b.time, bytes: above.bytes - b.bytes, milli: false, nature: "plain" };
}

/** A value of one unit in another of the same dimension. */
export function convert(value: number, from: Unit, to: Unit): number {
  const fromMilli = from !== BARE && from.milli;
  const toMilli = to !== BARE && to.milli;
  if (from === BARE || fromMilli === toMilli) return value;
  // To the digits that people write: 1.001 s is 1001 ms, not 1000.9999999999999.
  return fromMilli ? value / 1000 : Number((value * 1000).toPrecision(15));
}

/** The value in seconds and bytes, as factors of other dimensions take it. */
export function toBase(value: number, unit: Unit): number {
  return unit !== BARE && unit.milli ? value / 1000 : value;
}

/** Whether a factor leaves the other one's unit as it is. */
export function isScalar(unit: Unit): boolean {
  return unit === BARE || isDimensionless(unit);
}

/** In words: `a time in ms`. */
export function unitText(unit: Unit): string {
  if (unit === BARE) return "a plain number";
  if (isDimensionless(unit)) {
    return { plain: "a ratio", count: "a count", share: "a share" }[unit.nature];
  }
  if (unit.bytes === 0 && unit.time === 1) return unit.milli ? "a time in ms" : "a time in seconds";
  if (isRate(unit)) return "a rate per second";
  if (unit.bytes === 1 && unit.time === 0) return "a number of bytes";
  return `of dimension ${[power("s", unit.time), power("byte", unit.bytes)].filter((part) => part !== "").join(" ")}`;
}

function power(name: string, exponent: number): string {
  if (exponent === 0) return "";
  return exponent === 1 ? name : `${name}^${exponent}`;
}

function natureOfProduct(a: Dimension, b: Dimension): Dimension {
  if (a.nature === "count" || b.nature === "count") return a.nature === b.nature ? PLAIN : COUNT;
  return a.nature === "share" || b.nature === "share" ? SHARE : PLAIN;
}

function isDimensionless({ time, bytes }: Dimension): boolean {
  return time === 0 && bytes === 0;
}

function isRate(unit: Unit): boolean {
  return unit !== BARE && unit.time === -1 && unit.bytes === 0;
}

function isCount(unit: Unit): boolean {
  return unit !== BARE && isDimensionless(unit) && unit.nature === "count";
}
