import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Backend, type BackendOptions } from "../../targets/overloadable/backend.ts";

interface FakeJob {
  readonly name: string;
  isAbandoned: boolean;
}

/** A backend in a world of its own: burning moves the clock, and a turn comes when the test gives one. */
function fakeBackend(options: Partial<BackendOptions>) {
  const world = { nowMs: 0, log: [] as string[], turns: [] as (() => void)[] };
  const backend = new Backend<FakeJob>(
    { mode: "shed", acceptMs: 1, rejectMs: 0.25, capacity: 2, reserve: 0, ...options },
    {
      burn(milliseconds) {
        world.nowMs += milliseconds;
        return milliseconds / 1000;
      },
      defer: (step) => world.turns.push(step),
      isAbandoned: (job) => job.isAbandoned,
      accept: (job) => world.log.push(`${world.nowMs} accept ${job.name}`),
      reject: (job) => world.log.push(`${world.nowMs} reject ${job.name}`),
    },
  );
  const arrive = (name: string, criticality = 0): FakeJob => {
    const job = { name, isAbandoned: false };
    backend.arrive(job, criticality);
    return job;
  };
  const turn = (): boolean => {
    const step = world.turns.shift();
    step?.();
    return step !== undefined;
  };
  return { backend, world, arrive, turn };
}

describe("Backend in mode shed", () => {
  test("keeps a share of its queue for what matters more, a step of it for each class", () => {
    const { world, arrive, turn } = fakeBackend({ capacity: 4, reserve: 0.25, rejectMs: 0 });
    for (const [name, criticality] of Object.entries({ d: 3, D: 3, c: 2, b: 1, B: 1, a: 0, A: 0 }))
      arrive(name, criticality);
    while (turn());
    expect(world.log.filter((line) => line.includes("reject")).map((line) => line.at(-1))).toEqual(["D", "B", "A"]);
  });

  test("turns away what finds the queue full; a round is one job, then the rejections due when it ended", () => {
    const { backend, world, arrive, turn } = fakeBackend({});
    for (const name of ["a", "b", "c", "d"]) arrive(name);
    expect(backend.read()).toMatchObject({ rejected: 2, queue: 2, inFlight: 4, cpuRejectSeconds: 0 });
    turn();
    for (const name of ["e", "f"]) arrive(name);
    while (turn());
    expect(world.log).toEqual([
      "1 accept a",
      "1.25 reject c",
      "1.5 reject d",
      "2.5 accept b",
      "2.75 reject f",
      "3.75 accept e",
    ]);
    expect(backend.read()).toEqual({
      accepted: 3,
      rejected: 3,
      abandoned: 0,
      queue: 0,
      queueMax: 2,
      inFlight: 0,
      cpuAcceptSeconds: 0.003,
      cpuRejectSeconds: 0.00075,
    });
  });

  test("a storm of rejections lets one job through per round", () => {
    const { backend, arrive, turn } = fakeBackend({ capacity: 1 });
    for (let round = 0; round < 5; round += 1) {
      for (let request = 0; request < 100; request += 1) arrive("x");
      for (let step = 0; step < 100; step += 1) turn();
    }
    expect(backend.read()).toMatchObject({ accepted: 5, rejected: 495, inFlight: 0 });
  });

  test("skips abandoned jobs without burning and in one turn", () => {
    const { backend, world, arrive, turn } = fakeBackend({ capacity: 9 });
    const gone = [arrive("a"), arrive("b")];
    arrive("c");
    for (const job of gone) job.isAbandoned = true;
    turn();
    expect(world.log).toEqual(["1 accept c"]);
    expect(backend.read()).toMatchObject({ accepted: 1, abandoned: 2, queue: 0, cpuAcceptSeconds: 0.001 });
  });

  test("skips the rejections of clients that have gone, in the same turn", () => {
    const { backend, world, arrive, turn } = fakeBackend({ capacity: 1 });
    const jobs = ["a", "b", "c", "d"].map((name) => arrive(name));
    turn();
    for (const job of jobs.slice(1, 3)) job.isAbandoned = true;
    while (turn());
    expect(world.log).toEqual(["1 accept a", "1.25 reject d"]);
    expect(backend.read()).toMatchObject({ accepted: 1, rejected: 3, inFlight: 0, cpuRejectSeconds: 0.00025 });
  });

  test("a queue of abandoned jobs alone empties without work", () => {
    const { backend, arrive, turn } = fakeBackend({});
    arrive("a").isAbandoned = true;
    expect([turn(), turn()]).toEqual([true, false]);
    expect(backend.read()).toMatchObject({ accepted: 0, abandoned: 1, queue: 0, cpuAcceptSeconds: 0 });
  });

  test.each([
    { offered: 500, goodput: 500 },
    { offered: 1000, goodput: 1000 },
    { offered: 1500, goodput: (1000 - 0.3 * 1500) / 0.7 },
    { offered: 2000, goodput: (1000 - 0.3 * 2000) / 0.7 },
    { offered: 3000, goodput: (1000 - 0.3 * 3000) / 0.7 },
    { offered: 4000, goodput: 0 },
  ])("goodput at $offered/s is (C - r L) / (1 - r), here $goodput/s", ({ offered, goodput }) => {
    const { backend, world, arrive, turn } = fakeBackend({ rejectMs: 0.3, capacity: 50 });
    const seconds = 20;
    let arrivals = 0;
    while (world.nowMs < seconds * 1000) {
      // As the process does: read what has arrived, rejections included, then work on one job.
      while (arrivals * (1000 / offered) <= world.nowMs && world.nowMs < seconds * 1000) arrive(String(arrivals++));
      if (!turn()) world.nowMs = arrivals * (1000 / offered);
    }
    expect(Math.abs(backend.read().accepted / seconds - goodput)).toBeLessThan(15);
  });
});

