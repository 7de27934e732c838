import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fingerprint } from "../../src/plan/fingerprint.ts";
import type { ArrivalSpec, RateSpec } from "../../src/plan/load.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { collect, timesOf } from "./collect.ts";
import { bursty, constant, LAWS, poisson, replay } from "./specs.ts";

const POISSON: PlanSpec = { seed: 1, arrival: poisson(2_000), warmupSeconds: 0, durationSeconds: 30, users: 100 };
const CONSTANT: PlanSpec = { seed: 42, arrival: constant(99.9), warmupSeconds: 0, durationSeconds: 10, users: 7 };
const SPARSE: PlanSpec = {
  seed: Number.MAX_SAFE_INTEGER,
  arrival: poisson(0.1),
  warmupSeconds: 0,
  durationSeconds: 1_800_000,
  users: 10_000_000,
};
const STAGES: RateSpec = {
  kind: "stages",
  stages: [
    { seconds: 10, fromRps: 500, toRps: 500 },
    { seconds: 10, fromRps: 500, toRps: 2_000 },
    { seconds: 5, fromRps: 0, toRps: 0 },
    { seconds: 5, fromRps: 99.9, toRps: 99.9 },
  ],
};
const SINE: RateSpec = { kind: "sine", lowRps: 0, highRps: 1_500, periodSeconds: 7 };

function hexBits(x: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, "0");
}

