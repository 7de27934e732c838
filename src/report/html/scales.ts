/** Where a value lies on a plot. */

import { scaleLinear, scaleLog } from "d3-scale";

type Interval = readonly [number, number];

/** Maps values to units of the drawing. */
export interface Scale {
  readonly domain: Interval;
  readonly at: (value: number) => number;
  /** Values worth a line and a label. */
  readonly ticks: readonly number[];
}

/** Even steps. An empty domain is widened, as nothing can be drawn on a point. */
export function linearScale([low, high]: Interval, range: Interval, tickCount = 5): Scale {
  const scale = scaleLinear([low, high > low ? high : low + 1], [...range]).nice(tickCount);
  return { domain: domainOf(scale.domain()), at: (value) => scale(value), ticks: scale.ticks(tickCount) };
}

/** As {@link linearScale}, but the domain stays as it is. */
export function exactScale([low, high]: Interval, range: Interval, tickCount = 5): Scale {
  const scale = scaleLinear([low, high > low ? high : low + 1], [...range]);
  return { domain: domainOf(scale.domain()), at: (value) => scale(value), ticks: scale.ticks(tickCount) };
}

/**
 * Even factors. Ticks are powers of ten where there are enough of them, else 1, 2 and 5 times those; values below the domain
 * are drawn at its lower end.
 *
 * @param domain above zero.
 */
export function logScale([low, high]: Interval, range: Interval): Scale {
  const top = high > low ? high : low * 10;
  const scale = scaleLog([low, top], [...range]).clamp(true);
  return { domain: [low, top], at: (value) => scale(Math.max(value, low)), ticks: logTicks(low, top) };
}

function logTicks(low: number, high: number): number[] {
  const ticks = decades(low, high, [1]);
  if (ticks.length >= 3) return ticks;
  const finer = decades(low, high, [1, 2, 5]);
  return finer.length >= 3 ? finer : decades(low, high, [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9]);
}

function decades(low: number, high: number, steps: readonly number[]): number[] {
  const ticks: number[] = [];
  for (let exponent = -9; exponent <= 12; exponent++) {
    for (const step of steps) {
      // From its text, so that it is the number one would write.
      const value = Number(`${step}e${exponent}`);
      if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) ticks.push(value);
    }
  }
  return ticks;
}

function domainOf(domain: readonly number[]): Interval {
  return [domain[0] ?? 0, domain[1] ?? 1];
}