describe("Backend in mode fifo", () => {
  test("burns for abandoned jobs as well and drops their answers", () => {
    const { backend, world, arrive, turn } = fakeBackend({ mode: "fifo", capacity: 9 });
    arrive("a").isAbandoned = true;
    arrive("b");
    while (turn());
    expect(world.log).toEqual(["2 accept b"]);
    expect(backend.read()).toMatchObject({ accepted: 1, abandoned: 1, cpuAcceptSeconds: 0.002 });
  });

  test("rejects beyond the bound", () => {
    const { backend, arrive } = fakeBackend({ mode: "fifo", capacity: 1 });
    arrive("a");
    arrive("b");
    expect(backend.read()).toMatchObject({ rejected: 1, queue: 1 });
  });
});

test("every arrival is accepted, rejected, abandoned or waiting, whatever the order of events", () => {
  const events = fc.array(fc.constantFrom("arrive", "turn", "leave"), { maxLength: 200 });
  fc.assert(
    fc.property(fc.constantFrom("shed", "fifo"), fc.integer({ min: 1, max: 5 }), events, (mode, capacity, sequence) => {
      const { backend, world, arrive, turn } = fakeBackend({ mode, capacity });
      const jobs: FakeJob[] = [];
      for (const event of sequence) {
        if (event === "arrive") jobs.push(arrive(`job${jobs.length}`));
        else if (event === "turn") turn();
        else if (jobs.length > 0) (jobs[Math.floor(jobs.length / 2)] as FakeJob).isAbandoned = true;
      }
      const { accepted, rejected, abandoned, queue } = backend.read();
      expect(accepted + rejected + abandoned + queue).toBe(jobs.length);
      while (turn());
      expect(backend.read()).toMatchObject({ queue: 0, inFlight: 0 });
      const answered = world.log.map((line) => line.split(" ").at(-1));
      expect(new Set(answered).size).toBe(answered.length);
      for (const job of jobs) if (!job.isAbandoned) expect(answered).toContain(job.name);
    }),
  );
});

test("Backend asks for one turn at a time and for none while nothing waits", () => {
  const { world, arrive, turn } = fakeBackend({});
  expect(world.turns).toHaveLength(0);
  arrive("a");
  arrive("b");
  expect(world.turns).toHaveLength(1);
  turn();
  expect(world.turns).toHaveLength(1);
  turn();
  expect(world.turns).toHaveLength(0);
});

test("read() starts a new high-water mark of the queue and leaves the other counters alone", () => {
  const { backend, arrive, turn } = fakeBackend({});
  arrive("a");
  arrive("b");
  expect(backend.read()).toMatchObject({ queue: 2, queueMax: 2 });
  turn();
  expect(backend.read()).toMatchObject({ queue: 1, queueMax: 2, accepted: 1 });
  expect(backend.read()).toMatchObject({ queue: 1, queueMax: 1, accepted: 1 });
});
