/** Trials whose load the governor drives, in virtual time: what theory says of it, by the trial as it stands in the result. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { GovernorSpec, ModelSpec, TrialSpec, VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import type { Governed } from "../../../src/result/governor-schema.ts";
import { resultSchema, type TrialResult } from "../../../src/result/schema.ts";
import { median } from "../../../src/stats/median.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const CAPACITY = 400;
const GOVERNOR: GovernorSpec = {
  control: "rate",
  high: 0.05,
  low: 0.01,
  floor: 1,
  ceiling: Number.POSITIVE_INFINITY,
  start: 1,
  windowSeconds: 2,
  holdWindows: 12,
  holdBand: 0.15,
};
/** So many that no offer holds before the time is over. */
const NEVER_HELD = { holdWindows: 100_000 };

interface Search {
  readonly model?: ModelSpec;
  readonly governor?: Partial<GovernorSpec>;
  readonly law?: "constant" | "poisson";
  readonly durationSeconds?: number;
  readonly seed?: number;
  readonly trial?: Partial<TrialSpec>;
  readonly script?: VirtualWorldSpec["script"];
}

function shed(change: Partial<Extract<ModelSpec, { name: "shed" }>> = {}): ModelSpec {
  return { name: "shed", capacity: CAPACITY, burst: 10, rejectCost: 0, latencySeconds: 0, ...change };
}

async function search(options: Search = {}): Promise<TrialResult & { readonly governor: Governed }> {
  const { model = shed(), governor, law = "constant", durationSeconds = 180, seed = 1, script } = options;
  const trial = await executeTrial(
    trialSpec({
      policy: { name: "none", options: {} },
      governor: { ...GOVERNOR, ...governor },
      plan: {
        seed,
        arrival: { law, rate: { kind: "constant", rps: 1 } },
        warmupSeconds: 0,
        durationSeconds,
        users: 100,
      },
      world: { kind: "virtual", model, ...(script === undefined ? {} : { script }) },
      ...options.trial,
    }),
    UNWATCHED,
  );
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  return trial as TrialResult & { readonly governor: Governed };
}

function offers({ windows }: Governed): readonly number[] {
  return windows.map(({ offer }) => offer);
}

function isInDeadBand(offer: number): boolean {
  return offer > CAPACITY / 0.99 && offer <= CAPACITY / 0.95;
}

