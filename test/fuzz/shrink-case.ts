/** Makes a case that fails as small as it gets while it fails. */

import type { FuzzCase } from "./fuzz-case.ts";

/** Trials for one case. */
const TRIALS_MAX = 4000;

/**
 * Takes away cuts, then pieces of the bytes in halves, quarters, ... single bytes (delta debugging: Zeller and Hildebrandt,
 * "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002, without its complements), until nothing more goes.
 */
export async function shrinkCase(tried: FuzzCase, fails: (tried: FuzzCase) => Promise<boolean>): Promise<FuzzCase> {
  let smallest = tried;
  let trials = 0;
  const attempt = async (candidate: FuzzCase): Promise<boolean> => {
    trials += 1;
    if (trials > TRIALS_MAX || !(await fails(candidate))) return false;
    smallest = candidate;
    return true;
  };
  await attempt({ ...smallest, cuts: [] });
  await attempt({ ...smallest, bodiless: false });
  for (let before = -1; before !== smallest.bytes.length && trials <= TRIALS_MAX; ) {
    before = smallest.bytes.length;
    for (let length = Math.ceil(before / 2); length >= 1 && trials <= TRIALS_MAX; length = Math.floor(length / 2)) {
      for (let at = 0; at + length <= smallest.bytes.length; ) {
        // What was taken away brings the next bytes to the same place.
        if (!(await attempt(without(smallest, at, length)))) at += length;
      }
    }
  }
  for (const cut of smallest.cuts) await attempt({ ...smallest, cuts: smallest.cuts.filter((other) => other !== cut) });
  return smallest;
}

function without({ bytes, bodiless, cuts }: FuzzCase, from: number, length: number): FuzzCase {
  const left = Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + length)]);
  const moved = cuts.map((cut) => (cut <= from ? cut : Math.max(from, cut - length)));
  return { bytes: left, bodiless, cuts: [...new Set(moved)].filter((cut) => cut > 0 && cut < left.length) };
}
