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

  test("with a slope of 0 it works on so many at once, each for its time, and rejects the rest at once", () => {
    const { backend, world, arrive, until } = fakeSlope({ slopeMs: 0, capacity: 6 });
    for (const name of ["a", "b", "c", "d", "e", "f", "g", "h"]) arrive(name);
    expect(world.log).toEqual(["0 reject g", "0 reject h"]);
    expect(backend.read()).toMatchObject({ rejected: 2, queue: 6, queueMax: 6, inFlight: 6, warmth: null });
    until(49);
    arrive("i");
    until(50);
    arrive("j");
    until(200);
    expect(world.log.slice(2)).toEqual([
      "49 reject i",
      ...["a", "b", "c", "d", "e", "f"].map((name) => `50 accept ${name}`),
      "100 accept j",
    ]);
    expect(backend.read()).toMatchObject({ accepted: 7, rejected: 3, queue: 0, queueMax: 6 });
  });

  test("in a ramp the slope is that of the moment of arrival", () => {
    const { world, arrive, until } = fakeSlope();
    for (const [name, capacityFactor] of [
      ["a", 0.5],
      ["b", 0.8],
    ] as const) {
      world.state = { ...USUAL, capacityFactor };
      arrive(name);
    }
    until(200);
    expect(world.log).toEqual(["52 accept a", "52.5 accept b"]);
  });
});
