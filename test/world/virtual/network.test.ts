import { describe, expect, it } from "vitest";
import { stream } from "../../../src/plan/streams.ts";
import { durationsOf } from "../../../src/world/virtual/durations.ts";
import { poissonTimes, ServerBench } from "../../support/server-bench.ts";

const FAST = { name: "bernoulli", accept: 1, latencySeconds: 0 } as const;
const NETWORK = { law: "uniform", fromSeconds: 0.1, toSeconds: 0.3 } as const;

describe("a network", () => {
  it("adds each attempt's round trip, drawn in the order in which attempts are sent", () => {
    const bench = new ServerBench({ model: FAST, network: NETWORK }).sendAt([0, 1, 2, 3]).end();
    const roundTrips = durationsOf(NETWORK, stream(1, "network"));
    for (const { id, atSeconds } of bench.answers) expect(atSeconds - id).toBeCloseTo(roundTrips.next(), 12);
  });

  it("takes half of it on the way there: attempts overtake each other on their way to the server", () => {
    const model = { name: "fifo", workers: 1, serviceSeconds: 1, latencySeconds: 0 } as const;
    const times = Array.from({ length: 20 }, (_, id) => id / 1000);
    const { answers } = new ServerBench({ model, network: NETWORK }).sendAt(times).end();
    const roundTrips = durationsOf(NETWORK, stream(1, "network"));
    const arrivals = times.map((seconds, id) => ({ id, seconds: seconds + roundTrips.next() / 2 }));
    arrivals.sort((a, b) => a.seconds - b.seconds);
    expect(answers.map(({ id }) => id)).toEqual(arrivals.map(({ id }) => id));
    expect(answers.map(({ id }) => id)).not.toEqual(times.map((_, id) => id));
  });

  it("finds the script's state at the server, not that of the moment of sending", () => {
    const script = [{ kind: "capacity", fromSeconds: 0, toSeconds: 0.05, factor: 0 }] as const;
    expect(new ServerBench({ model: FAST, network: NETWORK, script }).sendAt([0]).end().statuses).toEqual([200]);
    expect(new ServerBench({ model: FAST, script }).sendAt([0]).end().statuses).toEqual([503]);
  });

  it("brings what was given up on its way to the server all the same, and no answer back", () => {
    const model = { name: "fifo", workers: 1, serviceSeconds: 10, latencySeconds: 0 } as const;
    const bench = new ServerBench({ model, network: NETWORK }).sendAt([0, 1]).cancelAt(0, 0.01).end();
    expect(bench.answers.map(({ id }) => id)).toEqual([1]);
    expect(bench.answers[0]?.atSeconds).toBeGreaterThan(20);
  });

  it("draws apart from service times, work and luck: without it they are the same, only earlier", () => {
    const fifo = {
      name: "fifo",
      workers: 1,
      serviceSeconds: { law: "exponential", meanSeconds: 0.01 },
      latencySeconds: 0,
    } as const;
    const times = Array.from({ length: 100 }, (_, id) => id);
    const serviceOf = (bench: ServerBench) => {
      const roundTrips = durationsOf(NETWORK, stream(1, "network"));
      return bench.rows.map(([id, seconds]) => seconds - id - roundTrips.next());
    };
    const near = new ServerBench({ model: fifo })
      .sendAt(times)
      .end()
      .rows.map(([id, seconds]) => seconds - id);
    const far = serviceOf(new ServerBench({ model: fifo, network: NETWORK }).sendAt(times).end());
    for (const [index, seconds] of far.entries()) expect(seconds).toBeCloseTo(near[index] as number, 9);
    const coin = { ...FAST, accept: 0.5 };
    expect(new ServerBench({ model: coin, network: NETWORK }).sendAt(times).end().statuses).toEqual(
      new ServerBench({ model: coin }).sendAt(times).end().statuses,
    );
  });

  it.each([
    [{ law: "uniform", fromSeconds: 0, toSeconds: 0.02 }],
    [{ law: "exponential", meanSeconds: 0.01 }],
    [{ law: "lognormal", medianSeconds: 0.005, p99Seconds: 0.05 }],
  ] as const)("of %o loses no answer and answers nobody twice", (network) => {
    const bench = new ServerBench({ model: FAST, network }).sendAt(poissonTimes(1000, 5000)).end();
    expect(bench.answers.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 5000 }, (_, id) => id),
    );
  });
});
