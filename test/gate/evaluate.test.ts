import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LatencyHistogram, percentileMs } from "../../src/engine/histogram.ts";
import { evaluate, evaluateForArm } from "../../src/gate/evaluate.ts";
import { parseAssertion } from "../../src/gate/parse.ts";
import { assertionSchema } from "../../src/result/design-schema.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { CUT, collapsed, compared, cure, silent, throttled, twinOf } from "../support/trial-cases.ts";
import { latencyFixture, resultFixture, trialFixture } from "../support/trial-fixture.ts";
import { byHand, rateExpression, type Trial } from "./random-expressions.ts";

const run = (trial: TrialResult): Result => resultFixture([trial], { command: "run" });
const outcome = (text: string, result: Result) => evaluate(parseAssertion(text), result, { percentile: percentileMs });
const only = (text: string, result: Result) => {
  const [first, ...others] = outcome(text, result);
  expect(others).toEqual([]);
  return first!;
};

const HEALTHY = run(trialFixture({ statuses: { "200": 9_990, "404": 7, "503": 3 } }));

describe("evaluate()", () => {
  it.each([
    ["goodput>=0.95*offered", true, "1,000/s >= 950/s."],
    ["goodput>1000", false, "1,000/s > 1,000/s is false."],
    ["goodput<1000.0001", true, "1000 < 1000.0001."],
    ["response.ok.p99Ms<250ms", true, "9.40 ms < 250 ms."],
    ["response.ok.p99Ms<9400us", false, "9.40 ms < 9.40 ms is false."],
    ["drainSeconds==250ms", true, undefined],
    ["response.ok.p99Ms<drainSeconds", true, undefined],
    ["2*response.ok.p99Ms+1<20", true, undefined],
    ["goodput*response.ok.meanMs<6", true, undefined],
    ["statuses.4xx==7", true, undefined],
    ["statuses.2xx+statuses.4xx+statuses.5xx==attempts.sent", true, undefined],
    ["statuses.500==0", true, undefined],
    ["errors.ECONNREFUSED==0", true, undefined],
    ["response.failed.count==0", true, undefined],
    ["attempts.cancelled==0", true, undefined],
    ["throttled/planned<=5%", true, undefined],
    ["ok/planned==100%", true, undefined],
    ["policy.options.maxAttempts==3", true, undefined],
    ["environment.cpus>=2", true, undefined],
    ["-goodput<0", true, undefined],
    ["plan.rps==2000", true, undefined],
    ["5>4", true, undefined],
  ])("evaluate() of %s on a healthy run: %s", (text, holds, message) => {
    const found = only(text, HEALTHY);
    expect(found).toMatchObject({ text, holds });
    if (message !== undefined) expect(found.message).toBe(message);
    expect(assertionSchema.parse(found)).toEqual(found);
  });

  it.each([
    ["goodput/throttled>1", "cannot hold", "divide"],
    ["goodput/rates.goodput>0", "", ""],
  ])("evaluate() of quotients: %s", (text) => {
    if (text.includes("throttled")) expect(() => parseAssertion(text)).toThrow("divide rates by rates");
    else expect(only(text, HEALTHY).holds).toBe(true);
  });

  const nothing = run(trialFixture({ calls: { ok: 0 }, durationSeconds: 0 }));
  it.each([
    ["response.ok.p99Ms<250", run(silent("run", 0)), "nothing ended so, so there is no response.ok.p99Ms"],
    ["response.broken.p99Ms<250", HEALTHY, "nothing ended so"],
    ["users.jain>0", run(silent("run", 0)), "no call was ok"],
    ["waste<=0.3", nothing, "nothing was sent"],
    ["amplification<=1.1", nothing, "no call was planned"],
    ["ok/planned>=0", nothing, "it divides by planned, which is zero"],
    ["goodput/(offered-offered)>0", HEALTHY, "it divides by rates.offered - rates.offered, which is zero"],
    ["target.queueMax<100", HEALTHY, "there is no target"],
    ["generator.cpuSeconds<100", HEALTHY, "there is no generator"],
    ["policy.options.nope<1", HEALTHY, "there is no policy.options.nope"],
    ["validity.reasons.lateness.figure<100", HEALTHY, "there is no validity.reasons.lateness"],
    ["twin.figures.goodput.ratio>0.9", HEALTHY, "this result has no twin.figures.goodput.ratio"],
    ["ratio.goodput>1", HEALTHY, "baseline"],
    ["nobody:goodput>1", HEALTHY, "there is no arm 'nobody': the arms are run"],
    ["1e308*10*goodput>1", HEALTHY, "more than numbers can hold"],
    ["recovery.seconds<10", HEALTHY, "no trial of run tells of a recovery"],
    ["goodput>=0", resultFixture([], { command: "run" }), "There is no arm"],
  ])("evaluate() of %s never passes on what does not exist", (text, result, why) => {
    for (const sign of ["<", ">=", "!="]) {
      const found = only(text.replace(/[<>]=?/u, sign), result);
      expect(found.holds).toBe(false);
      expect(found.message).toContain(why);
      expect(found.left === null || found.right === null).toBe(true);
    }
  });

  it("evaluate() of an arm fails when one of its trials lacks the figure, and says which", () => {
    const found = only(
      "response.ok.p99Ms<1000",
      compared([collapsed(0), throttled(0), silent("on", 1), silent("off", 1)]),
    );
    expect(found.holds).toBe(false);
    expect(found.message).toBe("It cannot hold: in trial 2 of on, nothing ended so, so there is no response.ok.p99Ms.");
  });

  it("evaluate() fails where a lower bound could be larger than the limit, and passes where it cannot matter", () => {
    const bounded = run(
      trialFixture({
        response: { ok: latencyFixture(9_000, 2, 9, 14), failed: latencyFixture(1_000, 900, 1_000, 1_000, 500) },
      }),
    );
    expect(only("response.failed.p99Ms<2000", bounded)).toMatchObject({
      holds: false,
      left: 1000,
      message: expect.stringContaining("≥1,000 ms < 2,000 ms cannot be told: of the left side only a bound is known"),
    });
    expect(only("response.failed.p99Ms<1000", bounded).message).toContain("is false");
    expect(only("response.failed.p99Ms>=1000", bounded).holds).toBe(true);
    expect(only("response.failed.p50Ms<=900", bounded).holds).toBe(true);
    expect(only("response.failed.meanMs<1e6", bounded).holds).toBe(false);
    expect(only("-response.failed.p99Ms<=-1000", bounded).holds).toBe(true);
    expect(only("response.failed.p99Ms-response.failed.p99Ms<=0", bounded).holds).toBe(false);
    expect(only("response.ok.p99Ms/response.failed.p99Ms<=1%", bounded).holds).toBe(true);
    expect(only("1/(5-response.failed.p99Ms/1s)<1", bounded).message).toContain("which is zero");
    expect(only("response.failed.p99Ms==1000", bounded).holds).toBe(false);
    expect(only("response.failed.p99Ms!=1000", bounded).holds).toBe(false);
    expect(only("response.failed.p99Ms!=500", bounded).holds).toBe(true);
    expect(only("0*response.failed.p99Ms==0", bounded).holds).toBe(true);
  });

  it("evaluate() reads a percentile that the file does not have from the distribution", () => {
    const histogram = new LatencyHistogram();
    for (let ms = 1; ms <= 1000; ms++) histogram.record(ms / 1000, ms > 970);
    const result = run(trialFixture({ calls: { ok: 1000 }, response: { ok: histogram.summary() } }));
    expect(only("response.ok.p95Ms<=950.3", result)).toMatchObject({ holds: true });
    expect(only("response.ok.p95Ms>=949.7", result)).toMatchObject({ holds: true });
    expect(only("response.ok.p97.5Ms<10000", result).message).toContain("only a bound is known");
    expect(evaluate(parseAssertion("response.ok.p95Ms<1"), result)[0]?.message).toContain("is not in the result file");
    const [unreadable] = evaluate(parseAssertion("response.ok.p95Ms<1"), result, { percentile: () => undefined });
    expect(unreadable?.message).toContain("cannot be read");
  });

  it("percentileMs() agrees with the percentiles that the file has", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1, maxLength: 300 }),
        (values) => {
          const histogram = new LatencyHistogram();
          for (const value of values) histogram.record(value);
          const summary = histogram.summary();
          const read = [0.5, 0.9, 0.99, 0.999, 1].map((share) => percentileMs(summary, share));
          expect(read).toEqual([summary.p50Ms, summary.p90Ms, summary.p99Ms, summary.p999Ms, percentileMs(summary, 1)]);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("evaluate() asks of every arm but the baseline, of every cell of a sweep, and once where arms are named", () => {
    const result = compared([...cure(), { ...throttled(0), arm: "k3" }]);
    expect(outcome("goodput>1", result).map(({ arm }) => arm)).toEqual(["on", "k3"]);
    expect(outcome("goodput>1", { ...result, command: "sweep" }).map(({ arm }) => arm)).toEqual(["off", "on", "k3"]);
    expect(outcome("on:goodput>off:goodput", result).map(({ arm }) => arm)).toEqual([""]);
    expect(outcome("goodput>off:goodput", result).map(({ arm, holds }) => [arm, holds])).toEqual([
      ["on", true],
      ["k3", true],
    ]);
    expect(outcome("design.pairs==3", result).map(({ arm, holds }) => [arm, holds])).toEqual([["", true]]);
    const planned = { ...result, design: { ...result.design, arms: [...result.design.arms, "late"] } };
    expect(outcome("goodput>1", planned).at(-1)).toMatchObject({ arm: "late", holds: false });
    expect(outcome("goodput>1", planned).at(-1)?.message).toContain("late has no trial");
    expect(evaluateForArm(parseAssertion("goodput<100"), result, "off")).toMatchObject({ arm: "off", holds: true });
  });

  it("evaluate() takes the median over the trials of an arm, or what a fold makes of them", () => {
    const result = resultFixture(
      [100, 400, 900].map((ok, pair) => trialFixture({ pair, calls: { ok, failed: 1000 - ok } })),
      {
        command: "run",
      },
    );
    const values = ["ok", "min(ok)", "max(ok)", "median(ok)", "mean(ok)", "max(ok/planned)"].map(
      (text) => only(`${text}>=0`, result).left,
    );
    expect(values).toEqual([400, 100, 900, 400, 1400 / 3, 0.9]);
  });

  it("evaluate() reads what a comparison says of an arm, and what it does not", () => {
    const result = compared(
      Array.from({ length: 6 }, (_, pair) => [collapsed(pair, 400 + pair), throttled(pair, 6_900 + 7 * pair)]).flat(),
    );
    expect(only("ratio.goodput>10", result).holds).toBe(true);
    expect(only("ratio.goodput.low>10", result).holds).toBe(true);
    expect(only("ratio.goodput.high>=ratio.goodput.low", result).holds).toBe(true);
    expect(only("adjustedPValue.goodput<=1", result).holds).toBe(true);
    expect(only("difference.waste<=-5%", result).holds).toBe(true);
    expect(only("off:ratio.goodput>0", result).message).toContain(
      "off is the baseline, which is not compared with itself",
    );
    const few = compared([collapsed(0), throttled(0)]);
    expect(only("ratio.goodput.low>1", few).message).toContain("1 pair gives no interval");
    const { comparison: _none, ...without } = few;
    expect(only("ratio.goodput>1", without).message).toContain("on was not compared by goodput");
  });

  it("evaluate() reads the twin and what a sweep simulated", () => {
    const trial = throttled(0);
    const twinned = resultFixture([trial], { command: "run", twin: twinOf(trial, 1.03) });
    expect(only("twin.figures.goodput.ratio<=1.05", twinned).holds).toBe(true);
    expect(only("twin.figures.goodput.real>600", twinned).holds).toBe(true);
    const recovery = [
      { arm: "a", seconds: 4, horizonSeconds: 60 },
      { arm: "b", seconds: null, horizonSeconds: 60 },
    ];
    const sweep = { axes: [], cells: [], limits: [], recommendations: [], recovery };
    const swept = resultFixture(
      [
        { ...trial, arm: "a" },
        { ...trial, arm: "b" },
      ],
      { command: "sweep", sweep },
    );
    expect(outcome("recovery.seconds<10s", swept).map(({ holds }) => holds)).toEqual([true, false]);
    expect(outcome("recovery.seconds>30", swept)[1]?.holds).toBe(true);
    expect(outcome("recovery.seconds<100", swept)[1]?.holds).toBe(false);
  });

  it("evaluate() leaves out trials that were cut short, unless an arm has no other, and says so", () => {
    const cut = trialFixture({ pair: 1, interrupted: true, calls: { ok: 1 }, reasons: [CUT] });
    expect(only("ok>=10000", run(trialFixture())).holds).toBe(true);
    expect(only("ok>=10000", resultFixture([trialFixture(), cut], { command: "run" })).holds).toBe(true);
    expect(only("ok<=1", resultFixture([cut], { command: "run" }))).toMatchObject({
      holds: true,
      message: "1.00 <= 1.00 (of a trial that was cut short).",
    });
  });

  it("evaluate() agrees with an evaluation by hand on random expressions", () => {
    const rate = fc.integer({ min: 0, max: 5000 });
    const trial = fc.record({ goodput: rate, offered: rate, sent: rate, accepted: rate });
    const trials = fc.array(trial, { minLength: 1, maxLength: 4 });
    const expression = rateExpression([undefined, "off", "on"]);
    const comparator = fc.constantFrom("<", "<=", ">", ">=", "==", "!=") as fc.Arbitrary<
      "<" | "<=" | ">" | ">=" | "==" | "!="
    >;
    let held = 0;
    fc.assert(
      fc.property(trials, trials, expression, comparator, expression, (off, on, left, sign, right) => {
        const arms: Record<string, readonly Trial[]> = { off, on };
        const result = resultFixture(
          Object.entries(arms).flatMap(([arm, own]) =>
            own.map((rates, pair) => ({ ...trialFixture({ arm, pair }), rates })),
          ),
        );
        const found = evaluateForArm({ text: "", left, comparator: sign, right }, result, "on");
        const [a, b] = [byHand(left, arms, "on"), byHand(right, arms, "on")];
        if (!Number.isFinite(a) || !Number.isFinite(b)) {
          expect(found.holds).toBe(false);
          return;
        }
        expect([found.left, found.right]).toEqual([a + 0, b + 0].map((value) => expect.closeTo(value, 6)));
        const expected = { "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a === b, "!=": a !== b }[sign];
        expect(found.holds).toBe(expected);
        if (expected) held += 1;
      }),
      { numRuns: 500 },
    );
    expect(held).toBeGreaterThan(20);
  });
});
