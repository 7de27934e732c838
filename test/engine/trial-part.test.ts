import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkConservation } from "../../src/engine/conservation.ts";
import { mergeParts, partOf, type TrialPart, type WorldFacts } from "../../src/engine/trial-part.ts";
import { trialRecord } from "../../src/engine/trial-record.ts";
import { avalanche } from "../../src/plan/avalanche.ts";
import { stream } from "../../src/plan/streams.ts";
import { OverloadClient } from "../../src/policy/overload-client.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { type Fate, NEVER, runFake } from "../support/fake-world.ts";
import { PLAN_LABEL, trialSpec } from "../support/trial-spec.ts";

const FACTS: WorldFacts = { startedAt: "2026-01-01T00:00:00.000Z" };
const FATES: readonly Fate[] = [
  { status: 200, afterSeconds: 0 },
  { status: 200, afterSeconds: 0.013 },
  { status: 404, afterSeconds: 0.4 },
  { status: 503, afterSeconds: 0.002 },
  { fault: "reset", afterSeconds: 0.1 },
  NEVER,
];

interface Scenario {
  readonly seed: number;
  readonly users: number;
  readonly warmupSeconds: number;
  readonly stopAt: number;
}

/** What becomes of an attempt follows from the call alone, so that it is the same in whichever shard it is made. */
function part({ seed, users, warmupSeconds, stopAt }: Scenario, shard: number, shards: number): TrialPart {
  const { loop, recorder } = runFake({
    plan: {
      arrival: { law: "poisson", rate: { kind: "constant", rps: 60 } },
      users,
      warmupSeconds,
      durationSeconds: 2,
      seed,
    },
    options: { timeoutSeconds: 0.5, drainSeconds: 0.7 },
    shard: [shard, shards],
    policies: (user, clock) => new OverloadClient(clock, stream(seed, "policy", user), { window: 2 }),
    fateOf: ({ user, attempt, intendedSeconds }) =>
      FATES[
        (avalanche(avalanche(Math.round(intendedSeconds * 1e6)) + user + 7 * attempt) >>> 0) % FATES.length
      ] as Fate,
    before(running, nowSeconds) {
      if (nowSeconds >= stopAt) running.stop();
    },
  });
  checkConservation(recorder);
  return structuredClone(partOf(loop, recorder, FACTS));
}

function recordOf(scenario: Scenario, shards: number): TrialResult {
  const parts = Array.from({ length: shards }, (_, shard) => part(scenario, shard, shards));
  return trialRecord(trialSpec(), PLAN_LABEL, mergeParts(parts));
}

/** Without what may differ: the text of a histogram, the rounding of a mean, and the verdict, which looks at the worst part. */
function comparable(trial: TrialResult): unknown {
  return JSON.parse(JSON.stringify({ ...trial, validity: null }), (key, value) =>
    key === "hdr" || key === "meanMs" ? null : value,
  );
}