describe("createPlan", () => {
  it.each<[string, PlanSpec, string, number, number, string, string[]]>([
    [
      "a dense Poisson plan",
      POISSON,
      "aa63b566df4e8726",
      60000,
      60051,
      "6fb7992ac2c17662",
      ["3f3a9ec756d4bbf3 2", "3f5d626dfaae8d05 1", "3f5dd5507dd3e889 56", "3f60a8dfb86492ea 98", "3f6203510b478ad1 41"],
    ],
    [
      "a constant plan",
      CONSTANT,
      "6b85f3e79acbf525",
      999,
      999,
      "192206d7cd335898",
      ["0000000000000000 0", "3f848020cd014802 1", "3f948020cd014802 2", "3f9ec0313381ec03 3", "3fa48020cd014802 4"],
    ],
    [
      "a sparse Poisson plan",
      SPARSE,
      "50731412f3692633",
      180000,
      180146,
      "1dfbb2cd986e9d04",
      [
        "400722a6135e4186 374793",
        "401b384c590fb7f1 9726200",
        "402c9af6cde47449 3140875",
        "402e080a8faa2040 3819980",
        "4034d4e650c4222d 8821276",
      ],
    ],
    [
      "a staged Poisson plan",
      { ...POISSON, arrival: { law: "poisson", rate: STAGES } },
      "e8efc99d176f8cc9",
      18000,
      17933,
      "c47f14ed21bdde8c",
      ["3f5a9ec756d4bbf3 2", "3f7d626dfaae8d05 1", "3f7dd5507dd3e889 56", "3f80a8dfb86492ea 98", "3f8203510b478ad1 41"],
    ],
    [
      "a staged constant plan",
      { ...POISSON, arrival: { law: "constant", rate: STAGES } },
      "a8b3566ded9389b4",
      18000,
      18000,
      "4a3a28f40cb86959",
      ["0000000000000000 0", "3f60624dd2f1a9fc 1", "3f70624dd2f1a9fc 2", "3f789374bc6a7efa 3", "3f80624dd2f1a9fc 4"],
    ],
    [
      "a sine Poisson plan",
      { ...POISSON, arrival: { law: "poisson", rate: SINE } },
      "7b1f97be3ae5f7f0",
      23521,
      23444,
      "0660d31d97fe17ed",
      ["3f51bcfab65c3132 2", "3f738c3c18d1e2e9 1", "3f73d87ed6a87d09 56", "3f7628b9b0a7edd0 98", "3f77f453a3971fde 41"],
    ],
    [
      "a sine constant plan",
      { ...POISSON, arrival: { law: "constant", rate: SINE } },
      "4b7f0d56a530b2af",
      23522,
      23522,
      "aba43b14afee4288",
      ["0000000000000000 0", "3f55d51016a1049a 1", "3f65d1ba7417fcdc 2", "3f705acd239b06a5 3", "3f75cb15469aceb1 4"],
    ],
    [
      "a bursty plan",
      { ...POISSON, arrival: bursty(2_000) },
      "b2d5e9041d126a1f",
      60000,
      76317,
      "0c8035142edf34b7",
      ["3f47f54d01590f8d 2", "3f6a722fc8037eea 1", "3f6ad9953e0b847b 56", "3f6dfcc5e581d53f 98", "3f70362f56f39689 41"],
    ],
    [
      "a bursty plan along a sine",
      { ...POISSON, arrival: { ...bursty(1), rate: SINE } },
      "bc17b55a5a7e90a6",
      23521,
      31900,
      "547fc176ab4b6244",
      ["3f5fea97529dc1ba 2", "3f81902734b4cacd 1", "3f81d48db387390c 56", "3f83e79f3f629589 98", "3f85839d25c26c48 41"],
    ],
    [
      "a Poisson plan with a warm-up",
      { ...POISSON, warmupSeconds: 5 },
      "a06bc97b1b792797",
      70000,
      70146,
      "c79987ff4f384095",
      [
        "3f36bce2e7a70233 54",
        "3f4f03ed94f763f0 64",
        "3f4fcd59824df259 36",
        "3f582339b2de452d 68",
        "3f5dce3de83a3cc4 59",
      ],
    ],
  ])(
    "createPlan() makes %s with the same bits on every runtime",
    (_name, spec, hash, expected, planned, bits, first) => {
      const plan = createPlan(spec);
      const all = collect(plan.arrivals());
      expect(all.slice(0, 5).map(([time, user]) => `${hexBits(time)} ${user}`)).toEqual(first);
      expect([plan.expectedArrivals, all.length]).toEqual([expected, planned]);
      const fingerprint = new Fingerprint();
      for (const [time, user] of all) {
        fingerprint.addDouble(time);
        fingerprint.addWord(user);
      }
      expect(fingerprint.digest()).toBe(bits);
      expect(plan.hash).toBe(hash);
    },
  );

  it("createPlan() keeps a copy of the spec", () => {
    const spec = { ...POISSON };
    const plan = createPlan(spec);
    spec.users = 1;
    expect(plan.spec).toEqual(POISSON);
  });

  it.each([0.1, 0.5, 1, 7, 70, 78, 99.9, 1_000, 12_345, 100_000])(
    "createPlan() of %d/s for 30 s expects and has exactly as many constant arrivals",
    (rps) => {
      const plan = createPlan({ ...CONSTANT, arrival: constant(rps), durationSeconds: 30 });
      const count = Math.round(rps * 30);
      expect([plan.expectedArrivals, timesOf(plan.arrivals()).length]).toEqual([count, count]);
    },
  );
});

