import { describe, expect, it } from "vitest";
import { parseScript, type ScriptChange } from "../../../src/plan/script.ts";
import { describeModel } from "../../../src/world/virtual/model.ts";
import { ServerBench } from "../../support/server-bench.ts";

describe("fifo", () => {
  const model = { name: "fifo", workers: 2, serviceSeconds: 0.5, latencySeconds: 0 } as const;

  it("serves in the order of arrival, two at a time, however long the queue grows", () => {
    expect(new ServerBench({ model }).sendAt([0, 0, 0, 0.25, 0.25]).end().rows).toEqual([
      [0, 0.5, 200],
      [1, 0.5, 200],
      [2, 1, 200],
      [3, 1, 200],
      [4, 1.5, 200],
    ]);
  });

  it("does the work of clients that have given up, and tells nobody", () => {
    const bench = new ServerBench({ model: { ...model, workers: 1 } }).sendAt([0, 0]);
    expect(bench.cancelAt(0, 0.125).end().rows).toEqual([[1, 1, 200]]);
  });

  it("rejects at once what finds the queue full, and takes again what comes when a job has started", () => {
    const bounded = { ...model, workers: 1, queueMax: 1, latencySeconds: 0.125 };
    expect(new ServerBench({ model: bounded }).sendAt([0, 0, 0.25, 0.5]).end().rows).toEqual([
      [2, 0.375, 503],
      [0, 0.625, 200],
      [1, 1.125, 200],
      [3, 1.625, 200],
    ]);
  });

  it("is slower with the work that starts in a change, whenever it came", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0.25 }];
    const slow = { ...model, workers: 1 };
    expect(new ServerBench({ model: slow, script }).sendAt([0.5, 0.75, 2.5]).end().rows).toEqual([
      [0, 1, 200],
      [1, 3, 200],
      [2, 3.5, 200],
    ]);
  });

  it("rejects what comes in an outage and goes on with what it had", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }];
    expect(new ServerBench({ model: { ...model, workers: 1 }, script }).sendAt([0.75, 1, 2]).end().rows).toEqual([
      [1, 1, 503],
      [0, 1.25, 200],
      [2, 2.5, 200],
    ]);
  });

  it("keeps a million jobs' starts no longer than they wait", () => {
    const busy = { ...model, workers: 1, serviceSeconds: 0.001, queueMax: 3 };
    const bench = new ServerBench({ model: busy }).sendAt(Array.from({ length: 20_000 }, (_, id) => id * 0.0005));
    const accepted = bench.end().answers.filter(({ status }) => status === 200).length;
    expect(Math.abs(accepted - 10_000)).toBeLessThan(10);
  });
});

describe("shed", () => {
  const model = { name: "shed", capacity: 4, burst: 2, rejectCost: 0.5, latencySeconds: 0 } as const;

  it("is full again at the end of an outage, in which rejections cost nothing", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0 }];
    expect(new ServerBench({ model, script }).sendAt([0, 0, 0, 1, 1.5, 1.5, 2, 2, 2]).end().statuses).toEqual([
      200, 200, 503, 503, 503, 503, 200, 200, 503,
    ]);
  });

  it("refills at the old rate up to a change, and at the new one after it", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: 0.25, toSeconds: 10, factor: 0.5 }];
    // Empty at 0; by 0.25 one token at 4/s; then one more every half second at 2/s.
    const free = { ...model, rejectCost: 0 };
    expect(new ServerBench({ model: free, script }).sendAt([0, 0, 0.25, 0.5, 0.75, 1]).end().statuses).toEqual([
      200, 200, 200, 503, 200, 503,
    ]);
  });

  it("begins full, with a change from long before the trial too", () => {
    const script: ScriptChange[] = [{ kind: "capacity", fromSeconds: -100, factor: 0.5 }];
    const free = { ...model, rejectCost: 0 };
    expect(new ServerBench({ model: free, script }, 10).sendAt([0, 0, 0, 0.25, 0.5]).end().statuses).toEqual([
      200, 200, 503, 503, 200,
    ]);
  });

  it("says when to come again with a rejection alone, if it is told to", () => {
    const bench = new ServerBench({ model: { ...model, retryAfterSeconds: 5 } }).sendAt([0, 0, 0]).end();
    expect(bench.headers).toEqual([undefined, undefined, ["retry-after", "5"]]);
  });
});

