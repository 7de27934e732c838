/** Experiments in a world that answers at once with the goodput that the test says. */

import { describe, expect, it } from "vitest";
import { compareArms } from "../../src/comparison/compare-arms.ts";
import { createStopping } from "../../src/comparison/stopping.ts";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { stoppedBy } from "../../src/experiment/early-stop.ts";
import {
  type ExperimentPorts,
  type ExperimentSpec,
  runExperiment,
  trialSpec,
} from "../../src/experiment/experiment.ts";
import { labelOf } from "../../src/plan/plan-label.ts";
import { type Result, resultSchema, type TrialResult } from "../../src/result/schema.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";
import { trialSpec as anyTrial } from "../support/trial-spec.ts";

const { plan, policy, arm: _arm, pair: _pair, ...common } = anyTrial();

function experiment(arms: readonly string[], pairs: number, change: Partial<ExperimentSpec> = {}): ExperimentSpec {
  return {
    command: "ab",
    arms: arms.map((name) => ({ name, policy })),
    pairs,
    plan,
    common,
    chance: "common",
    stopping: { rule: "all-pairs" },
    smallestEffect: 0.05,
    remarks: [],
    config: {},
    ...change,
  };
}

/** The same, which may stop early. */
function sequential(arms: readonly string[], pairs: number): ExperimentSpec {
  const { rule } = createStopping({ arms, pairsMax: pairs, alpha: 0.05, smallestEffect: 0.05, seed: plan.seed });
  return experiment(arms, pairs, { stopping: rule });
}

interface Ran {
  readonly result: Result | undefined;
  /** The trials that were run, in order, batch by batch. */
  readonly batches: readonly (readonly string[])[];
  readonly saved: readonly Result[];
}

type Goodput = (spec: TrialSpec) => number;

/** @param stopAfter a stop is requested when so many trials have ended. */
async function run(spec: ExperimentSpec, goodput: Goodput, stopAfter = Number.POSITIVE_INFINITY): Promise<Ran> {
  const batches: string[][] = [];
  const saved: Result[] = [];
  let ended = 0;
  const { tool, environment } = resultFixture([]);
  const ports: ExperimentPorts = {
    world: {
      kind: "virtual",
      async simulate(specs, hooks) {
        batches.push([]);
        // Backwards: trials that run several at a time end in any order.
        for (const [index, one] of [...specs.entries()].toReversed()) {
          if (ended >= stopAfter) return;
          hooks.started(index);
          ended += 1;
          batches.at(-1)?.push(`${one.arm}${one.pair}`);
          await hooks.ended(index, trialOf(one, goodput(one)));
        }
      },
    },
    compare: (trials, baseline, facts) => compareArms(trials, baseline, facts),
    saveSoFar: async (soFar) => void saved.push(soFar),
    happened() {},
    stopRequested: () => ended >= stopAfter,
    tool,
    environment,
  };
  const result = await runExperiment(spec, ports);
  if (result !== undefined) resultSchema.parse(result);
  return { result, batches, saved };
}

function trialOf(spec: TrialSpec, ok: number): TrialResult {
  const trial = trialFixture({
    arm: spec.arm,
    pair: spec.pair,
    world: "virtual",
    calls: { ok, throttled: 10_000 - ok },
  });
  return { ...trial, plan: { ...labelOf(spec.plan), seed: spec.plan.seed, arrivals: 10_000 } };
}

/** `b` serves a fifth more than `a`, give or take. */
const DIFFERENT: Goodput = ({ arm, pair }) => (arm === "a" ? 5000 : 6000) + 37 * (pair % 3) * (arm === "a" ? 1 : 2);
/** Both the same but for a little, to and fro. */
const NEARLY_EQUAL: Goodput = ({ arm, pair }) => 5000 + (arm === "a" ? 0 : pair % 2 === 0 ? 9 : -9) + pair;