describe("a sharp capacity under rate control", () => {
  it.each([1, 2, 3, 7, 10, 33, 150, 399, 405, 700])(
    "is found from %d/s, and the goodput there is it",
    async (start) => {
      const trial = await search({ governor: { start } });
      const { governor } = trial;
      expect(governor.ended).toBe("held");
      expect(isInDeadBand(governor.windows.at(-1)?.offer ?? 0)).toBe(true);
      expect(governor.goodput).toBeGreaterThan(0.97 * CAPACITY);
      expect(governor.goodput).toBeLessThan(1.03 * CAPACITY);
      expect(governor.failedShare).toBeGreaterThan(0.01);
      expect(governor.failedShare).toBeLessThanOrEqual(0.05);
      expect(trial.validity).toEqual({ verdict: "valid", reasons: [] });
    },
  );

  it("is passed after as many doublings as it takes, and held for as many windows as were asked for", async () => {
    const { governor, durationSeconds, interrupted, series, plan, calls } = await search({
      governor: { holdWindows: 5 },
    });
    const climb = Math.ceil(Math.log2(CAPACITY));
    expect(offers(governor).findIndex((offer) => offer > CAPACITY)).toBe(climb);
    expect(governor.windows).toHaveLength(climb + 1 + 5);
    // It ended with its last window: not interrupted, and what was offered is told over the time that it took.
    expect(durationSeconds).toBe(2 * governor.windows.length);
    expect(interrupted).toBe(false);
    expect(series).toHaveLength(durationSeconds);
    expect(plan.arrivals).toBe(calls.planned);
    expect(governor.windows.reduce((sum, window) => sum + window.calls, 0)).toBe(calls.planned);
  });

  it("tells each movement with its time, and each window with what decided it", async () => {
    const { governor } = await search({ model: shed({ latencySeconds: 0.01 }) });
    const [started, climbing] = governor.events;
    expect(started).toMatchObject({ atSeconds: 0, level: "info", kind: "started" });
    expect(climbing).toMatchObject({ atSeconds: 2, level: "info", kind: "up" });
    expect(climbing?.text).toBe("0.0 % of attempts failed (0/2 in 2 s) < 1.0 %: climbing, rate 1 -> 2 (ceiling ∞)");
    const cut = governor.windows.find(({ decision }) => decision === "down");
    expect(cut).toMatchObject({ fromSeconds: 18, toSeconds: 20, offer: 512, lastBad: 512, p50Ms: 10, p99Ms: 10 });
    expect(governor.events.find(({ kind }) => kind === "down")).toMatchObject({ atSeconds: 20, level: "warn" });
  });

  it("says so when the time was over before it was found", async () => {
    const trial = await search({ durationSeconds: 10 });
    expect(trial.governor.ended).toBe("duration");
    expect(trial.durationSeconds).toBe(10);
    expect(trial.governor.windows).toHaveLength(5);
    expect(trial.validity).toMatchObject({
      verdict: "suspect",
      reasons: [{ code: "few-samples" }, { code: "capacity-not-held", figure: 5, limit: 12 }],
    });
  });

  it("looks at the window that ends with the arrivals, whether calls are under way then or none is", async () => {
    for (const latencySeconds of [0, 0.9]) {
      const { governor } = await search({ model: shed({ latencySeconds }), durationSeconds: 6 });
      expect(governor.windows.at(-1)).toMatchObject({ fromSeconds: 4, toSeconds: 6, decision: "up" });
    }
  });

  it("has windows of its length exactly, also of one that no double is", async () => {
    const { governor } = await search({ governor: { windowSeconds: 0.3, start: 20 }, durationSeconds: 30 });
    governor.windows.forEach(({ fromSeconds, toSeconds, decision }, index) => {
      expect(fromSeconds).toBeCloseTo(0.3 * index, 9);
      expect(toSeconds - fromSeconds).toBeGreaterThanOrEqual(0.3);
      expect(decision).not.toBe("none");
    });
  });

  it("settles near 0.92 of it where arrivals are Poisson, of which more than a few percent at it are too many", async () => {
    const settled: number[] = [];
    for (const seed of [1, 2, 3]) {
      const { governor } = await search({ law: "poisson", seed, governor: NEVER_HELD, durationSeconds: 400 });
      settled.push(median(offers(governor).slice(-150)) / CAPACITY);
    }
    expect(median(settled)).toBeGreaterThan(0.87);
    expect(median(settled)).toBeLessThan(0.97);
  });

  it("is never looked for above the ceiling, which ends the search as well as it does", async () => {
    const { governor } = await search({ governor: { ceiling: 100 } });
    expect(governor.ended).toBe("held");
    expect(Math.max(...offers(governor))).toBe(100);
    expect(governor.events.some(({ kind }) => kind === "down")).toBe(false);
  });

  it("is looked for through retries: by attempts, which fail where calls come right", async () => {
    const retry = { name: "backoff", options: { base: 0.01, cap: 0.01, maxAttempts: 8 } };
    const { governor } = await search({ trial: { policy: retry }, governor: NEVER_HELD, durationSeconds: 120 });
    const last = governor.windows.slice(-20);
    expect(last.every(({ sent, calls }) => sent >= calls)).toBe(true);
    expect(last.some(({ sent, calls }) => sent > calls)).toBe(true);
    expect(Math.max(...last.map(({ offer }) => offer))).toBeLessThan(1.05 * CAPACITY);
  });
});

