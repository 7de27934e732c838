import { describe, expect, it } from "vitest";
import { parseScript } from "../../../src/plan/script.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { Balancer } from "../../../src/world/virtual/balancer.ts";
import { poissonTimes, ServerBench } from "../../support/server-bench.ts";
import { trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const NEVER = { name: "bernoulli", accept: 0, latencySeconds: 0 } as const;
const ALWAYS = { name: "bernoulli", accept: 1, latencySeconds: 0 } as const;
const BALANCES = ["round-robin", "least-loaded", "pinned"] as const;

describe("Balancer", () => {
  const picks = (balancer: Balancer, users: readonly number[]) => users.map((user) => balancer.pick(user));

  it("takes them in turn", () => {
    expect(picks(new Balancer({ count: 3, balance: "round-robin" }), [7, 7, 7, 7])).toEqual([0, 1, 2, 0]);
  });

  it("gives each user its own", () => {
    expect(picks(new Balancer({ count: 3, balance: "pinned" }), [0, 1, 2, 3, 7, 7])).toEqual([0, 1, 2, 0, 1, 1]);
  });

  it("takes the one with the fewest attempts, and of several the next in turn", () => {
    const balancer = new Balancer({ count: 3, balance: "least-loaded" });
    const hand = (): number => {
      const backend = balancer.pick(0);
      balancer.handedOn(backend);
      return backend;
    };
    expect([hand(), hand(), hand(), hand()]).toEqual([0, 1, 2, 0]);
    balancer.over(1);
    expect(hand()).toBe(1);
    balancer.over(2);
    balancer.over(1);
    expect([hand(), hand(), hand()]).toEqual([2, 1, 2]);
  });
});

describe("several backends", () => {
  it("have the model's capacity each", async () => {
    const accepted = async (count: number) => {
      const model = { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 0 } as const;
      const world = { kind: "virtual", model, backends: { count, balance: "round-robin" } } as const;
      const { attempts } = await executeTrial(trialSpec({ policy: { name: "none", options: {} }, world }), UNWATCHED);
      return attempts.accepted;
    };
    expect((await accepted(4)) / (await accepted(1))).toBeCloseTo(4, 1);
  });

  it("have luck of their own each, the first one that of a backend alone", () => {
    const model = { name: "bernoulli", accept: 0.5, latencySeconds: 0 } as const;
    const times = Array.from({ length: 400 }, (_, id) => id);
    const alone = new ServerBench({ model }).sendAt(times).end().statuses;
    const backends = { count: 2, balance: "round-robin" } as const;
    const both = new ServerBench({ model, backends }).sendAt(times).end().statuses;
    const of = (backend: number) => both.filter((_, id) => id % 2 === backend);
    expect(of(0)).toEqual(alone.slice(0, 200));
    expect(of(1)).not.toEqual(of(0));
  });

  it("suffer one backend's outage by exactly the users that are pinned to it", () => {
    const script = parseScript("1s..2s:outage@2");
    const backends = { count: 4, balance: "pinned" } as const;
    const times = Array.from({ length: 400 }, () => 1.5);
    const { answers } = new ServerBench({ model: ALWAYS, backends, script }).sendAt(times).end();
    for (const { id, status } of answers) expect(status).toBe(id % 4 === 1 ? 503 : 200);
  });

  it("draw the attempts of a least-loaded balance to the one that rejects at once", () => {
    const model = { name: "fifo", workers: 1, serviceSeconds: 0.01, latencySeconds: 0 } as const;
    const backends = { count: 4, balance: "least-loaded" } as const;
    const rejected = (balance: "least-loaded" | "round-robin") => {
      const world = { model, backends: { ...backends, balance }, script: parseScript("0s..:outage@3") };
      return new ServerBench(world)
        .sendAt(poissonTimes(280, 5000))
        .end()
        .statuses.filter((status) => status === 503);
    };
    expect(rejected("least-loaded").length).toBeGreaterThan(1.3 * rejected("round-robin").length);
  });

  it("wait less for the least loaded one than for the next in turn", () => {
    const model = {
      name: "fifo",
      workers: 1,
      serviceSeconds: { law: "exponential", meanSeconds: 0.01 },
      latencySeconds: 0,
    } as const;
    const times = poissonTimes(320, 20_000);
    const mean = (balance: "least-loaded" | "round-robin", network?: { law: "exponential"; meanSeconds: number }) => {
      const world = { model, backends: { count: 4, balance }, ...(network === undefined ? {} : { network }) };
      const { answers } = new ServerBench(world).sendAt(times).end();
      return answers.reduce((sum, { id, atSeconds }) => sum + atSeconds - (times[id] as number), 0) / times.length;
    };
    expect(mean("least-loaded")).toBeLessThan(0.7 * mean("round-robin"));
    const network = { law: "exponential", meanSeconds: 0.01 } as const;
    expect(mean("least-loaded", network)).toBeLessThan(0.8 * mean("round-robin", network));
  });

  it("are free again for a least-loaded balance when clients have given up", () => {
    const model = { name: "fifo", workers: 1, serviceSeconds: 1, latencySeconds: 0 } as const;
    const bench = new ServerBench({ model, backends: { count: 2, balance: "least-loaded" } }).sendAt([
      0, 0.125, 0.25, 0.5,
    ]);
    // At 0.5 the first backend has none that anybody waits for, though it works on one; the second has one.
    expect(bench.cancelAt(0, 0.2).cancelAt(2, 0.3).end().rows).toEqual([
      [1, 1.125, 200],
      [3, 3, 200],
    ]);
  });

  it.each(BALANCES)("are all the same at a %s balance when no time passes", (balance) => {
    for (const [model, status] of [
      [ALWAYS, 200],
      [NEVER, 503],
    ] as const) {
      const statuses = new ServerBench({ model, backends: { count: 7, balance } })
        .sendAt(new Array(50).fill(0))
        .end().statuses;
      expect(statuses).toEqual(new Array(50).fill(status));
    }
  });

  it.each([
    [undefined, 1],
    [{ count: 3, balance: "pinned" } as const, 3],
  ])("must be there for a script to change them: with %o", (backends, count) => {
    const script = parseScript("1s..2s:outage@4");
    expect(() => new ServerBench({ model: ALWAYS, script, ...(backends === undefined ? {} : { backends }) })).toThrow(
      new RangeError(`Cannot simulate as 'script' must change backends from 1 to ${count}: current value is 4`),
    );
  });
});
