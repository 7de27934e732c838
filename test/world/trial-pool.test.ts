/** Several virtual trials at a time: the pool by itself, and with threads of its own. */

import { afterEach, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import type * as TrialPool from "../../src/world/trial-pool.ts";
import { startTrials } from "../../src/world/trial-pool.ts";
import { type TrialThread, thisThread } from "../../src/world/trial-thread.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

/** A thread on Node takes what `tsc` has put into `dist`, as the program does; Bun and Deno take the source. */
const SOURCE = "Bun" in globalThis || "Deno" in globalThis;
const threaded = (await import(
  new URL(SOURCE ? "../../src/world/trial-pool.ts" : "../../dist/src/world/trial-pool.js", import.meta.url).href
)) as typeof TrialPool;

const POLICIES = ["none", "retry", "sre", "breaker-ratio", "aimd"];

function specOf(seed: number, change: Partial<TrialSpec> = {}, plan: Partial<TrialSpec["plan"]> = {}): TrialSpec {
  const base = trialSpec(change);
  return { ...base, pair: seed, plan: { ...base.plan, seed, durationSeconds: 2, ...plan } };
}

const SPECS = Array.from({ length: 5 }, (_, seed) =>
  specOf(seed, { policy: { name: POLICIES[seed % 5] as string, options: {} } }),
);
const BROKEN = specOf(9, { policy: { name: "unheard-of", options: {} } });
/** Hours of simulated time. */
const ENDLESS = specOf(3, { arm: "endless" }, { durationSeconds: 100_000 });

function timeless(trials: readonly TrialResult[]): unknown {
  return trials.map((trial) => ({ ...trial, startedAt: "" }));
}

/** Trials that end when the test says so. */
class HeldThreads {
  readonly ends: Map<number, () => void> = new Map();
  readonly dismissed: number[] = [];
  hired = 0;

  hire(): TrialThread {
    const number = this.hired;
    this.hired += 1;
    return {
      ready: Promise.resolve(),
      execute: (spec) =>
        new Promise((resolve) => {
          this.ends.set(spec.pair, () => resolve({ pair: spec.pair } as TrialResult));
        }),
      dismiss: () => void this.dismissed.push(number),
    };
  }

  async end(pair: number): Promise<void> {
    await expect.poll(() => this.ends.has(pair), { interval: 1 }).toBe(true);
    this.ends.get(pair)?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

describe("startTrials()", () => {
  it("begins trials in order, as many at a time as there are workers, and gives them in order however they end", async () => {
    const threads = new HeldThreads();
    const told: string[] = [];
    const running = startTrials(
      SPECS.slice(0, 4),
      { workers: 2, started: (index) => told.push(`start ${index}`), ended: (index) => void told.push(`end ${index}`) },
      () => threads.hire(),
    );
    for (const pair of [1, 2, 0, 3]) await threads.end(pair);
    expect((await running.result).map(({ pair }) => pair)).toEqual([0, 1, 2, 3]);
    expect(told).toEqual(["start 0", "start 1", "end 1", "start 2", "end 2", "start 3", "end 0", "end 3"]);
    expect(threads).toMatchObject({ hired: 2, dismissed: [0, 1] });
  });

  it("hires no more threads than there are trials, and none for none", async () => {
    const threads = new HeldThreads();
    expect(await startTrials([], { workers: 3 }, () => threads.hire()).result).toEqual([]);
    const one = startTrials(SPECS.slice(0, 1), { workers: 3 }, () => threads.hire());
    await threads.end(0);
    await one.result;
    expect(threads.hired).toBe(1);
  });

  it("begins nothing after stop(): what had not begun is missing", async () => {
    const threads = new HeldThreads();
    const running = startTrials(SPECS, { workers: 2 }, () => threads.hire());
    await threads.end(1);
    running.stop();
    await threads.end(0);
    await threads.end(2);
    expect((await running.result).map(({ pair }) => pair)).toEqual([0, 1, 2]);
  });

  it("waits in the end for what is done with each trial, and ends all when that fails", async () => {
    const threads = new HeldThreads();
    const running = startTrials(
      SPECS.slice(0, 3),
      { workers: 1, ended: (index) => (index === 0 ? Promise.reject(new Error("disk full")) : undefined) },
      () => threads.hire(),
    );
    const failure = expect(running.result).rejects.toThrow("disk full");
    await threads.end(0);
    await failure;
    expect(threads.dismissed).toEqual([0]);
  });

  it("takes a thread of its own for each trial of a user's module: what that keeps must not reach the next", async () => {
    const threads = new HeldThreads();
    const policy = { name: "mine", options: {}, module: "file:///mine.mjs" };
    const specs = [0, 1, 2].map((seed) => specOf(seed, { policy }));
    const running = startTrials(specs, { workers: 1 }, () => threads.hire());
    for (const pair of [0, 1, 2]) await threads.end(pair);
    await running.result;
    expect(threads).toMatchObject({ hired: 3, dismissed: [0, 1, 2] });
  });

  it.each([0, 1.5, -1, Number.NaN])("refuses %d workers", (workers) => {
    expect(() => startTrials(SPECS, { workers }, thisThread)).toThrow(
      `Cannot execute as 'workers' must be a positive whole number: current value is ${workers}`,
    );
  });

  it("stops a trial in the middle where it runs in this thread too", async () => {
    const running = startTrials([ENDLESS, specOf(4)], { workers: 1, progress: () => running.stop() }, thisThread);
    const trials = await running.result;
    expect(trials).toHaveLength(1);
    expect(trials[0]).toMatchObject({ interrupted: true, arm: "endless" });
  });
});

describe("startTrials() with threads", () => {
  const kept: TrialPool.RunningTrials[] = [];
  const start: typeof startTrials = (specs, options) => {
    const running = threaded.startTrials(specs, options);
    kept.push(running);
    return running;
  };

  afterEach(async () => {
    for (const running of kept.splice(0)) {
      running.kill();
      await running.result.catch(() => {});
    }
  });

  it("gives the same trials, bit for bit, for one worker, three and as many as processors, and as without threads", async () => {
    const alone: TrialResult[] = [];
    for (const spec of SPECS) alone.push(await executeTrial(spec, UNWATCHED));
    const expected = timeless(alone);
    for (const workers of [1, 3]) {
      expect(timeless(await start(SPECS, { workers }).result)).toEqual(expected);
    }
    expect(timeless(await start(SPECS).result)).toEqual(expected);
  }, 90_000);

  it("tells how far each trial is", async () => {
    const seen = new Map<number, number[]>();
    const long = [1, 2].map((seed) => specOf(seed, {}, { durationSeconds: 2000 }));
    await start(long, {
      workers: 2,
      progress: (index, { planned }) => void seen.set(index, [...(seen.get(index) ?? []), planned]),
    }).result;
    expect([...seen.keys()].toSorted()).toEqual([0, 1]);
    for (const planned of seen.values()) expect(planned).toEqual(planned.toSorted((a, b) => a - b));
  });

  it("stop() ends the arrivals of all under way, and what came so far adds up", async () => {
    const running = start([ENDLESS, ENDLESS, ENDLESS], {
      workers: 2,
      progress: (index) => {
        if (index === 1) running.stop();
      },
    });
    const trials = await running.result;
    expect(trials).toHaveLength(2);
    for (const { interrupted, calls, durationSeconds } of trials) {
      const { planned, ...outcomes } = calls;
      expect(interrupted).toBe(true);
      expect(durationSeconds).toBeLessThan(100_000);
      expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(planned);
    }
  });

  it("fails with the first error, under its own name, and ends the others at once", async () => {
    const failed: number[] = [];
    const running = start([ENDLESS, BROKEN, ENDLESS], { workers: 2, failed: (index) => void failed.push(index) });
    await expect(running.result).rejects.toMatchObject({
      name: "RangeError",
      message: expect.stringContaining("unheard-of"),
    });
    expect(failed).toEqual([1]);
  });

  it("kill() ends all at once, and the trials are lost", async () => {
    const running = start([ENDLESS, ENDLESS], { workers: 2, started: () => running.kill() });
    await expect(running.result).rejects.toThrow("The threads of the simulation were ended");
  });
});
