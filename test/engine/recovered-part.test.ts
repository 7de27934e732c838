/** What a trial tells while it runs, through the text of its journal, and put together again. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gainOfLine, lineOfGain } from "../../src/engine/journal-line.ts";
import { PartRecovery } from "../../src/engine/recovered-part.ts";
import { SERIES_COLUMNS } from "../../src/engine/series.ts";
import { GainMerger, type TrialGain, takeTrialGain } from "../../src/engine/trial-gain.ts";
import { mergeParts, partOf, type TrialPart, type WorldFacts } from "../../src/engine/trial-part.ts";
import { trialRecord } from "../../src/engine/trial-record.ts";
import { avalanche } from "../../src/plan/avalanche.ts";
import { stream } from "../../src/plan/streams.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import { type JournalSecond, journalLineSchema } from "../../src/result/journal-schema.ts";
import { resultSchema, type TrialResult } from "../../src/result/schema.ts";
import { type Fate, NEVER, runFake } from "../support/fake-world.ts";
import { PLAN_LABEL, trialSpec } from "../support/trial-spec.ts";

const FACTS: WorldFacts = { startedAt: "2026-01-01T00:00:00.000Z", remarks: [] };
const FATES: readonly Fate[] = [
  { status: 200, afterSeconds: 0 },
  { status: 200, afterSeconds: 0.013 },
  { status: 404, afterSeconds: 0.4 },
  { status: 503, afterSeconds: 0.002 },
  { fault: "reset", afterSeconds: 0.1 },
  { fault: "stale", afterSeconds: 0.01 },
  NEVER,
];
const DURATION_SECONDS = 2;

interface Scenario {
  readonly seed: number;
  readonly users: number;
  readonly warmupSeconds: number;
  readonly drainSeconds: number;
  readonly stopAt: number;
  /** Every so often it tells what it gained. */
  readonly tellSeconds: number;
  readonly stall: boolean;
}

const SCENARIO: fc.Arbitrary<Scenario> = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  users: fc.integer({ min: 3, max: 12 }),
  warmupSeconds: fc.constantFrom(0, 1),
  drainSeconds: fc.constantFrom(0.05, 0.7, 5),
  stopAt: fc.constantFrom(0.4, 1.6, Number.POSITIVE_INFINITY),
  tellSeconds: fc.double({ min: 0.02, max: 1.2, noNaN: true }),
  stall: fc.boolean(),
});

/** How much of what was told is left. */
const SHARE = fc.double({ min: 0, max: 1, noNaN: true });

interface Told {
  readonly part: TrialPart;
  readonly gains: readonly TrialGain[];
}

function run(scenario: Scenario, shard = 0, shards = 1): Told {
  const { seed, users, warmupSeconds, drainSeconds, stopAt, tellSeconds, stall } = scenario;
  const gains: TrialGain[] = [];
  let nextSeconds = tellSeconds * (1 + shard / shards);
  const { loop, recorder } = runFake({
    plan: {
      arrival: { law: "poisson", rate: { kind: "constant", rps: 60 } },
      users,
      warmupSeconds,
      durationSeconds: DURATION_SECONDS,
      seed,
    },
    options: { timeoutSeconds: 0.5, drainSeconds, maxInFlight: 12, late: { kind: "drop", afterSeconds: 0.3 } },
    shard: [shard, shards],
    stalls: stall ? [{ fromSeconds: 0.5, toSeconds: 1.2 }] : [],
    policies: (user, clock) => new OverloadClient(clock, stream(seed, "policy", user), { window: 2 }),
    fateOf: ({ user, attempt, intendedSeconds }) =>
      FATES[
        (avalanche(avalanche(Math.round(intendedSeconds * 1e6)) + user + 7 * attempt) >>> 0) % FATES.length
      ] as Fate,
    before(running, nowSeconds, record) {
      if (nowSeconds >= stopAt) running.stop();
      if (nowSeconds < nextSeconds || running.done) return;
      nextSeconds += tellSeconds;
      gains.push(takeTrialGain(running, record, nowSeconds, FACTS));
    },
  });
  gains.push(takeTrialGain(loop, recorder, loop.doneSeconds, FACTS));
  return { part: partOf(loop, recorder, FACTS), gains: gains.map((gain) => structuredClone(gain)) };
}

/** As the journal gives it back. */
function written(gain: TrialGain): TrialGain {
  return gainOfLine(journalLineSchema.parse(JSON.parse(JSON.stringify(lineOfGain(gain)))) as JournalSecond);
}

/** @throws ConservationError, ZodError */
function recover(scenario: Scenario, gains: readonly TrialGain[]): TrialResult {
  const recovery = new PartRecovery(scenario.warmupSeconds, DURATION_SECONDS);
  for (const gain of gains) recovery.add(written(gain));
  const trial = trialRecord(trialSpec(), PLAN_LABEL, recovery.part() as TrialPart);
  resultSchema.shape.trials.element.parse(trial);
  return trial;
}

/** Without what is not kept, what differs by a rounding, and the texts of histograms. */
function comparable(trial: TrialResult): unknown {
  const { users: _users, recovered: _recovered, interrupted: _interrupted, validity: _validity, ...kept } = trial;
  return JSON.parse(JSON.stringify(kept), (key, value) =>
    key === "hdr" || key === "meanMs" ? null : typeof value === "number" ? Number(value.toPrecision(12)) : value,
  );
}

