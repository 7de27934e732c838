import { describe, expect, test } from "vitest";
import type { BackendState } from "../../src/plan/timeline.ts";
import { SlopeBackend, type SlopeOptions } from "../../targets/overloadable/slope-backend.ts";

interface FakeJob {
  readonly name: string;
  isAbandoned: boolean;
}

const USUAL: BackendState = { capacityFactor: 1, addedSeconds: 0, retryAfterSeconds: undefined };

/** A backend whose timers run out when the test lets time pass. */
function fakeSlope(options: Partial<SlopeOptions> = {}) {
  const timers: { readonly atMs: number; readonly step: () => void }[] = [];
  const world = { nowMs: 0, log: [] as string[], state: USUAL };
  const backend = new SlopeBackend<FakeJob>(
    { baseMs: 50, slopeMs: 1, capacity: 100, ...options },
    {
      isAbandoned: (job) => job.isAbandoned,
      accept: (job) => world.log.push(`${world.nowMs} accept ${job.name}`),
      reject: (job) => world.log.push(`${world.nowMs} reject ${job.name}`),
      state: () => world.state,
      after: (milliseconds, step) => timers.push({ atMs: world.nowMs + milliseconds, step }),
    },
  );
  const arrive = (name: string): FakeJob => {
    const job = { name, isAbandoned: false };
    backend.arrive(job);
    return job;
  };
  const until = (untilMs: number): void => {
    timers.sort((a, b) => a.atMs - b.atMs);
    while (timers[0] !== undefined && timers[0].atMs <= untilMs) {
      const { atMs, step } = timers.shift()!;
      world.nowMs = atMs;
      step();
    }
    world.nowMs = untilMs;
  };
  return { backend, world, arrive, until };
}

describe("SlopeBackend", () => {
  test("a request takes base + slope x those in work when it arrived, itself included", () => {
    const { world, arrive, until } = fakeSlope();
    for (const name of ["a", "b", "c"]) arrive(name);
    until(52.5);
    arrive("d");
    until(200);
    expect(world.log).toEqual(["51 accept a", "52 accept b", "53 accept c", "104.5 accept d"]);
  });

  test("work goes on after its client has left, and slows others down meanwhile", () => {
    const { backend, world, arrive, until } = fakeSlope();
    arrive("a").isAbandoned = true;
    arrive("b");
    expect(backend.read()).toMatchObject({ queue: 2, queueMax: 2, inFlight: 2, abandoned: 0 });
    until(200);
    expect(world.log).toEqual(["52 accept b"]);
    expect(backend.read()).toMatchObject({ accepted: 1, abandoned: 1, rejected: 0, queue: 0, inFlight: 0 });
    expect(backend.read()).toMatchObject({ queueMax: 0 });
  });

  test("a capacity of f divides the slope of what arrives meanwhile, and leaves the base", () => {
    const { world, arrive, until } = fakeSlope();
    arrive("a");
    world.state = { ...USUAL, capacityFactor: 0.25 };
    arrive("b");
    until(200);
    expect(world.log).toEqual(["51 accept a", "58 accept b"]);
  });

  test("an outage rejects at once what arrives, and what is in work is done", () => {
    const { backend, world, arrive, until } = fakeSlope();
    arrive("a");
    world.state = { ...USUAL, capacityFactor: 0 };
    arrive("b");
    until(200);
    expect(world.log).toEqual(["0 reject b", "51 accept a"]);
    expect(backend.read()).toMatchObject({ accepted: 1, rejected: 1 });
  });

  test("only the bound on memory rejects", () => {
    const { backend, arrive } = fakeSlope({ capacity: 2 });
    for (const name of ["a", "b", "c"]) arrive(name);
    expect(backend.read()).toMatchObject({ rejected: 1, queue: 2 });
  });
});