describe("a target that changes", () => {
  it("heals after a minute: what failed is forgotten, and the offer climbs to the greater capacity", async () => {
    const script = [{ kind: "capacity", fromSeconds: 0, toSeconds: 60, factor: 0.25 }] as const;
    const { governor } = await search({
      model: shed({ burst: 2 }),
      script,
      governor: NEVER_HELD,
      durationSeconds: 240,
    });
    const ill = governor.windows.filter(({ toSeconds }) => toSeconds <= 60);
    expect(ill.at(-1)?.offer).toBeLessThan(0.3 * CAPACITY);
    expect(governor.events.some(({ kind, atSeconds }) => kind === "cleared" && atSeconds > 60)).toBe(true);
    expect(governor.windows.slice(-10).every(({ offer }) => isInDeadBand(offer))).toBe(true);
  });

  it("is climbed against with half of all attempts failing where the bounds lie above that, and not where they do not", async () => {
    const model: ModelSpec = { name: "bernoulli", accept: 0.5, latencySeconds: 0 };
    const above = await search({ model, governor: { high: 0.7, low: 0.6, ceiling: 800 } });
    expect(above.governor.windows.at(-1)?.offer).toBe(800);
    const below = await search({ model, governor: { ceiling: 800 } });
    expect(Math.max(...offers(below.governor))).toBeLessThanOrEqual(16);
  });

  it("is probed at the floor while it is down, and no more", async () => {
    const model: ModelSpec = { name: "bernoulli", accept: 0, latencySeconds: 0 };
    const { governor } = await search({ model, governor: { start: 64 } });
    expect(governor.windows.at(-1)?.offer).toBe(1);
    expect(governor).toMatchObject({ ended: "held", goodput: 0, failedShare: 1 });
  });
});

describe("concurrency control", () => {
  const SLOTS = 6;
  const slots: ModelSpec = { name: "fifo", workers: SLOTS, serviceSeconds: 0.01, queueMax: 0, latencySeconds: 0 };
  const fibres: Partial<GovernorSpec> = {
    control: "concurrency",
    high: 0.1,
    low: 0.02,
    floor: 2,
    ceiling: 32,
    windowSeconds: 0.25,
  };
  const retry = { name: "backoff", options: { base: 0.01, cap: 0.01, maxAttempts: 8 } };

  it.each([2, 3, 4, 5, 6])("does not cut above 16 where a target takes six at a time, from %d on", async (start) => {
    const { governor } = await search({
      model: slots,
      governor: { ...fibres, ...NEVER_HELD, start },
      trial: { policy: retry },
      durationSeconds: 50,
    });
    const cuts = governor.windows.filter(({ decision }) => decision === "down").map(({ offer }) => offer);
    expect(cuts.length).toBeGreaterThan(0);
    expect(Math.max(...cuts)).toBeLessThanOrEqual(16);
    expect(governor.events.some(({ text }) => text.includes("climbing"))).toBe(true);
    const settled = governor.windows.slice(-100);
    const accepted = settled.reduce((sum, { successes }) => sum + successes, 0) / (100 * 0.25);
    expect(accepted / (SLOTS / 0.01)).toBeGreaterThan((SLOTS - 1) / SLOTS);
  });

  it("has as many calls under way as fibres, each user its own, none of them ever late", async () => {
    const model: ModelSpec = { name: "fifo", workers: 100, serviceSeconds: 0.1, latencySeconds: 0 };
    const governor = { ...fibres, start: 4, ceiling: 4, floor: 4, windowSeconds: 1, holdWindows: 3 };
    const trial = await search({ model, governor });
    expect(trial.calls.planned).toBe(4 * 10 * 3);
    expect(trial.users).toMatchObject({ active: 4, jain: 1 });
    expect(trial.latency.lateness.maxMs).toBe(0);
    expect(trial.late).toMatchObject({ sent: 0, dropped: 0 });
    expect(trial.latency.response.ok).toMatchObject({ minMs: 100, maxMs: 100 });
    expect(trial.validity.verdict).toBe("valid");
    expect(trial.governor.windows.every(({ offer }) => offer === 4)).toBe(true);
  });

  it("goes on in time where calls take none, one a millisecond", async () => {
    const model: ModelSpec = { name: "bernoulli", accept: 1, latencySeconds: 0 };
    const { calls } = await search({ model, governor: { ...fibres, start: 2, ceiling: 2 }, durationSeconds: 1 });
    expect(calls.planned).toBe(2000);
  });
});

