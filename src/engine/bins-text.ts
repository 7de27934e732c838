/**
 * Bins of a sparse histogram as text of about 1.5 characters a bin. In ascending order of the bins, each takes one or two
 * numbers of variable length (LEB128: seven bits a byte, lowest first, the top bit set in all but the last):
 * `2 (distance - 1)`, or where it holds more than one value `2 (distance - 1) + 1` and then the values beyond two. The
 * distance is that to the bin before, of the first one to -1. The bytes are written in base64.
 */

import { Buffer } from "node:buffer";
import { BINS, type SparseData } from "./sparse-histogram.ts";

const COUNT_SCALE = 2 ** 32;

type Bins = Pick<SparseData, "bins" | "counts">;

export function binsToText({ bins, counts }: Bins): string {
  // Both numbers in one, which sorts fast: 15 bits above 32.
  const held = Float64Array.from(bins, (bin, index) => bin * COUNT_SCALE + (counts[index] as number)).sort();
  const bytes: number[] = [];
  let before = -1;
  for (const both of held) {
    const bin = Math.floor(both / COUNT_SCALE);
    const count = both - bin * COUNT_SCALE;
    const gap = 2 * (bin - before - 1);
    if (count === 1) {
      pushNumber(bytes, gap);
    } else {
      pushNumber(bytes, gap + 1);
      pushNumber(bytes, count - 2);
    }
    before = bin;
  }
  return Buffer.from(bytes).toString("base64");
}

/** @throws RangeError when `text` is not what {@link binsToText} makes. */
export function binsOfText(text: string): Bins {
  const bytes = Buffer.from(text, "base64");
  const bins: number[] = [];
  const counts: number[] = [];
  let at = 0;
  const next = (): number => {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = bytes[at];
      if (byte === undefined) break;
      at += 1;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError(`Cannot read bins as '${text.slice(0, 20)}' must be numbers of seven bits a byte`);
  };
  let before = -1;
  while (at < bytes.length) {
    const gap = next();
    before += Math.floor(gap / 2) + 1;
    if (before >= BINS) {
      throw new RangeError(`Cannot read bins as they must have numbers below ${BINS}: current value is ${before}`);
    }
    bins.push(before);
    counts.push(gap % 2 === 0 ? 1 : next() + 2);
  }
  return { bins: Uint16Array.from(bins), counts: Uint32Array.from(counts) };
}

function pushNumber(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