describe("Plan.hash", () => {
  it("hash is 16 hexadecimal digits and changes with every field of the spec", () => {
    const arrivals: ArrivalSpec[] = [
      POISSON.arrival,
      constant(2_000),
      poisson(2_000.5),
      { law: "poisson", rate: STAGES },
      {
        law: "poisson",
        rate: { ...STAGES, stages: STAGES.stages.toSpliced(3, 1, { seconds: 5, fromRps: 100, toRps: 99.9 }) },
      },
      { law: "poisson", rate: SINE },
      { law: "poisson", rate: { ...SINE, lowRps: 1 } },
      { law: "poisson", rate: { ...SINE, highRps: 1_501 } },
      { law: "poisson", rate: { ...SINE, periodSeconds: 8 } },
      bursty(2_000),
      { ...bursty(2_000), peak: 6 },
      { ...bursty(2_000), share: 0.11 },
      { ...bursty(2_000), burstSeconds: 0.6 },
      replay([0, 1, 2]),
    ];
    const variants: PlanSpec[] = [
      ...arrivals.map((arrival) => ({ ...POISSON, arrival })),
      { ...POISSON, seed: 2 },
      { ...POISSON, warmupSeconds: 1 },
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

  it("hash of a replay covers all its arrivals and their owners", () => {
    const times = Array.from({ length: 5_000 }, (_, i) => i / 1_000);
    const hashOf = (arrival: ArrivalSpec): string => createPlan({ ...POISSON, arrival }).hash;
    const hashes = [
      hashOf(replay(times)),
      hashOf(replay(times.with(4_999, 5))),
      hashOf(
        replay(
          times,
          times.map(() => 0),
        ),
      ),
      hashOf(
        replay(
          times,
          times.map((_, i) => (i === 4_999 ? 1 : 0)),
        ),
      ),
    ];
    expect(new Set(hashes).size).toBe(4);
  });
});

describe("Plan.arrivals", () => {
  it("arrivals() of all shards together are the plan, whatever their number, the law and the warm-up", () => {
    const rps = fc.double({ min: 0.1, max: 300, noNaN: true });
    const stage = fc.record({ seconds: fc.double({ min: 0.1, max: 1, noNaN: true }), fromRps: rps, toRps: rps });
    const lawful = (rate: RateSpec): fc.Arbitrary<ArrivalSpec> =>
      fc.constantFrom<ArrivalSpec>(
        { law: "constant", rate },
        { law: "poisson", rate },
        { law: "bursty", rate, peak: 4, share: 0.2, burstSeconds: 0.1 },
      );
    const recorded = fc
      .array(fc.tuple(fc.double({ min: 0, max: 4, noNaN: true }), fc.nat(100)), { minLength: 1 })
      .map((calls) =>
        replay(
          calls.map(([time]) => time).sort((a, b) => a - b),
          calls.map(([, owner]) => owner),
        ),
      );
    const loads = fc.oneof(
      rps.map((rate): RateSpec => ({ kind: "constant", rps: rate })).chain(lawful),
      fc
        .array(stage, { minLength: 1, maxLength: 5 })
        .map((stages): RateSpec => ({ kind: "stages", stages }))
        .chain(lawful),
      fc
        .tuple(rps, rps)
        .map(([low, rise]): RateSpec => ({ kind: "sine", lowRps: low, highRps: low + rise, periodSeconds: 1.1 }))
        .chain(lawful),
      recorded,
    );
    const duration = (arrival: ArrivalSpec): number =>
      arrival.law !== "replay" && arrival.rate.kind === "stages"
        ? arrival.rate.stages.reduce((sum, { seconds }) => sum + seconds, 0)
        : 2.5;
    const specs = fc.record({
      seed: fc.nat(),
      load: loads,
      warmupSeconds: fc.nat(2),
      users: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(specs, fc.integer({ min: 1, max: 9 }), ({ load: arrival, ...spec }, shards) => {
        const plan = createPlan({ ...spec, arrival, durationSeconds: duration(arrival) });
        const whole = collect(plan.arrivals());
        const parts = Array.from({ length: shards }, (_, shard) => collect(plan.arrivals(shard, shards)));
        for (const [shard, part] of parts.entries()) {
          expect(part).toEqual(whole.filter(([, user]) => user % shards === shard));
        }
        const end = spec.warmupSeconds + duration(arrival);
        expect(whole.every(([time], i) => time >= (whole[i - 1]?.[0] ?? 0) && time < end)).toBe(true);
        expect(whole.every(([, user]) => Number.isInteger(user) && user >= 0 && user < spec.users)).toBe(true);
        if (arrival.law === "constant" || arrival.law === "replay") {
          expect(whole).toHaveLength(plan.expectedArrivals);
          expect(whole.filter(([time]) => time >= spec.warmupSeconds)).toHaveLength(plan.expectedMeasured);
        }
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  it.each(LAWS)("arrivals() of a %s plan keep their times when the users change", (_law, arrival) => {
    const times = (users: number): number[] => timesOf(createPlan({ ...POISSON, arrival, users }).arrivals(), 5_000);
    expect(times(1)).toEqual(times(9_999_999));
  });

  it.each(LAWS)("arrivals() of a longer %s plan begin with those of the shorter one", (_law, arrival) => {
    const short = collect(createPlan({ ...POISSON, arrival, durationSeconds: 1 }).arrivals());
    expect(short.length).toBeGreaterThan(100);
    expect(collect(createPlan({ ...POISSON, arrival }).arrivals(), short.length)).toEqual(short);
  });

  it.each(LAWS)("arrivals() of two cursors of a %s plan do not disturb each other", (_law, arrival) => {
    const plan = createPlan({ ...POISSON, arrival });
    const [a, b] = [plan.arrivals(), plan.arrivals()];
    for (let i = 0; i < 100; i++) a.next();
    expect(collect(b, 100).at(-1)).toEqual([a.timeSeconds, a.user]);
  });

  it.each(LAWS)("next() of a %s plan stays false after the end and keeps the last arrival", (_law, arrival) => {
    const arrivals = createPlan({ ...POISSON, arrival, durationSeconds: 0.1 }).arrivals();
    const last = collect(arrivals).at(-1);
    for (let i = 0; i < 1_000; i++) expect(arrivals.next()).toBe(false);
    expect([arrivals.timeSeconds, arrivals.user]).toEqual(last);
  });

  it.each<[string, ArrivalSpec]>([
    ["constant", constant(100_000)],
    ["Poisson", poisson(100_000)],
    ["bursty", bursty(100_000)],
    ["sine", { law: "constant", rate: { kind: "sine", lowRps: 0, highRps: 200_000, periodSeconds: 60 } }],
    ["staged", { law: "poisson", rate: { kind: "stages", stages: hours(10_000) } }],
  ])("arrivals() of a %s plan of 500 hours start at once, also in a shard without users", (_name, arrival) => {
    const plan = createPlan({ ...POISSON, arrival, durationSeconds: 1_800_000 });
    expect(plan.expectedArrivals).toBe(180_000_000_000);
    expect(plan.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(plan.arrivals().next()).toBe(true);
    expect(plan.arrivals(99, 128).next()).toBe(true);
    expect(plan.arrivals(100, 128).next()).toBe(false);
  });

  it("arrivals() can be far fewer than the users and the shards", () => {
    const plan = createPlan({ ...CONSTANT, arrival: constant(0.1), durationSeconds: 30, users: 1_000 });
    expect([0, 1, 2, 3].map((shard) => collect(plan.arrivals(shard, 4)))).toEqual([[[0, 0]], [[10, 1]], [[20, 2]], []]);
  });

  it("arrivals() of a constant law over stages give the users turns", () => {
    const plan = createPlan({ ...POISSON, arrival: { law: "constant", rate: STAGES }, users: 3 });
    expect(collect(plan.arrivals()).every(([, user], i) => user === i % 3)).toBe(true);
  });

  it("arrivals() of a replay are the recording up to the end, by its owners modulo the users", () => {
    const arrival = replay([0, 0.5, 0.5, 1, 2, 3], [0, 1, 2, 3, 4, 5]);
    const plan = createPlan({ ...POISSON, arrival, warmupSeconds: 1, durationSeconds: 1.5, users: 3 });
    expect(collect(plan.arrivals())).toEqual([
      [0, 0],
      [0.5, 1],
      [0.5, 2],
      [1, 0],
      [2, 1],
    ]);
    expect([plan.expectedArrivals, plan.expectedMeasured]).toEqual([5, 2]);
  });

  it("arrivals() of a replay without owners are by users drawn as for Poisson", () => {
    const users = (arrival: ArrivalSpec): number[] =>
      collect(createPlan({ ...POISSON, arrival }).arrivals(), 50).map(([, user]) => user);
    expect(users(replay(Array.from({ length: 50 }, (_, i) => i / 10)))).toEqual(users(poisson(2_000)));
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

/** 500 hours in stages around 100,000/s. */
function hours(stages: number): { seconds: number; fromRps: number; toRps: number }[] {
  return Array.from({ length: stages }, (_, i) => ({
    seconds: 1_800_000 / stages,
    fromRps: 100_000 - (i % 7),
    toRps: 100_000 + (i % 7),
  }));
}