describe("bernoulli", () => {
  it("accepts the share that it is told, whatever the load", () => {
    for (const spacing of [0.001, 1]) {
      const bench = new ServerBench({ model: { name: "bernoulli", accept: 0.7, latencySeconds: 0.25 } });
      const answers = bench.sendAt(Array.from({ length: 10_000 }, (_, id) => id * spacing)).end().answers;
      const share = answers.filter(({ status }) => status === 200).length / answers.length;
      expect(Math.abs(share - 0.7)).toBeLessThan(0.02);
      expect(answers[0]?.atSeconds).toBe(0.25);
    }
  });
});

describe("slope", () => {
  const model = { name: "slope", baseSeconds: 0.25, slopeSeconds: 0.125, latencySeconds: 0 } as const;

  it("takes a + b x, with what is in work when an attempt arrives, and itself", () => {
    expect(new ServerBench({ model }).sendAt([0, 0, 0.125, 0.5]).end().rows).toEqual([
      [0, 0.375, 200],
      [1, 0.5, 200],
      [2, 0.75, 200],
      // At 0.5 one is left: what ends at an instant is not in work any more at that instant.
      [3, 1, 200],
    ]);
  });

  it("has in work what its clients have given up", () => {
    expect(new ServerBench({ model }).sendAt([0, 0.125]).cancelAt(0, 0.0625).end().rows).toEqual([[1, 0.625, 200]]);
  });

  it("is steeper in a change of the capacity, from the same base", () => {
    const script = parseScript("1s..2s:capacity=0.5");
    expect(new ServerBench({ model, script }).sendAt([0.9375, 1, 2]).end().rows).toEqual([
      [0, 1.3125, 200],
      [1, 1.75, 200],
      [2, 2.375, 200],
    ]);
  });

  it("rejects what comes in an outage, and does not have it in work", () => {
    const script = parseScript("1s..2s:outage,0s..:retryAfter=3s");
    const bench = new ServerBench({ model, script }).sendAt([1, 1.5, 2]).end();
    expect(bench.rows).toEqual([
      [0, 1, 503],
      [1, 1.5, 503],
      [2, 2.375, 200],
    ]);
    expect(bench.headers).toEqual([["retry-after", "3"], ["retry-after", "3"], undefined]);
  });
});

