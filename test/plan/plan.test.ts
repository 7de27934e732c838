import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ARRIVAL_LAWS, type ArrivalCursor } from "../../src/plan/arrivals.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";

const POISSON: PlanSpec = {
  seed: 1,
  arrival: { law: "poisson", rate: { kind: "constant", rps: 2_000 } },
  warmupSeconds: 0,
  durationSeconds: 30,
  users: 100,
};
const CONSTANT: PlanSpec = {
  seed: 42,
  arrival: { law: "constant", rate: { kind: "constant", rps: 99.9 } },
  warmupSeconds: 0,
  durationSeconds: 10,
  users: 7,
};
const SPARSE: PlanSpec = {
  seed: Number.MAX_SAFE_INTEGER,
  arrival: "poisson",
  rps: 0.1,
  durationSeconds: 1_800_000,
  users: 10_000_000,
};

/** [time in seconds, user], at most `limit` of them. */
function collect(arrivals: ArrivalCursor, limit = Number.POSITIVE_INFINITY): [number, number][] {
  const collected: [number, number][] = [];
  while (collected.length < limit && arrivals.next()) collected.push([arrivals.timeSeconds, arrivals.user]);
  return collected;
}

function hexBits(x: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

describe("createPlan", () => {
  it.each([
    [
      "a dense Poisson plan",
      POISSON,
      "aa63b566df4e8726",
      60_000,
      60_051,
      ["3f3a9ec756d4bbf3 2", "3f5d626dfaae8d05 1", "3f5dd5507dd3e889 56", "3f60a8dfb86492ea 98", "3f6203510b478ad1 41"],
    ],
    [
      "a constant plan",
      CONSTANT,
      "6b85f3e79acbf525",
      999,
      999,
      ["0000000000000000 0", "3f848020cd014802 1", "3f948020cd014802 2", "3f9ec0313381ec03 3", "3fa48020cd014802 4"],
    ],
    [
      "a sparse Poisson plan",
      SPARSE,
      "50731412f3692633",
      180_000,
      180_146,
      [
        "400722a6135e4186 374793",
        "401b384c590fb7f1 9726200",
        "402c9af6cde47449 3140875",
        "402e080a8faa2040 3819980",
        "4034d4e650c4222d 8821276",
      ],
    ],
  ])("createPlan() makes %s with the same bits on every runtime", (_name, spec, hash, expected, planned, first) => {
    const plan = createPlan(spec);
    expect(collect(plan.arrivals(), 5).map(([time, user]) => `${hexBits(time)} ${user}`)).toEqual(first);
    expect(plan.hash).toBe(hash);
    expect(plan.expectedArrivals).toBe(expected);
    expect(collect(plan.arrivals())).toHaveLength(planned);
  });

  it("createPlan() keeps a copy of the spec", () => {
    const spec = { ...POISSON };
    const plan = createPlan(spec);
    spec.rps = 1;
    expect(plan.spec).toEqual(POISSON);
  });

  it.each<[Partial<Record<keyof PlanSpec, unknown>>, string]>([
    [{ rps: -1 }, "'rps' must be a number above 0 and at most 1000000: current value is -1"],
    [{ rps: 0 }, "'rps' must be a number above 0 and at most 1000000: current value is 0"],
    [{ rps: Number.NaN }, "'rps' must be a number above 0 and at most 1000000: current value is NaN"],
    [{ rps: 1_000_001 }, "'rps' must be a number above 0 and at most 1000000: current value is 1000001"],
    [{ durationSeconds: 0 }, "'durationSeconds' must be a number above 0 and at most 1000000000: current value is 0"],
    [
      { durationSeconds: Number.POSITIVE_INFINITY },
      "'durationSeconds' must be a number above 0 and at most 1000000000: current value is Infinity",
    ],
    [{ users: 0 }, "'users' must be a whole number from 1 to 10000000: current value is 0"],
    [{ users: 1.5 }, "'users' must be a whole number from 1 to 10000000: current value is 1.5"],
    [{ users: 10_000_001 }, "'users' must be a whole number from 1 to 10000000: current value is 10000001"],
    [{ seed: -1 }, "'seed' must be a non-negative safe integer: current value is -1"],
    [{ seed: 0.5 }, "'seed' must be a non-negative safe integer: current value is 0.5"],
    [{ seed: 2 ** 53 }, "'seed' must be a non-negative safe integer: current value is 9007199254740992"],
    [{ arrival: "bursty" }, `'arrival' must be one of constant, poisson: current value is "bursty"`],
  ])("createPlan() refuses %j with the rule and the value", (fault, message) => {
    expect(() => createPlan({ ...POISSON, ...fault } as PlanSpec)).toThrow(new RangeError(`Cannot plan as ${message}`));
  });
});

describe("Plan.hash", () => {
  it("hash is 16 hexadecimal digits and changes with every field of the spec", () => {
    const variants: PlanSpec[] = [
      POISSON,
      { ...POISSON, seed: 2 },
      { ...POISSON, arrival: "constant" },
      { ...POISSON, rps: 2_000.5 },
      { ...POISSON, durationSeconds: 31 },
      { ...POISSON, users: 101 },
    ];
    const hashes = variants.map((spec) => createPlan(spec).hash);
    expect(hashes.every((hash) => /^[0-9a-f]{16}$/.test(hash))).toBe(true);
    expect(new Set(hashes).size).toBe(variants.length);
  });

  it("hash is that of an equal spec", () => {
    expect(createPlan({ ...SPARSE }).hash).toBe(createPlan(SPARSE).hash);
  });
});

describe("Plan.arrivals", () => {
  it("arrivals() of all shards together are the plan, whatever their number", () => {
    const specs = fc.record({
      seed: fc.nat(),
      arrival: fc.constantFrom(...ARRIVAL_LAWS),
      rps: fc.double({ min: 0.1, max: 300, noNaN: true }),
      durationSeconds: fc.double({ min: 0.1, max: 3, noNaN: true }),
      users: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 9 }), (spec, shards) => {
        const plan = createPlan(spec);
        const parts = Array.from({ length: shards }, (_, shard) => collect(plan.arrivals(shard, shards)));
        parts.forEach((part, shard) => {
          expect(part.every(([, user]) => user % shards === shard)).toBe(true);
        });
        const byTime = ([a]: [number, number], [b]: [number, number]): number => a - b;
        expect(parts.flat().sort(byTime)).toEqual(collect(plan.arrivals()));
      }),
      { seed: 1 },
    );
  });

  it("arrivals() are in time order, inside the duration, by users of the plan", () => {
    const arrivals = collect(createPlan(POISSON).arrivals());
    expect(arrivals.every(([time], i) => time >= (arrivals[i - 1]?.[0] ?? 0) && time < 30)).toBe(true);
    expect(arrivals.every(([, user]) => Number.isInteger(user) && user >= 0 && user < 100)).toBe(true);
  });

  it.each(ARRIVAL_LAWS)("arrivals() of a %s plan keep their times when the users change", (arrival) => {
    const times = (users: number): number[] =>
      collect(createPlan({ ...POISSON, arrival, users }).arrivals(), 5_000).map(([time]) => time);
    expect(times(1)).toEqual(times(9_999_999));
  });

  it("arrivals() of a longer plan begin with those of the shorter one", () => {
    const short = collect(createPlan({ ...POISSON, durationSeconds: 1 }).arrivals());
    expect(collect(createPlan(POISSON).arrivals(), short.length)).toEqual(short);
  });

  it("arrivals() of two cursors do not disturb each other", () => {
    const plan = createPlan(POISSON);
    const [a, b] = [plan.arrivals(), plan.arrivals()];
    for (let i = 0; i < 100; i++) a.next();
    expect(collect(b, 100).at(-1)).toEqual([a.timeSeconds, a.user]);
  });

  it.each(ARRIVAL_LAWS)("next() of a %s plan stays false after the end and keeps the last arrival", (arrival) => {
    const arrivals = createPlan({ ...POISSON, arrival, durationSeconds: 0.1 }).arrivals();
    const last = collect(arrivals).at(-1);
    for (let i = 0; i < 1_000; i++) expect(arrivals.next()).toBe(false);
    expect([arrivals.timeSeconds, arrivals.user]).toEqual(last);
  });

  it.each(ARRIVAL_LAWS)(
    "arrivals() of a %s plan of 500 hours start at once, also in a shard without users",
    (arrival) => {
      const plan = createPlan({ ...POISSON, arrival, rps: 100_000, durationSeconds: 1_800_000 });
      expect(plan.expectedArrivals).toBe(180_000_000_000);
      expect(plan.hash).toMatch(/^[0-9a-f]{16}$/);
      expect(plan.arrivals().next()).toBe(true);
      expect(plan.arrivals(99, 128).next()).toBe(true);
      expect(plan.arrivals(100, 128).next()).toBe(false);
    },
  );

  it("arrivals() can be far fewer than the users and the shards", () => {
    const plan = createPlan({
      seed: 1,
      arrival: { law: "constant", rate: { kind: "constant", rps: 0.1 } },
      warmupSeconds: 0,
      durationSeconds: 30,
      users: 1_000,
    });
    expect([0, 1, 2, 3].map((shard) => collect(plan.arrivals(shard, 4)))).toEqual([[[0, 0]], [[10, 1]], [[20, 2]], []]);
  });

  it.each([
    [0, 0, "'shards' must be a positive whole number: current value is 0"],
    [0, 1.5, "'shards' must be a positive whole number: current value is 1.5"],
    [2, 2, "'shard' must be a whole number from 0 to 1: current value is 2"],
    [-1, 2, "'shard' must be a whole number from 0 to 1: current value is -1"],
    [0.5, 2, "'shard' must be a whole number from 0 to 1: current value is 0.5"],
  ])("arrivals(%d, %d) is refused with the rule and the value", (shard, shards, message) => {
    expect(() => createPlan(POISSON).arrivals(shard, shards)).toThrow(new RangeError(`Cannot plan as ${message}`));
  });
});