describe("mergeParts()", () => {
  it("tells of the guard that ended the trial first, whichever thread's that was", () => {
    const scenario = { seed: 1, users: 5, warmupSeconds: 0, stopAt: 1 };
    const parts = [0, 1, 2].map((shard) => part(scenario, shard, 3));
    const guarded = (atSeconds: number, shard: number): TrialPart => ({
      ...(parts[shard] as TrialPart),
      aborted: { atSeconds, text: `by ${shard}` },
    });
    expect(mergeParts(parts).aborted).toBeUndefined();
    expect(mergeParts([parts[0] as TrialPart, guarded(5, 1), guarded(4, 2)]).aborted?.text).toBe("by 2");
    expect(mergeParts([guarded(3, 0), guarded(4, 1), parts[2] as TrialPart]).aborted?.text).toBe("by 0");
  });

  it("makes of any number of shards the trial that a single thread would have recorded", () => {
    const scenario = fc.record({
      seed: fc.integer({ min: 0, max: 1e6 }),
      users: fc.integer({ min: 1, max: 12 }),
      warmupSeconds: fc.constantFrom(0, 1),
      stopAt: fc.constant(Number.POSITIVE_INFINITY),
    });
    fc.assert(
      fc.property(scenario, fc.integer({ min: 2, max: 5 }), (chosen, shards) => {
        const whole = recordOf(chosen, 1);
        const merged = recordOf(chosen, shards);
        expect(comparable(merged)).toEqual(comparable(whole));
        for (const kind of ["wait", "lateness"] as const) {
          expect(merged.latency[kind].meanMs).toBeCloseTo(whole.latency[kind].meanMs, 2);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("does not depend on the order of the parts", () => {
    const scenario = { seed: 5, users: 9, warmupSeconds: 1, stopAt: Number.POSITIVE_INFINITY };
    const parts = [0, 1, 2].map((shard) => part(scenario, shard, 3));
    const record = (order: readonly TrialPart[]): unknown =>
      comparable(trialRecord(trialSpec(), PLAN_LABEL, mergeParts(order)));
    expect(record(parts.toReversed())).toEqual(record(parts));
  });

  it("takes the rates of an interrupted trial over the mean of the times at which its parts stopped", () => {
    const base = { seed: 3, users: 6, warmupSeconds: 0 };
    const parts = [part({ ...base, stopAt: 1 }, 0, 2), part({ ...base, stopAt: 1.4 }, 1, 2)];
    const trial = trialRecord(trialSpec(), PLAN_LABEL, mergeParts(parts));
    const ends = parts.map(({ arrivalsEndSeconds }) => arrivalsEndSeconds) as [number, number];
    expect(ends[1]).toBeGreaterThan(ends[0]);
    expect(trial.interrupted).toBe(true);
    expect(trial.durationSeconds).toBeCloseTo((ends[0] + ends[1]) / 2, 9);
    expect(trial.rates.offered).toBeCloseTo(trial.calls.planned / trial.durationSeconds, 9);
  });

  it("adds connections, but not the CPU time and the memory that the threads of one process share", () => {
    const facts = (startedAt: string, scale: number): WorldFacts => ({
      startedAt,
      transport: "wire",
      connections: {
        wanted: 9 * scale,
        opened: 8 * scale,
        failed: scale,
        preopened: 4 * scale,
        reused: 70 * scale,
        closedByPeer: 2 * scale,
        peak: 6 * scale,
        stale: scale,
        resumed: 3 * scale,
        addresses: { "127.0.0.1": 5 * scale, [`::${scale}`]: 3 },
      },
      generator: {
        cpuSeconds: 5 + scale,
        wallSeconds: 10 + scale,
        workers: 1,
        inFlightMax: 20 * scale,
        stealRatio: 0.01 * scale,
        rssMaxBytes: 100 + scale,
        stallMaxMs: 0,
        clockJumpMs: 0,
      },
    });
    const bare = part({ seed: 1, users: 2, warmupSeconds: 0, stopAt: 9 }, 0, 1);
    const merged = mergeParts([
      { ...bare, facts: facts("2026-01-01T00:00:00.002Z", 1) },
      { ...bare, facts: facts("2026-01-01T00:00:00.001Z", 2) },
    ]);
    expect(merged.facts).toEqual({
      startedAt: "2026-01-01T00:00:00.001Z",
      transport: "wire",
      connections: {
        wanted: 27,
        opened: 24,
        failed: 3,
        preopened: 12,
        reused: 210,
        closedByPeer: 6,
        peak: 18,
        stale: 3,
        resumed: 9,
        addresses: { "127.0.0.1": 15, "::1": 3, "::2": 3 },
      },
      generator: {
        cpuSeconds: 7,
        wallSeconds: 12,
        workers: 2,
        inFlightMax: 60,
        stealRatio: 0.02,
        rssMaxBytes: 102,
        stallMaxMs: 0,
        clockJumpMs: 0,
      },
      remarks: [],
    });
  });

  it("hands remarks of the world on to the verdict, each once, with the worst figure", () => {
    const remark = (code: string, figure: number) =>
      ({ code, severity: "note", message: `${code} ${figure}`, figure, limit: 0, hint: "-" }) as const;
    const bare = part({ seed: 1, users: 2, warmupSeconds: 0, stopAt: 9 }, 0, 1);
    const merged = mergeParts([
      { ...bare, facts: { ...FACTS, remarks: [remark("a", 2)] } },
      { ...bare, facts: { ...FACTS, remarks: [remark("a", 3), remark("b", 1)] } },
      { ...bare, facts: { ...FACTS, remarks: [remark("a", 1)] } },
    ]);
    const { reasons } = trialRecord(trialSpec(), PLAN_LABEL, merged).validity;
    expect(reasons.filter(({ hint }) => hint === "-").map(({ message }) => message)).toEqual(["a 3", "b 1"]);
  });

  it("judges lateness by the worst part, which would not show in a percentile over all", () => {
    const bare = part({ seed: 1, users: 2, warmupSeconds: 0, stopAt: 9 }, 0, 1);
    const late = { ...bare, worstLatenessP99Seconds: 0.03 };
    const real = trialSpec({
      workers: 3,
      world: { ...trialSpec().world, kind: "real" } as never,
    });
    const { validity } = trialRecord(real, PLAN_LABEL, mergeParts([bare, late, bare]));
    expect(validity.reasons).toContainEqual(expect.objectContaining({ code: "lateness", figure: 30 }));
  });

  it("refuses to make a trial of nothing", () => {
    expect(() => mergeParts([])).toThrow(RangeError);
  });
});
