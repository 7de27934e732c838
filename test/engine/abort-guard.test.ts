import { describe, expect, it } from "vitest";
import { type Aborted, AbortGuard, abortRuleText } from "../../src/engine/abort-guard.ts";
import { type AttemptClass, Call } from "../../src/engine/call.ts";
import type { AbortRule } from "../../src/engine/trial-spec.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

/** Attempts that end in the middle of a second. */
interface Second {
  readonly classes: readonly AttemptClass[];
  /** What each of them took. */
  readonly serviceSeconds?: number;
}

const GOOD: Second = { classes: ["accepted", "accepted", "accepted"] };
const BAD: Second = { classes: ["accepted", "overloaded", "failed"] };
const EMPTY: Second = { classes: [] };
const SLOW: Second = { ...GOOD, serviceSeconds: 0.4 };

function abortedBy(
  rules: readonly AbortRule[],
  seconds: readonly Second[],
  arrivalsEndSeconds?: number,
): readonly Aborted[] {
  const queue = new EventQueue();
  const told: Aborted[] = [];
  const guard = new AbortGuard(rules, queue, (aborted) => told.push(aborted));
  if (arrivalsEndSeconds !== undefined) queue.at(arrivalsEndSeconds, { run: () => guard.arrivalsEnded() });
  for (const [index, { classes, serviceSeconds = 0.01 }] of seconds.entries()) {
    for (const attemptClass of classes) {
      const call = new Call();
      call.startedSeconds = index + 0.5 - serviceSeconds;
      queue.at(index + 0.5, { run: () => guard.attemptEnded(call, attemptClass, queue.now()) });
    }
  }
  queue.run(1e6, () => false);
  expect(guard.aborted).toBe(told[0]);
  return told;
}

const ERRORS: AbortRule = { kind: "errors", share: 0.5, forSeconds: 3 };
const P99: AbortRule = { kind: "p99", seconds: 0.25, forSeconds: 2 };

describe("AbortGuard", () => {
  it("ends a trial when so many seconds in a row broke the rule, as soon as the last of them is over", () => {
    expect(abortedBy([ERRORS], [GOOD, BAD, BAD, BAD, BAD])).toEqual([
      { atSeconds: 4, text: "errors>50%:3s: 66.7 % of the attempts were not accepted in the last of 3 such seconds" },
    ]);
  });

  it.each([
    ["a second within the bound", GOOD],
    ["a second in which nothing ended", EMPTY],
  ])("counts anew after %s", (_, between) => {
    expect(abortedBy([ERRORS], [BAD, BAD, between, BAD, BAD])).toEqual([]);
    expect(abortedBy([ERRORS], [BAD, BAD, between, BAD, BAD, BAD])).toMatchObject([{ atSeconds: 6 }]);
  });

  it("judges a second also when nothing comes after it", () => {
    expect(abortedBy([ERRORS], [BAD, BAD, BAD])).toMatchObject([{ atSeconds: 3 }]);
  });

  it("judges no more once the arrivals have ended: what is left then is slow by selection", () => {
    expect(abortedBy([ERRORS], [GOOD, BAD, BAD, BAD, BAD], 3)).toEqual([]);
    expect(abortedBy([ERRORS], [BAD, BAD, BAD, BAD], 3.5)).toMatchObject([{ atSeconds: 3 }]);
  });

  it("takes the bound itself for bearable", () => {
    const half: Second = { classes: ["accepted", "overloaded"] };
    expect(abortedBy([ERRORS], [half, half, half, half])).toEqual([]);
  });

  it("counts a fault of this side as one that was not accepted, and what was sent again or given up for a copy not at all", () => {
    const faults: Second = { classes: ["clientFault", "clientFault", "accepted"] };
    expect(abortedBy([ERRORS], [faults, faults, faults])).toHaveLength(1);
    const none: Second = { classes: ["accepted", "staleConnection", "staleConnection", "cancelled", "cancelled"] };
    expect(abortedBy([ERRORS], [none, none, none])).toEqual([]);
  });

  it("judges the service time by its quantile, whatever became of the attempts", () => {
    expect(abortedBy([P99], [GOOD, SLOW, GOOD, SLOW, SLOW])).toEqual([
      {
        atSeconds: 5,
        text: expect.stringMatching(
          /^p99>250ms:2s: the p99 of the service time was (399|400)\S*ms in the last of 2 such seconds$/,
        ),
      },
    ]);
    const slowFailures: Second = { classes: ["overloaded"], serviceSeconds: 0.4 };
    expect(abortedBy([P99], [slowFailures, slowFailures])).toHaveLength(1);
    expect(abortedBy([{ ...P99, kind: "p50" }], [GOOD, SLOW, SLOW])).toHaveLength(1);
  });

  it("is told by the first of several rules", () => {
    const both = { ...BAD, serviceSeconds: 0.4 };
    const [aborted] = abortedBy([ERRORS, P99], [both, both, both, both]);
    expect(aborted?.text).toMatch(/^p99>250ms:2s/);
    expect(aborted?.atSeconds).toBe(2);
  });

  it.each([
    [{ ...ERRORS, forSeconds: 0.5 }, "'forSeconds'"],
    [{ ...ERRORS, share: 1 }, "'share'"],
    [{ ...P99, seconds: 0 }, "'seconds'"],
  ])("refuses %o, which it cannot keep", (rule, name) => {
    expect(() => new AbortGuard([rule], new EventQueue(), () => {})).toThrow(RangeError);
    expect(() => new AbortGuard([rule], new EventQueue(), () => {})).toThrow(name);
  });

  it("is written as --abort-on writes it", () => {
    expect([ERRORS, P99].map(abortRuleText)).toEqual(["errors>50%:3s", "p99>250ms:2s"]);
  });
});