describe("runExperiment() that may stop early", () => {
  it("runs up to each look, and ends at the first that decides", async () => {
    const { result, batches } = await run(sequential(["a", "b"], 20), DIFFERENT);
    const looks = result?.design.stopping.rule === "sequential" ? result.design.stopping.looks : [];
    const { stopped } = result?.design ?? {};
    expect(stopped).toMatchObject({ because: "decided" });
    expect(looks.slice(0, -1)).toContain(stopped?.pairs);
    expect(batches.map((batch) => batch.length / 2)).toEqual(
      looks.slice(0, looks.indexOf(stopped?.pairs ?? 0) + 1).map((look, index) => look - (looks[index - 1] ?? 0)),
    );
    expect(result?.trials).toHaveLength(2 * (stopped?.pairs ?? 0));
    expect(result?.partial).toBe(false);
    expect(result?.comparison?.contrasts[0]?.looks?.at(-1)?.pairs).toBe(stopped?.pairs);
    expect(result?.comparison?.contrasts[0]?.metrics[0]?.verdict).toBe("better");
  });

  it("ends too when the arms are as good as equal", async () => {
    const { result } = await run(sequential(["a", "b"], 20), NEARLY_EQUAL);
    expect(result?.design.stopped?.pairs).toBeLessThan(20);
    expect(result?.partial).toBe(false);
    expect(result?.comparison?.contrasts[0]?.metrics[0]?.verdict).not.toBe("better");
  });

  it("runs all pairs where it is not to, and says nothing of looks", async () => {
    const { result, batches } = await run(experiment(["a", "b"], 8), DIFFERENT);
    expect(batches).toHaveLength(1);
    expect(result?.design.stopped).toBeUndefined();
    expect(result?.trials).toHaveLength(16);
    expect(result?.comparison?.contrasts[0]?.looks).toBeUndefined();
  });

  it("decides nothing when it is stopped, also where what it has would be enough", async () => {
    const whole = (await run(sequential(["a", "b"], 20), DIFFERENT)).result;
    const enough = whole?.trials.length ?? 0;
    const { result } = await run(sequential(["a", "b"], 20), DIFFERENT, enough);
    expect(result?.trials).toHaveLength(enough);
    expect(result).toMatchObject({ partial: true });
    expect(result?.design.stopped).toBeUndefined();
  });

  it("gives trials in the order of the experiment, in whichever they ended", async () => {
    const { result, saved } = await run(experiment(["a", "b", "c"], 2), DIFFERENT);
    const order = result?.trials.map(({ arm, pair }) => `${arm}${pair}`) ?? [];
    expect(order.slice(3)).toEqual(
      order
        .slice(0, 3)
        .toReversed()
        .map((name) => name.replace("0", "1")),
    );
    for (const { partial } of saved) expect(partial).toBe(true);
  });
});

describe("stoppedBy()", () => {
  it("comes from design and trials alone to the decision that fell, and to none before", async () => {
    const { result } = await run(sequential(["a", "b"], 20), DIFFERENT);
    const { design, trials } = result as Result;
    const { stopped, ...before } = design;
    expect(stoppedBy(before, trials.toReversed())).toEqual(stopped);
    expect(stoppedBy(before, trials.slice(1))).toBeUndefined();
    expect(stoppedBy(before, trials.slice(0, -1))).toBeUndefined();
    const cut = trials.map((trial, index) => (index === 3 ? { ...trial, interrupted: true } : trial));
    expect(stoppedBy(before, cut)).toBeUndefined();
    expect(stoppedBy({ ...before, stopping: { rule: "all-pairs" } }, trials)).toBeUndefined();
  });
});

describe("runExperiment() with trials of an earlier run", () => {
  it("runs the others, and comes to what one run comes to, wherever it was cut", async () => {
    const spec = sequential(["a", "b"], 20);
    const whole = (await run(spec, DIFFERENT)).result as Result;
    for (const count of [1, 5, 12, whole.trials.length - 1, whole.trials.length]) {
      const before = (await run(spec, DIFFERENT, count)).result as Result;
      const record = [{ kept: count, splitPairs: [], differences: [] }];
      const resumed = { trials: before.trials, record };
      const { result, batches, saved } = await run({ ...spec, resumed }, DIFFERENT);
      expect(result).toEqual({ ...whole, design: { ...whole.design, resumed: record } });
      expect(batches.flat()).toHaveLength(whole.trials.length - count);
      for (const soFar of saved) expect(soFar.trials.length).toBeGreaterThan(count);
    }
  });
});

describe("trialSpec()", () => {
  it("gives an arm what it has of its own, and chance of its own where that is asked for", () => {
    const spec = experiment(["a", "b", "c"], 2);
    const own = { ...spec, arms: spec.arms.map((arm) => ({ ...arm, own: { timeoutSeconds: 0.25 } })) };
    expect(trialSpec(own, "b", 1).timeoutSeconds).toBe(0.25);
    expect(["a", "b", "c"].map((arm) => trialSpec(spec, arm, 1).chance)).toEqual([undefined, undefined, undefined]);
    const apart = experiment(["a", "b", "c"], 2, { chance: "own" });
    expect(["a", "b", "c"].map((arm) => trialSpec(apart, arm, 1).chance)).toEqual([0, 1, 2]);
    expect(trialSpec(apart, "b", 1).plan).toEqual(trialSpec(spec, "a", 1).plan);
  });
});
