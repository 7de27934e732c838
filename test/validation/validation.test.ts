/**
 * The virtual half of `npm run validate`, whose figures are the same on every machine: each finding of each experiment but the longest. On Bun alone,
 * as what is to be shown elsewhere is that it runs; `test/golden` holds that all runtimes simulate the same.
 */

import { describe, expect, it } from "vitest";
import { currentRuntime } from "../../src/world/runtime.ts";
import type { Experiment } from "./experiment.ts";
import { experiments } from "./experiments.ts";
import { renderFinding } from "./render.ts";
import { carryOut } from "./report.ts";
import { virtualLab } from "./virtual-lab.ts";

const TIME_LIMIT_MS = 300_000;
/** Experiments on decisions that take half a minute each: `npm run validate` has them, and `test/stats` what they rest on. */
const LONG = ["V17", "V18"];
/** Enough to show that theory's tools work on a runtime. */
const QUICK_LOOK = ["V1", "V7"];

const isBun = currentRuntime().name === "bun";

async function disagreements(experiment: Experiment, quick: boolean): Promise<readonly string[]> {
  const report = await carryOut(experiment, "virtual", () => experiment.virtual(virtualLab({ quick })));
  if (report?.error !== undefined) return [report.error];
  return report?.findings.filter(({ agrees }) => !agrees).map(renderFinding) ?? [];
}

describe.runIf(isBun)("theory and simulation agree", () => {
  it.each(experiments.filter(({ id }) => !LONG.includes(id)))(
    "$id: $title",
    async (experiment) => {
      expect(await disagreements(experiment, false)).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});

describe.skipIf(isBun)("theory and simulation agree at a quick look", () => {
  it.each(experiments.filter(({ id }) => QUICK_LOOK.includes(id)))(
    "$id: $title",
    async (experiment) => {
      expect(await disagreements(experiment, true)).toEqual([]);
    },
    TIME_LIMIT_MS,
  );
});

describe("the experiments", () => {
  it("are V1 to V22, in order", () => {
    expect(experiments.map(({ id }) => id)).toEqual(Array.from({ length: 22 }, (_, index) => `V${index + 1}`));
  });
});
