import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatTrigger, parseTrigger, type Trigger, triggerWords } from "../../src/experiment/recovery-trigger.ts";

const anySeconds = fc.integer({ min: 1, max: 10_000_000 }).map((millis) => millis / 1000);
const anyTrigger: fc.Arbitrary<Trigger> = fc.oneof(
  fc.record({
    kind: fc.constant("spike" as const),
    factor: fc.integer({ min: 101, max: 99_999 }).map((hundredths) => hundredths / 100),
    seconds: anySeconds,
  }),
  fc.record({
    kind: fc.constant("slowdown" as const),
    factor: fc.integer({ min: 1, max: 999 }).map((thousandths) => thousandths / 1000),
    seconds: anySeconds,
  }),
  fc.record({ kind: fc.constantFrom("outage" as const, "hook" as const), seconds: anySeconds }),
);

describe("parseTrigger()", () => {
  it.each([
    ["slowdown=0.05:3s", { kind: "slowdown", factor: 0.05, seconds: 3 }],
    ["spike=4:5s", { kind: "spike", factor: 4, seconds: 5 }],
    ["outage:1m30s", { kind: "outage", seconds: 90 }],
    ["hook:500ms", { kind: "hook", seconds: 0.5 }],
  ])("reads %s", (text, trigger) => {
    expect(parseTrigger(text)).toEqual(trigger);
  });

  it("reads what formatTrigger() writes", () => {
    fc.assert(
      fc.property(anyTrigger, (trigger) => {
        const read = parseTrigger(formatTrigger(trigger));
        expect(read.seconds).toBeCloseTo(trigger.seconds, 9);
        expect({ ...read, seconds: 0 }).toEqual({ ...trigger, seconds: 0 });
      }),
    );
  });

  it.each([
    "",
    "outage",
    "outage:",
    "outage:0s",
    "outage:10",
    "outage=0.5:3s",
    "hook=2:3s",
    "slowdown:3s",
    "slowdown=0:3s",
    "slowdown=1:3s",
    "slowdown=-0.5:3s",
    "spike=1:3s",
    "spike=1000:3s",
    "spike=:3s",
    "spike=four:3s",
    "flood=4:3s",
    "spike=4:3s:5s",
    "outage:100us",
  ])("refuses '%s', and says so", (text) => {
    expect(() => parseTrigger(text)).toThrow(RangeError);
    expect(() => parseTrigger(text)).toThrow(/^must /u);
    expect(() => parseTrigger(text)).toThrow(`"${text}"`);
  });
});

describe("triggerWords()", () => {
  it.each([
    ["slowdown=0.05:3s", "a slow-down to 5 % of the capacity for 3 s"],
    ["spike=4:1m30s", "a spike to 4 times the load for 90 s"],
    ["outage:10s", "an outage of 10 s"],
    ["hook:500ms", "the hook's disturbance of 0.50 s"],
  ])("of %s is %s", (text, words) => {
    expect(triggerWords(parseTrigger(text))).toBe(words);
  });
});
