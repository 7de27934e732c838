import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BackendState } from "../../src/plan/timeline.ts";
import { Backend, type BackendOptions } from "../../targets/overloadable/backend.ts";

interface FakeJob {
  readonly name: string;
  isAbandoned: boolean;
}

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };
const OUTAGE: BackendState = { ...USUAL, capacityFactor: 0 };

/** A backend in a world of its own: burning moves the clock, and a turn comes when the test gives one. */
function fakeBackend(options: Partial<BackendOptions>) {
  const world = {
    nowMs: 0,
    log: [] as string[],
    turns: [] as (() => void)[],
    state: USUAL,
    outagesOver: 0,
    chances: [] as number[],
  };
  const backend = new Backend<FakeJob>(
    { mode: "shed", acceptMs: 1, rejectMs: 0.25, capacity: 2, reserve: 0, acceptShare: 0.5, ...options },
    {
      burn(milliseconds) {
        world.nowMs += milliseconds;
        return milliseconds / 1000;
      },
      defer: (step) => world.turns.push(step),
      isAbandoned: (job) => job.isAbandoned,
      accept: (job) => world.log.push(`${world.nowMs} accept ${job.name}`),
      reject: (job) => world.log.push(`${world.nowMs} reject ${job.name}`),
      state: () => world.state,
      outagesOver: () => world.outagesOver,
      random: () => world.chances.shift() ?? Number.NaN,
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
      warmth: null,
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

describe("Backend in mode bernoulli", () => {
  test("accepts by chance alone, however many wait", () => {
    const { world, arrive, turn } = fakeBackend({ mode: "bernoulli", capacity: 100, rejectMs: 0, reserve: 0.25 });
    world.chances = [0.1, 0.5, 0.49, 0.9, 0];
    for (const name of ["a", "b", "c", "d", "e"]) arrive(name, 3);
    while (turn());
    expect(world.log).toEqual(["1 accept a", "1 reject b", "1 reject d", "2 accept c", "3 accept e"]);
  });

  test("a change of its capacity is one of its chance, and its work stays as it is", () => {
    const { world, arrive, turn } = fakeBackend({ mode: "bernoulli", capacity: 100 });
    world.state = { ...USUAL, capacityFactor: 0.5 };
    world.chances = [0.24, 0.26];
    arrive("a");
    arrive("b");
    while (turn());
    expect(world.log).toEqual(["1 accept a", "1.25 reject b"]);
  });

  test("a capacity beyond certainty accepts all; every arrival draws its chance, in an outage too", () => {
    const { world, arrive } = fakeBackend({ mode: "bernoulli", capacity: 100 });
    world.state = { ...USUAL, capacityFactor: 3 };
    world.chances = [0.999, 0];
    arrive("a");
    world.state = OUTAGE;
    arrive("b");
    expect({ log: world.log, left: world.chances }).toEqual({ log: ["0 reject b"], left: [] });
  });
});

describe("Backend that may be cold", () => {
  const cold = { coldCost: 3, warmJobs: 2, warmth: 0 };

  test.each(["shed", "fifo", "bernoulli"] as const)(
    "in mode %s a job takes longer until enough are done, and a rejection as long as ever",
    (mode) => {
      const { backend, world, arrive, turn } = fakeBackend({ mode, capacity: 2, cold });
      world.chances = [0, 0, 0.9, 0, 0];
      expect(backend.read().warmth).toEqual({ jobs: 0, cost: 3 });
      for (const name of ["a", "b", "c"]) arrive(name);
      turn();
      expect(backend.read().warmth).toEqual({ jobs: 1, cost: 2 });
      for (const name of ["d"]) arrive(name);
      while (turn());
      expect(world.log).toEqual(["3 accept a", "3.25 reject c", "5.25 accept b", "6.25 accept d"]);
      expect(backend.read().warmth).toEqual({ jobs: 2, cost: 1 });
    },
  );

  test("what its client gave up is done in mode fifo, and warms nothing", () => {
    const { backend, world, arrive, turn } = fakeBackend({ mode: "fifo", capacity: 9, cold });
    for (const name of ["a", "b", "c"]) arrive(name).isAbandoned = true;
    while (turn());
    expect(world.nowMs).toBe(9);
    expect(backend.read()).toMatchObject({ abandoned: 3, warmth: { jobs: 0, cost: 3 } });
  });

  test("an outage that is over has left it cold, and restartWarmth() makes it what it was at first", () => {
    const { backend, world, arrive, turn } = fakeBackend({ cold: { ...cold, warmth: 0.5 } });
    expect(backend.read().warmth).toEqual({ jobs: 1, cost: 2 });
    arrive("a");
    while (turn());
    world.outagesOver = 1;
    expect(backend.read().warmth).toEqual({ jobs: 0, cost: 3 });
    arrive("b");
    while (turn());
    expect(world.log).toEqual(["2 accept a", "5 accept b"]);
    world.outagesOver = 2;
    backend.restartWarmth();
    expect(backend.read().warmth).toEqual({ jobs: 1, cost: 2 });
  });
});

describe("Backend under a script", () => {
  test("at a quarter of its capacity jobs and rejections take four times as long, from the next one on", () => {
    const { world, arrive, turn } = fakeBackend({});
    for (const name of ["a", "b", "c"]) arrive(name);
    turn();
    world.state = { ...USUAL, capacityFactor: 0.25 };
    while (turn());
    expect(world.log).toEqual(["1 accept a", "2 reject c", "6 accept b"]);
  });

  test.each(["shed", "fifo"] as const)(
    "in an outage mode %s rejects at once and at no cost, and ends what it had at the usual speed",
    (mode) => {
      const { backend, world, arrive, turn } = fakeBackend({ mode });
      arrive("before");
      world.state = OUTAGE;
      arrive("within");
      expect(world.log).toEqual(["0 reject within"]);
      while (turn());
      expect(world.log.slice(1)).toEqual(["1 accept before"]);
      world.state = USUAL;
      arrive("after");
      while (turn());
      expect(world.log.slice(2)).toEqual(["2 accept after"]);
      expect(backend.read()).toMatchObject({ accepted: 2, rejected: 1, inFlight: 0, cpuRejectSeconds: 0 });
    },
  );

  test.each([
    { factor: 0.25, offered: 400, goodput: (250 - 0.3 * 400) / 0.7 },
    { factor: 0.5, offered: 1000, goodput: (500 - 0.3 * 1000) / 0.7 },
    { factor: 2, offered: 3000, goodput: (2000 - 0.3 * 3000) / 0.7 },
  ])(
    "with a capacity of $factor its goodput at $offered/s is (f C - r L) / (1 - r)",
    ({ factor, offered, goodput }) => {
      const { backend, world, arrive, turn } = fakeBackend({ rejectMs: 0.3, capacity: 50 });
      world.state = { ...USUAL, capacityFactor: factor };
      const seconds = 20;
      let arrivals = 0;
      while (world.nowMs < seconds * 1000) {
        while (arrivals * (1000 / offered) <= world.nowMs && world.nowMs < seconds * 1000) arrive(String(arrivals++));
        if (!turn()) world.nowMs = arrivals * (1000 / offered);
      }
      expect(Math.abs(backend.read().accepted / seconds - goodput)).toBeLessThan(15);
    },
  );
});

test("every arrival is accepted, rejected, abandoned or waiting, whatever the order of events", () => {
  const events = fc.array(fc.constantFrom("arrive", "turn", "leave", "outage", "usual"), { maxLength: 200 });
  const modes = fc.constantFrom("shed", "fifo", "bernoulli");
  fc.assert(
    fc.property(modes, fc.integer({ min: 1, max: 5 }), events, (mode, capacity, sequence) => {
      const { backend, world, arrive, turn } = fakeBackend({ mode, capacity });
      world.chances = sequence.map((_, index) => (index % 3) / 3);
      const jobs: FakeJob[] = [];
      for (const event of sequence) {
        if (event === "arrive") jobs.push(arrive(`job${jobs.length}`));
        else if (event === "turn") turn();
        else if (event === "outage") world.state = OUTAGE;
        else if (event === "usual") world.state = USUAL;
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
