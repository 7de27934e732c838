import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { createStopping } from "../../src/comparison/stopping.ts";
import { renderAb } from "../../src/report/ab-text.ts";
import { displayWidth } from "../../src/report/display-width.ts";
import { renderTrial } from "../../src/report/trial-text.ts";
import type { Design } from "../../src/result/design-schema.ts";
import { type Result, resultSchema, type TrialResult } from "../../src/result/schema.ts";
import {
  CUT,
  collapsed,
  compared,
  cure,
  silent,
  simulated,
  spoiled,
  throttled,
  warmed,
} from "../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const TRIALS: Readonly<Record<string, TrialResult>> = {
  collapse: collapsed(0),
  throttled: throttled(0),
  healthy: trialFixture(),
  silent: silent("run", 0),
  invalid: spoiled(),
  virtual: simulated(),
  warmed: warmed(),
  interrupted: trialFixture({
    interrupted: true,
    durationSeconds: 3.2,
    calls: { ok: 3_150, unfinished: 50 },
    attempts: { inFlight: 50 },
    reasons: [CUT],
  }),
  empty: trialFixture({ calls: { ok: 0 }, durationSeconds: 0 }),
};

const COMPARISONS: Readonly<Record<string, Result>> = {
  cure: compared(cure()),
  healthy: compared([trialFixture({ arm: "off" }), trialFixture({ arm: "on", policy: throttled(0).policy })]),
  zero: compared([collapsed(0, 0), throttled(0)]),
  silent: compared([silent("off", 0), silent("on", 0)]),
  invalid: compared([collapsed(0, 6_000, 10_000), spoiled()]),
  partial: resultFixture([collapsed(0)], { partial: true }),
  decided: decided(),
  many: compared([
    ...cure(),
    ...[1.1, 1.25, 1.5, 3, 4].flatMap((k) =>
      [0, 1, 2].map((pair) => ({ ...throttled(pair), arm: `k${k}`, policy: { name: "sre", options: { k } } })),
    ),
  ]),
};

/** Eight pairs of thirty, after which it was clear. */
function decided(): Result {
  const trials = Array.from({ length: 8 }, (_, pair) => [
    collapsed(pair, 380 + 7 * (pair % 3)),
    throttled(pair, 6_800 + 30 * (pair % 5)),
  ]).flat();
  const arms = ["off", "on"];
  const { rule } = createStopping({ arms, pairsMax: 30, alpha: 0.05, smallestEffect: 0.05, seed: 1 });
  const text = "Decided after 8 of 30 pairs: goodput with on differs from that with off.";
  const design: Design = {
    arms,
    pairs: 30,
    seed: 1,
    chance: "common",
    stopping: rule,
    stopped: { pairs: 8, because: "decided", text },
  };
  return resultFixture(trials, { design, comparison: compareArms(trials, "off", { design }) });
}

const GOLDEN = "../golden/report";

describe("renderTrial()", () => {
  it.each(Object.entries(TRIALS))("renderTrial() of the trial '%s' is the golden text", async (name, trial) => {
    const result = resultFixture([trial], { command: "run" });
    expect(resultSchema.parse(result)).toEqual(result);
    await expectGolden(`run-${name}`, renderTrial(result, 0));
  });

  it("renderTrial() refuses a trial that is not there", () => {
    expect(() => renderTrial(resultFixture([]), 0)).toThrow("Cannot render trial 0 as the result has 0");
  });
});

describe("renderAb()", () => {
  it.each(Object.entries(COMPARISONS))("renderAb() of the result '%s' is the golden text", async (name, result) => {
    expect(resultSchema.parse(result)).toEqual(result);
    await expectGolden(`ab-${name}`, renderAb(result));
  });

  it("renderAb() of no trials says so", () => {
    expect(renderAb(resultFixture([]))).toBe("No trial was measured.\n");
  });
});

async function expectGolden(name: string, text: string): Promise<void> {
  expect(text.split("\n").filter((line) => displayWidth(line) > 100)).toEqual([]);
  await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.txt`);
}
