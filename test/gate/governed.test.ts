import { describe, expect, it } from "vitest";
import { listFigures } from "../../src/gate/catalogue.ts";
import { evaluate } from "../../src/gate/evaluate.ts";
import { parseAssertion } from "../../src/gate/parse.ts";
import { unitText } from "../../src/gate/unit.ts";
import type { AssertionOutcome } from "../../src/result/design-schema.ts";
import type { Result } from "../../src/result/schema.ts";
import { abortedCase, capacityCase, healingCase, saturatedCase, withCapacity } from "../support/governed-cases.ts";
import { recovered, recoveryCase, stormTrial } from "../support/recovery-cases.ts";
import { compared, cure } from "../support/trial-cases.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const outcomes = (text: string, result: Result): AssertionOutcome[] => evaluate(parseAssertion(text), result);

function only(text: string, result: Result): AssertionOutcome {
  const [first, ...others] = outcomes(text, result);
  if (first === undefined || others.length > 0) throw new Error(`${others.length + 1} outcomes of ${text}`);
  return first;
}

describe("assertions on a search for a capacity", () => {
  it.each(["goodput>=0", "amplification>=0", "waste>=0", "response.ok.p99Ms>=0", "goodput>=0.95*offered"])(
    "%s does not hold: it would be a mean over the climb",
    (text) => {
      const found = only(text, capacityCase());
      expect(found.holds).toBe(false);
      expect(found.message).toContain("ask for capacity.goodput");
    },
  );

  it("holds of counts, and of how late the generator was", () => {
    expect(only("planned>=1", capacityCase()).holds).toBe(true);
    expect(only("lateness.p99Ms<=1s", capacityCase()).holds).toBe(true);
  });
});

describe("assertions on a capacity", () => {
  it.each([
    ["capacity.goodput>=399", true],
    ["capacity.goodput>=401", false],
    ["capacity.offer<=C", undefined],
    ["capacity.interval.low>=390", true],
    ["capacity.failedShare<=5%", true],
    ["governor.failedShare<=capacity.failureBound", true],
    ["governor.offer>=400", true],
    ["governor.goodput/capacity.goodput>=0.99", true],
    ["governor.high==5%", true],
  ])("%s of a search that held is %s", (text, holds) => {
    if (holds === undefined) expect(() => parseAssertion(text)).toThrow("there is no figure");
    else expect(only(text, capacityCase()).holds).toBe(holds);
  });

  it.each([
    ["capacity.goodput>=1", healingCase(), "the offer did not come to rest"],
    ["capacity.offer>=0", saturatedCase(), "the target was saturated"],
    ["capacity.goodput>=0", abortedCase(), "none was found"],
    ["capacity.goodput>=0", compared(cure()), "no capacity was looked for"],
    ["governor.offer>=0", abortedCase(), "no window of the governor came to its end"],
    ["governor.ceiling>=0", capacityCase(), "the governor had no ceiling"],
    ["on:governor.offer>=0", compared(cure()), "it was not under the governor"],
    ["on:age.seconds>=0", compared(cure()), "its clients were cold"],
  ])("%s never passes where it is none, and says why", (text, result, why) => {
    for (const sign of ["<=", ">="]) {
      const found = only(text.replace(">=", sign), result);
      expect(found.holds).toBe(false);
      expect(found.message).toContain(why);
    }
  });

  it("a comparison at a multiple of the capacity can be held against it", () => {
    expect(only("on:goodput>=1.5*capacity.goodput", withCapacity(compared(cure()))).holds).toBe(true);
  });

  it("figures of the governor have their units: a share is no rate", () => {
    expect(() => parseAssertion("governor.failedShare<=goodput")).toThrow("cannot be compared");
    expect(() => parseAssertion("capacity.goodput<=2s")).toThrow("cannot be compared");
  });
});

describe("assertions on a recovery", () => {
  const result = recoveryCase();

  it("a figure without an arm is asked of every arm: none of them is a baseline", () => {
    expect(outcomes("recovery.stuck<=20%", result).map(({ arm, holds }) => [arm, holds])).toEqual([
      ["retries", false],
      ["budget", true],
      ["sre", true],
    ]);
  });

  it("recovery.seconds is the median over the trials, and fails in words where half of them are stuck", () => {
    expect(only("budget:recovery.seconds<=1s", result)).toMatchObject({ holds: true, left: 1 });
    for (const sign of ["<=", ">"]) {
      const stuck = only(`retries:recovery.seconds${sign}10s`, result);
      expect(stuck).toMatchObject({ holds: false, left: null });
      expect(stuck.message).toBe(
        "It cannot hold: 10 of 10 trials of retries did not come back within 60 s, so there is no median.",
      );
    }
    // One of ten is stuck: later than all others, it does not move the median out of what is known.
    expect(only("sre:recovery.seconds<=40s", result).holds).toBe(true);
  });

  it("in a fold each trial has its own time, of a stuck one only a bound", () => {
    expect(only("max(budget:recovery.seconds)<=2s", result).holds).toBe(true);
    const worst = only("max(sre:recovery.seconds)<=90s", result);
    expect(worst.holds).toBe(false);
    expect(worst.message).toContain("cannot be told");
    expect(only("max(sre:recovery.seconds)>=60s", result).holds).toBe(true);
  });

  it.each([
    ["budget:recovery.depth<=100%", true],
    ["retries:recovery.amplificationAfter>=3.5", true],
    ["sre:age.seconds==120s", true],
    ["sre:recovery.okBefore>=95%", true],
    ["budget:recovery.horizonSeconds==60s", true],
  ])("the figures of the trials have their paths: %s is %s", (text, holds) => {
    expect(only(text, result).holds).toBe(holds);
  });

  it("what never happened is no number", () => {
    expect(only("retries:recovery.reactSeconds<=5s", result).message).toContain("the policy never reacted");
    const plain = recovered([trialFixture({ arm: "a" })]);
    expect(only("recovery.depth<=1", plain).message).toContain("it had no trigger");
  });

  it("an invalid trial takes no part, as in the verdict", () => {
    const facts = { arm: "a", policy: { name: "none", options: {} }, amplification: 1 };
    const lost = {
      ...stormTrial({ ...facts, pair: 1, back: null }),
      validity: { verdict: "invalid" as const, reasons: [] },
    };
    const two = recovered([stormTrial({ ...facts, pair: 0, back: 2 }), lost]);
    expect(only("recovery.stuck==0", two).holds).toBe(true);
    expect(two.recovery?.arms[0]?.stuck.count).toBe(0);
  });

  it("the list of figures has each name once", () => {
    const names = listFigures().map(({ name }) => name);
    expect(names.length).toBe(new Set(names).size);
    expect(names).toEqual(
      expect.arrayContaining(["recovery.stuck", "recovery.seconds", "capacity.goodput", "capacity.offer"]),
    );
    expect(unitText(listFigures().find(({ name }) => name === "recovery.seconds")!.unit)).toBe("a time in seconds");
  });
});
