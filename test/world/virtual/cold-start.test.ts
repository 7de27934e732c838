/** Server models that are cold at first and after an outage, and get warm by their work. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FifoModelSpec, TrialSpec } from "../../../src/engine/trial-spec.ts";
import { parseScript } from "../../../src/plan/script.ts";
import { Timeline } from "../../../src/plan/timeline.ts";
import type { TrialResult } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { Backend } from "../../../targets/overloadable/backend.ts";
import { ServerBench } from "../../support/server-bench.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const COLD = { coldCost: 3, warmJobs: 2, warmth: 0 };

describe("shed that may be cold", () => {
  const model = { name: "shed", capacity: 1, burst: 1, rejectCost: 0, latencySeconds: 0, cold: COLD } as const;

  it("takes as many tokens for a call as it is cold, and one when it is warm", () => {
    // Down to -2 at 0, to -1 at 3, and to 0 at 5.
    const times = [0, 2.5, 3, 4.5, 5, 5.5, 6, 7];
    expect(new ServerBench({ model }).sendAt(times).end().statuses).toEqual([200, 503, 200, 503, 200, 503, 200, 200]);
  });

  it("is cold again after an outage", () => {
    const warm = { ...model, cold: { ...COLD, warmth: 1 } };
    const script = parseScript("1s..2s:outage");
    expect(new ServerBench({ model: warm, script }).sendAt([0, 1, 2, 4, 5]).end().statuses).toEqual([
      200, 503, 200, 503, 200,
    ]);
  });

  it("does C / c a second in a flood while it is cold, and C when it is warm", () => {
    const busy = { ...model, capacity: 100, burst: 10, cold: { coldCost: 5, warmJobs: 1e9, warmth: 0 } };
    const flood = Array.from({ length: 20_000 }, (_, id) => id / 1000);
    const accepted = ({ statuses }: ServerBench): number => statuses.filter((status) => status === 200).length;
    expect(Math.abs(accepted(new ServerBench({ model: busy }).sendAt(flood).end()) - 400)).toBeLessThan(10);
    const warm = { ...busy, cold: { ...busy.cold, warmth: 1 } };
    expect(Math.abs(accepted(new ServerBench({ model: warm }).sendAt(flood).end()) - 2000)).toBeLessThan(15);
  });
});

describe("fifo that may be cold", () => {
  const model = { name: "fifo", workers: 1, serviceSeconds: 0.5, latencySeconds: 0, cold: COLD } as const;

  it("takes three times as long for a job, then twice, then as long as usual", () => {
    expect(new ServerBench({ model }).sendAt([0, 0.25, 0.5, 4]).end().rows).toEqual([
      [0, 1.5, 200],
      [1, 2.5, 200],
      [2, 3, 200],
      [3, 4.5, 200],
    ]);
  });

  it("works on what its client has given up, and gets no warmer by it", () => {
    const bench = new ServerBench({ model }).sendAt([0, 0.25, 0.5, 0.75]).cancelAt(1, 1).cancelAt(2, 2.25);
    // 1 is given up before its work starts, 2 too; 0 was not, and makes the last one take twice as long.
    expect(bench.end().rows).toEqual([
      [0, 1.5, 200],
      [3, 4.5, 200],
    ]);
  });

  it("counts what its client gives up while it is worked on", () => {
    expect(new ServerBench({ model }).sendAt([0, 0.25]).cancelAt(0, 1).end().rows).toEqual([[1, 2.5, 200]]);
  });

  it("rejects in an outage and when its queue is full, and is cold again after the outage", () => {
    const bounded = { ...model, queueMax: 1, cold: { ...COLD, warmth: 1 } };
    const script = parseScript("1s..2s:outage");
    expect(new ServerBench({ model: bounded, script }).sendAt([0.75, 0.875, 0.9375, 1, 2]).end().rows).toEqual([
      [2, 0.9375, 503],
      [3, 1, 503],
      [0, 1.25, 200],
      [1, 1.75, 200],
      [4, 3.5, 200],
    ]);
  });

  it("does what a fifo that is always warm does, when being cold costs nothing", () => {
    const times = fc.array(fc.double({ min: 0, max: 5, noNaN: true }), { minLength: 1, maxLength: 60 });
    const plain = fc.record({
      name: fc.constant("fifo" as const),
      workers: fc.integer({ min: 1, max: 4 }),
      serviceSeconds: fc.constantFrom(0.1, 0.37, { law: "exponential", meanSeconds: 0.2 } as const),
      latencySeconds: fc.constantFrom(0, 0.05),
      queueMax: fc.constantFrom(1, 3, 1000),
    });
    const script = parseScript("1s..1500ms:outage,2s..4s:capacity=0.3..1,3s..:latency=100ms");
    const byId = (bench: ServerBench): number[][] => bench.rows.map((row) => [...row]).sort((a, b) => a[0]! - b[0]!);
    fc.assert(
      fc.property(plain, times, (fifo, given) => {
        // What comes in the very moment in which a job ends may meet it or not.
        const distinct = [...new Set(given.map((seconds, id) => seconds + id * 1e-7))];
        const cold = { ...fifo, cold: { coldCost: 1, warmJobs: 1, warmth: 0 } };
        expect(byId(new ServerBench({ model: cold, script }).sendAt(distinct).end())).toEqual(
          byId(new ServerBench({ model: fifo, script }).sendAt(distinct).end()),
        );
      }),
    );
  });

  it("answers as the target's own code does in mode fifo, and at the same moment", () => {
    const visit = fc.record({
      gap: fc.double({ min: 0.01, max: 2, noNaN: true }),
      stays: fc.option(fc.double({ min: 0.01, max: 8, noNaN: true }), { nil: undefined }),
    });
    const cold = fc.record({
      coldCost: fc.constantFrom(1, 3.3, 8),
      warmJobs: fc.integer({ min: 1, max: 20 }),
      warmth: fc.constantFrom(0, 0.6, 1),
    });
    const script = fc.constantFrom("0s..9s:capacity=0.3..1.7", "5s..7s:capacity=0.5", "1s..:latency=0s");
    let abandoned = 0;
    fc.assert(
      fc.property(cold, script, fc.array(visit, { maxLength: 60, size: "max" }), (warming, text, given) => {
        let arrives = 0;
        const visits = given.map(({ gap, stays }) => {
          arrives += gap;
          return { arrives, leaves: stays === undefined ? Number.POSITIVE_INFINITY : arrives + stays };
        });
        const changes = parseScript(text);
        const model = { name: "fifo", workers: 1, serviceSeconds: 0.7, latencySeconds: 0, cold: warming } as const;
        const bench = new ServerBench({ model, script: changes }).sendAt(visits.map((one) => one.arrives));
        for (const [id, { leaves }] of visits.entries()) {
          if (leaves < Number.POSITIVE_INFINITY) bench.events.at(leaves, { run: () => leave(bench, id) });
        }
        const target = answersOfTarget(visits, warming, changes);
        abandoned += target.abandoned;
        expect(bench.end().rows).toEqual(target.rows);
      }),
      { numRuns: 300 },
    );
    expect(abandoned).toBeGreaterThan(500);
  });
});

/** Unless it has its answer. */
function leave(bench: ServerBench, id: number): void {
  if (bench.answers.every((answer) => answer.id !== id)) bench.server.cancel(bench.calls[id]!);
}