describe("whatever the governor is told", () => {
  const DURATION_SECONDS = 8;
  const options: fc.Arbitrary<Partial<GovernorSpec>> = fc.record({
    control: fc.constantFrom("rate" as const, "concurrency" as const),
    high: fc.constantFrom(0, 0.05, 0.3, 1),
    low: fc.constantFrom(0, 0.01),
    floor: fc.constantFrom(0.25, 1, 5),
    ceiling: fc.constantFrom(7, 100),
    start: fc.constantFrom(1, 3.7, 90),
    windowSeconds: fc.constantFrom(0.1, 0.3, 1, 2.5),
    holdWindows: fc.integer({ min: 2, max: 6 }),
    holdBand: fc.constantFrom(0, 0.1, 1),
  });
  const models: fc.Arbitrary<ModelSpec> = fc.constantFrom<ModelSpec>(
    shed({ capacity: 40 }),
    shed({ capacity: 40, latencySeconds: 0.3 }),
    { name: "fifo", workers: 2, serviceSeconds: 0.05, latencySeconds: 0.01 },
    { name: "bernoulli", accept: 0.9, latencySeconds: 0 },
    { name: "bernoulli", accept: 0, latencySeconds: 5 },
  );
  const policies = fc.constantFrom(
    { name: "none", options: {} },
    { name: "sre", options: { window: 2 } },
    { name: "backoff", options: { base: 0.01, cap: 0.1, maxAttempts: 4 } },
    { name: "breaker-consecutive", options: {} },
  );

  it("counts add up, and the same trial has the same bits again", async () => {
    await fc.assert(
      fc.asyncProperty(
        options,
        models,
        policies,
        fc.constantFrom("constant" as const, "poisson" as const),
        fc.integer({ min: 0, max: 1e6 }),
        async (governor, model, policy, law, seed) => {
          const low = Math.min(governor.low ?? 0, governor.high ?? 1);
          const run = (): Promise<TrialResult & { readonly governor: Governed }> =>
            search({
              governor: { ...governor, low },
              model,
              law,
              seed,
              durationSeconds: DURATION_SECONDS,
              trial: { policy, timeoutSeconds: 1, drainSeconds: 0.5, maxInFlight: 60 },
            });
          // A trial whose counts do not add up is an error.
          const first = await run();
          const again = await run();
          expect({ ...again, startedAt: "" }).toEqual({ ...first, startedAt: "" });
          expect(first.durationSeconds).toBeLessThanOrEqual(DURATION_SECONDS);
          expect(first.governor.ended).not.toBe("interrupted");
          for (const { offer } of first.governor.windows) {
            expect(offer).toBeGreaterThanOrEqual(first.governor.floor);
            expect(offer).toBeLessThanOrEqual(governor.ceiling as number);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("is cut short like any other: it ends as it stands", async () => {
    const spec = trialSpec({
      governor: { ...GOVERNOR, ...NEVER_HELD },
      plan: {
        seed: 1,
        arrival: { law: "constant", rate: { kind: "constant", rps: 1 } },
        warmupSeconds: 0,
        durationSeconds: 1e6,
        users: 10,
      },
    });
    let seen = 0;
    const trial = await executeTrial(spec, {
      stopRequested: () => seen > 3,
      progress() {
        seen += 1;
      },
    });
    expect(trial).toMatchObject({ interrupted: true, governor: { ended: "interrupted" } });
    expect(trial.governor?.windows.length).toBeGreaterThan(0);
    expect(trial.validity.reasons.map(({ code }) => code)).not.toContain("capacity-not-held");
  });
});
