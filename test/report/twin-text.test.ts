import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { renderTrial } from "../../src/report/trial-text.ts";
import { twinLines } from "../../src/report/twin-text.ts";
import { type Result, resultSchema, type Twin } from "../../src/result/schema.ts";
import { collapsed, spoiled, throttled, twinOf } from "../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const NONE: Twin = {
  made: false,
  reason: "The target has no counters and was not overloaded, so its capacity is not known",
};

const CASES: Readonly<Record<string, Result>> = {
  near: resultFixture([throttled(0)], { command: "run", twin: twinOf(throttled(0)) }),
  none: resultFixture([trialFixture()], { command: "run", twin: NONE }),
};

describe("renderTrial() of a run with its twin", () => {
  it.each(Object.entries(CASES))("renderTrial() of the twin '%s' is the golden text", async (name, result) => {
    expect(resultSchema.parse(result)).toEqual(result);
    const text = renderTrial(result, 0);
    expect(text.split("\n").filter((line) => displayWidth(line) > 100)).toEqual([]);
    await expect(text).toMatchFileSnapshot(`../golden/report/run-twin-${name}.txt`);
  });
});

describe("twinLines()", () => {
  const conclusion = (twin: Twin, real = throttled(0)): string =>
    twinLines(twin, real).join(" ").replaceAll(/\s+/g, " ");

  it.each([
    [1, "The twin's goodput equals the real one: its law explains what this target did."],
    [0.91, "is 9.0 % below the real one: its law explains what this target did."],
    [1.2, "is 20 % above the real one: its law explains most of what this target did."],
    [0.5, "is 50 % below the real one: its law does not explain what this target did"],
  ])("says at %s times the real goodput how much the law explains", (ratio, sentence) => {
    expect(conclusion(twinOf(throttled(0), ratio))).toContain(sentence);
  });

  it("says that something else was at work where the real target alone served nothing", () => {
    const silent = collapsed(0, 0);
    expect(conclusion(onlyTwinServed(), silent)).toContain("The real target served nothing");
  });

  it("does not take a goodput that any law has for an explanation", () => {
    const idle = trialFixture();
    expect(idle.attempts.overloaded).toBe(0);
    const text = conclusion(twinOf(idle, 1), idle);
    expect(text).toContain("Nothing met overload, so any law that is fast enough has this goodput");
    expect(text).not.toContain("explains what");
  });

  it("says when the response times are others, whatever the goodput is", () => {
    const twin = twinOf(throttled(0), 1);
    if (!twin.made) throw new Error(twin.reason);
    const slow = { ...twin, figures: { ...twin.figures, responseOkP50Ms: { real: 10, twin: 4, ratio: 0.4 } } };
    expect(conclusion(slow)).toContain("the median of its ok calls is 40 % of the real one");
    expect(conclusion(twin)).not.toContain("response times");
  });

  it("says that an invalid trial is no measure of its twin", () => {
    expect(conclusion(twinOf(spoiled()), spoiled())).toContain("But the real trial is invalid");
  });
});

function onlyTwinServed(): Twin {
  const twin = twinOf(throttled(0));
  if (!twin.made) throw new Error(twin.reason);
  return { ...twin, figures: { ...twin.figures, goodput: { real: 0, twin: 100, ratio: null } } };
}
