import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { WorkerPool } from "../../targets/real-server/worker-pool.ts";

interface FakeJob {
  readonly name: string;
  isAbandoned: boolean;
}

/** A pool in a world of its own, whose timers are late by `lateMs`. */
function fakePool({ workers = 1, serviceMs = 10, queueMax = 100, lateMs = 0 }) {
  const world = { nowMs: 0, log: [] as string[], timers: [] as { dueMs: number; step: () => void }[] };
  const pool = new WorkerPool<FakeJob>(workers, serviceMs, queueMax, {
    nowMs: () => world.nowMs,
    wake: (afterMs, step) => void world.timers.push({ dueMs: world.nowMs + afterMs + lateMs, step }),
    isAbandoned: (job) => job.isAbandoned,
    answer: (job) => void world.log.push(`${world.nowMs} answer ${job.name}`),
    refuse: (job) => void world.log.push(`${world.nowMs} refuse ${job.name}`),
  });
  const arrive = (name: string): FakeJob => {
    const job = { name, isAbandoned: false };
    pool.arrive(job);
    return job;
  };
  const next = (): boolean => {
    world.timers.sort((a, b) => a.dueMs - b.dueMs);
    const timer = world.timers.shift();
    if (timer === undefined) return false;
    world.nowMs = timer.dueMs;
    timer.step();
    return true;
  };
  return { pool, world, arrive, next };
}

describe("WorkerPool", () => {
  test("works on as many jobs at once as it has workers, the others in order", () => {
    const { pool, world, arrive, next } = fakePool({ workers: 2 });
    for (const name of ["a", "b", "c", "d", "e"]) arrive(name);
    expect(pool.read()).toMatchObject({ busy: 2, queue: 3, queueMax: 3 });
    while (next());
    expect(world.log).toEqual(["10 answer a", "10 answer b", "20 answer c", "20 answer d", "30 answer e"]);
    expect(pool.read()).toEqual({ served: 5, abandoned: 0, refused: 0, busy: 0, queue: 0, queueMax: 3 });
    expect(pool.read().queueMax).toBe(0);
  });

  test("does the work of a job whose client has gone all the same", () => {
    const { pool, world, arrive, next } = fakePool({});
    arrive("a").isAbandoned = true;
    arrive("b");
    while (next());
    expect(world.log).toEqual(["20 answer b"]);
    expect(pool.read()).toMatchObject({ served: 1, abandoned: 1 });
  });

  test("refuses what finds the queue full", () => {
    const { pool, world, arrive } = fakePool({ queueMax: 1 });
    for (const name of ["a", "b", "c"]) arrive(name);
    expect(world.log).toEqual(["0 refuse c"]);
    expect(pool.read()).toMatchObject({ refused: 1, busy: 1, queue: 1 });
  });

  test("serves workers / serviceMs a second though its timers are late", () => {
    const { world, arrive, next } = fakePool({ workers: 4, serviceMs: 20, lateMs: 2, queueMax: 10_000 });
    for (let job = 0; job < 2000; job += 1) arrive(String(job));
    while (next());
    expect(2000 / (world.nowMs / 1000)).toBeGreaterThan(199);
    expect(2000 / (world.nowMs / 1000)).toBeLessThanOrEqual(200);
  });

  test("makes no stall of the process good", () => {
    const { world, arrive, next } = fakePool({});
    for (const name of ["a", "b", "c"]) arrive(name);
    world.timers[0]!.dueMs = 1000;
    while (next());
    expect(world.log).toEqual(["1000 answer a", "1005 answer b", "1015 answer c"]);
  });

  test("every arrival is served, abandoned, refused, in work or waiting, whatever the order of events", () => {
    const events = fc.array(fc.constantFrom("arrive", "next", "leave"), { maxLength: 200 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.integer({ min: 1, max: 5 }),
        events,
        (workers, queueMax, sequence) => {
          const { pool, arrive, next } = fakePool({ workers, queueMax });
          const jobs: FakeJob[] = [];
          for (const event of sequence) {
            if (event === "arrive") jobs.push(arrive(`job${jobs.length}`));
            else if (event === "next") next();
            else if (jobs.length > 0) jobs[Math.floor(jobs.length / 2)]!.isAbandoned = true;
          }
          const { served, abandoned, refused, busy, queue } = pool.read();
          expect(served + abandoned + refused + busy + queue).toBe(jobs.length);
          expect(queue === 0 || busy === workers).toBe(true);
        },
      ),
    );
  });
});