/** The target's code in a world in which a millisecond of its work is a second, and sockets are read between two turns. */
function answersOfTarget(
  visits: readonly { readonly arrives: number; readonly leaves: number }[],
  cold: typeof COLD,
  script: ReturnType<typeof parseScript>,
) {
  const timeline = new Timeline(script);
  const rows: [number, number, number][] = [];
  let now = 0;
  let turn: (() => void) | undefined;
  const answer = (status: number) => (id: number) => {
    if (visits[id]!.leaves > now) rows.push([id, now, status]);
  };
  const backend = new Backend<number>(
    { mode: "fifo", acceptMs: 0.7, rejectMs: 0, capacity: 1e6, reserve: 0, acceptShare: 1, cold },
    {
      burn(milliseconds) {
        now += milliseconds;
        return milliseconds;
      },
      state: () => timeline.at(now),
      outagesOver: () => timeline.outagesOver(now),
      random: () => 0,
      defer(step) {
        turn = step;
      },
      isAbandoned: (id) => visits[id]!.leaves <= now,
      accept: answer(200),
      reject: answer(503),
    },
  );
  for (let next = 0; next < visits.length || turn !== undefined; ) {
    for (; next < visits.length && visits[next]!.arrives <= now; next += 1) backend.arrive(next, 1);
    const step = turn;
    turn = undefined;
    if (step === undefined) now = visits[next]?.arrives ?? now;
    else step();
  }
  return { rows, abandoned: backend.read().abandoned };
}

/** Per second, between two seconds of the trial. */
function goodput({ series }: TrialResult, from: number, to: number): number {
  return series.slice(from, to).reduce((sum, { ok }) => sum + ok, 0) / (to - from);
}

describe("a backend that loses its cache in an outage", () => {
  const RPS = 220;
  /** 800/s when it is warm, more than three attempts a call can be; 80/s when it is cold. */
  const model: FifoModelSpec = {
    name: "fifo",
    workers: 4,
    serviceSeconds: 0.005,
    latencySeconds: 0,
    cold: { coldCost: 10, warmJobs: 2000, warmth: 1 },
  };
  const trial = (policy: TrialSpec["policy"], text: string, cold = model.cold): Promise<TrialResult> => {
    const { cold: _cold, ...warm } = model;
    return executeTrial(
      trialSpec({
        policy,
        timeoutSeconds: 0.5,
        maxInFlight: 1_000_000,
        plan: {
          seed: 1,
          users: 20,
          warmupSeconds: 0,
          durationSeconds: 90,
          arrival: { law: "poisson", rate: { kind: "constant", rps: RPS } },
        },
        world: {
          kind: "virtual",
          model: cold === undefined ? warm : { ...warm, cold },
          script: parseScript(text),
        },
      }),
      UNWATCHED,
    );
  };
  const RETRIES = { name: "retry", options: { maxAttempts: 3 } };
  const OUTAGE = "10s..20s:outage";

  it.each([RETRIES, { name: "none", options: {} }])(
    "stays down after it with $name, as what nobody waits for any more warms nothing",
    async (policy) => {
      const stuck = await trial(policy, OUTAGE);
      expect(goodput(stuck, 0, 10)).toBeGreaterThan(0.95 * RPS);
      expect(goodput(stuck, 60, 90)).toBeLessThan(0.05 * RPS);
    },
  );

  it("comes back from a slow-down to a tenth that leaves the cache alone, and from the outage with a cache that cannot be lost", async () => {
    expect(goodput(await trial({ name: "none", options: {} }, "10s..20s:capacity=0.1"), 60, 90)).toBeGreaterThan(
      0.95 * RPS,
    );
    const always = await trial(RETRIES, OUTAGE, { coldCost: 1, warmJobs: 1, warmth: 1 });
    expect(goodput(always, 30, 90)).toBeGreaterThan(0.95 * RPS);
  });

  it("comes back with clients that hold back until it is warm", async () => {
    const back = await trial({ name: "sre", options: { window: 5 } }, OUTAGE);
    expect(goodput(back, 70, 90)).toBeGreaterThan(0.9 * RPS);
  });
});