describe("PartRecovery", () => {
  it("makes of any prefix of what a trial told a trial that adds up, and never one of more calls than the next", () => {
    fc.assert(
      fc.property(SCENARIO, SHARE, (scenario, share) => {
        const { gains } = run(scenario);
        const length = 1 + Math.floor(share * (gains.length - 1));
        const [trial, next] = [length, length + 1].map((told) => recover(scenario, gains.slice(0, told)));
        expect(trial).toMatchObject({ recovered: true, interrupted: true });
        expect(trial?.users).toBeUndefined();
        const planned = (one?: TrialResult): number => (one?.calls.planned ?? 0) + (one?.warmup?.calls.planned ?? 0);
        expect(planned(next)).toBeGreaterThanOrEqual(planned(trial));
      }),
      { numRuns: 60 },
    );
  });

  it("makes of all that a finished trial told the trial itself, but for what is not kept", () => {
    fc.assert(
      fc.property(SCENARIO, (scenario) => {
        const { part, gains } = run(scenario);
        const whole = trialRecord(trialSpec(), PLAN_LABEL, { ...part, interrupted: true });
        expect(comparable(recover(scenario, gains))).toEqual(comparable(whole));
      }),
      { numRuns: 30 },
    );
  });

  it("says in the verdict that the trial was recovered, and how far it is known", () => {
    const scenario = {
      seed: 1,
      users: 5,
      warmupSeconds: 0,
      drainSeconds: 5,
      stopAt: 99,
      tellSeconds: 0.5,
      stall: false,
    };
    const { gains } = run(scenario);
    const { reasons } = recover(scenario, gains.slice(0, 2)).validity;
    const [reason] = reasons.filter(({ code }) => code === "recovered");
    expect(reason).toMatchObject({ severity: "suspect", figure: 1 });
    expect(reason?.message).toContain("ends at 1 s");
  });

  it("keeps what the clients had behind them, of several threads together", () => {
    const scenario = {
      seed: 1,
      users: 5,
      warmupSeconds: 0,
      drainSeconds: 5,
      stopAt: 99,
      tellSeconds: 0.5,
      stall: false,
    };
    const past = (calls: number) => ({ ...FACTS, age: { seconds: 120, calls, throttled: 1 } });
    const merger = new GainMerger(2);
    const merged = [0, 1].flatMap((thread) =>
      merger.add(thread, { ...(run(scenario, thread, 2).gains[0] as TrialGain), facts: past(100 + thread) }),
    );
    expect(recover(scenario, merged).age).toEqual({ seconds: 120, calls: 201, throttled: 2 });
    expect(recover(scenario, run(scenario).gains)).not.toHaveProperty("age");
  });

  it("refuses calls that the plan cannot have, instead of making room for them", () => {
    const recovery = new PartRecovery(0, 2);
    const [gain] = run({
      seed: 1,
      users: 3,
      warmupSeconds: 0,
      drainSeconds: 1,
      stopAt: 99,
      tellSeconds: 1,
      stall: false,
    }).gains as [TrialGain];
    const later = {
      ...gain,
      gained: { ...gain.gained, series: new Map([[2, new Uint32Array(SERIES_COLUMNS.length)]]) },
    };
    expect(() => recovery.add(later)).toThrow(/must lie before the end of the arrivals \(2 s\): current value is 2/);
  });

  it("has nothing to give when nothing was told", () => {
    expect(new PartRecovery(0, 2).part()).toBeUndefined();
  });
});

describe("GainMerger", () => {
  it("makes one account of several threads: any prefix adds up, all of it is the trial of all of them", () => {
    fc.assert(
      fc.property(SCENARIO, SHARE, fc.integer({ min: 2, max: 3 }), (scenario, share, threads) => {
        const told = Array.from({ length: threads }, (_, thread) => run(scenario, thread, threads));
        const merger = new GainMerger(threads);
        const inOrder = told
          .flatMap(({ gains }, thread) => gains.map((gain) => ({ thread, gain })))
          .toSorted((a, b) => a.gain.elapsedSeconds - b.gain.elapsedSeconds);
        const merged = inOrder.flatMap(({ thread, gain }) => merger.add(thread, gain));
        merged.push(...merger.rest());
        recover(scenario, merged.slice(0, Math.ceil(share * merged.length) || 1));
        const part = mergeParts(told.map((each) => each.part));
        const whole = trialRecord(trialSpec(), PLAN_LABEL, { ...part, interrupted: true });
        const { durationSeconds: _a, rates: _b, ...rest } = comparable(recover(scenario, merged)) as TrialResult;
        const { durationSeconds: _c, rates: _d, ...expected } = comparable(whole) as TrialResult;
        expect(rest).toEqual(expected);
      }),
      { numRuns: 20 },
    );
  });

  it("waits until all have been heard, and not for one that is late or done when another is heard again", () => {
    const scenario = {
      seed: 2,
      users: 4,
      warmupSeconds: 0,
      drainSeconds: 1,
      stopAt: 99,
      tellSeconds: 0.5,
      stall: false,
    };
    const [a, b] = [run(scenario, 0, 2).gains, run(scenario, 1, 2).gains] as [TrialGain[], TrialGain[]];
    const merger = new GainMerger(2);
    const lines: TrialGain[][] = [
      merger.add(0, a[0] as TrialGain),
      merger.add(1, b[0] as TrialGain),
      merger.add(0, a[1] as TrialGain),
      merger.add(0, a[2] as TrialGain),
      merger.rest(),
      merger.rest(),
    ];
    expect(lines.map((complete) => complete.length)).toEqual([0, 1, 0, 1, 1, 0]);
  });
});