describe("a script", () => {
  const MODELS = [
    { name: "shed", capacity: 1000, burst: 10, rejectCost: 0, latencySeconds: 0.5 },
    { name: "fifo", workers: 4, serviceSeconds: 0.0625, latencySeconds: 0.5 },
    { name: "slope", baseSeconds: 0.0625, slopeSeconds: 0, latencySeconds: 0.5 },
    { name: "bernoulli", accept: 1, latencySeconds: 0.5 },
  ] as const;

  it.each(MODELS)("makes answers of $name that are ready in a latency change later by it", (model) => {
    const usual = new ServerBench({ model }).sendAt([0, 2, 4]).end().answers;
    const script = parseScript("2s..3s:latency=250ms");
    const changed = new ServerBench({ model, script }).sendAt([0, 2, 4]).end().answers;
    const later = changed.map(({ atSeconds }, index) => atSeconds - (usual[index]?.atSeconds as number));
    expect(later).toEqual([0, 0.25, 0]);
  });

  it.each(MODELS)(
    "makes $name reject all that comes in an outage, and say when to come again if it tells it to",
    (model) => {
      const script = parseScript("1s..3s:outage,2s..4s:retryAfter=7s");
      const bench = new ServerBench({ model, script }).sendAt([0.5, 1, 2, 3]).end();
      const byId = (id: number) => bench.answers.findIndex((answer) => answer.id === id);
      expect([0, 1, 2, 3].map((id) => bench.answers[byId(id)]?.status)).toEqual([200, 503, 503, 200]);
      expect([0, 1, 2, 3].map((id) => bench.headers[byId(id)])).toEqual([
        undefined,
        undefined,
        ["retry-after", "7"],
        undefined,
      ]);
      expect(bench.answers[byId(1)]?.atSeconds).toBe(1.5);
    },
  );

  it("says another Retry-After than the model's own while it lasts", () => {
    const model = { ...MODELS[0], capacity: 1e-9, burst: 1, retryAfterSeconds: 1 };
    const bench = new ServerBench({ model, script: parseScript("2s..3s:retryAfter=9s") }).sendAt([0, 1, 2, 3]).end();
    expect(bench.headers.map((headers) => headers?.[1])).toEqual([undefined, "1", "9", "1"]);
  });

  it("counts its times from the beginning of the measured window", () => {
    const bench = new ServerBench({ model: MODELS[3], script: parseScript("1s..2s:outage") }, 10);
    expect(bench.sendAt([1.5, 10.5, 11.5, 12.5]).end().statuses).toEqual([200, 200, 503, 200]);
  });

  it("multiplies the probability of bernoulli, up to 1", () => {
    const model = { name: "bernoulli", accept: 0.5, latencySeconds: 0 } as const;
    const script = parseScript("1s..2s:capacity=0.5,2s..3s:capacity=4");
    const times = Array.from({ length: 30_000 }, (_, id) => id / 10_000);
    const { answers } = new ServerBench({ model, script }).sendAt(times).end();
    const share = (second: number) =>
      answers.filter(({ id, status }) => Math.floor(times[id] as number) === second && status === 200).length / 10_000;
    expect(Math.abs(share(0) - 0.5)).toBeLessThan(0.02);
    expect(Math.abs(share(1) - 0.25)).toBeLessThan(0.02);
    expect(share(2)).toBe(1);
  });

  it("leaves the luck of bernoulli alone after an outage", () => {
    const model = { name: "bernoulli", accept: 0.5, latencySeconds: 0 } as const;
    const times = Array.from({ length: 300 }, (_, id) => id / 100);
    const usual = new ServerBench({ model }).sendAt(times).end().statuses;
    const broken = new ServerBench({ model, script: parseScript("1s..2s:outage") }).sendAt(times).end().statuses;
    expect(broken.slice(0, 100)).toEqual(usual.slice(0, 100));
    expect(broken.slice(200)).toEqual(usual.slice(200));
    expect(new Set(broken.slice(100, 200))).toEqual(new Set([503]));
  });
});

describe("describeModel()", () => {
  it.each([
    [
      { model: { name: "shed", capacity: 100, burst: 10, rejectCost: 0.3, latencySeconds: 0, retryAfterSeconds: 5 } },
      "shed:capacity=100,burst=10,rejectCost=0.3,latency=0s,retryAfter=5s",
    ],
    [
      { model: { name: "fifo", workers: 4, serviceSeconds: 0.025, latencySeconds: 0, queueMax: 9 } },
      "fifo:workers=4,service=0.025s,latency=0s,queue=9",
    ],
    [{ model: { name: "bernoulli", accept: 0.5, latencySeconds: 1 } }, "bernoulli:accept=0.5,latency=1s"],
    [
      {
        model: { name: "slope", baseSeconds: 0.05, slopeSeconds: 0.001, latencySeconds: 0.002 },
        network: { law: "exponential", meanSeconds: 0.003 },
        backends: { count: 4, balance: "least-loaded" },
      },
      "slope:base=0.05s,slope=0.001s,latency=0.002s+exponential:0.003s,backends=4,balance=least-loaded",
    ],
  ] as const)("says %o in the syntax of --sim", (world, text) => {
    expect(describeModel({ kind: "virtual", ...world })).toBe(text);
  });
});
