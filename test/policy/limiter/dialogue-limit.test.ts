import { describe, expect, it } from "vitest";
import { CallRecord } from "../../../src/policy/call-record.ts";
import { DialogueLimit, dialogueHostEvidence } from "../../../src/policy/limiter/dialogue-limit.ts";
import { SlotLimiter } from "../../../src/policy/limiter/slot-limiter.ts";
import type { Fault } from "../../../src/policy/policy.ts";
import { dropped, expectLimits, ok } from "./facts.ts";

// Worked out by hand from the source; 20 -> 20.05 is also a figure of its own test.
describe("DialogueLimit", () => {
  it("adds 1 / limit for a success at 0.9 of the limit, and takes a tenth off for a drop, rounded down", () => {
    expectLimits(new DialogueLimit(), [
      [0.5, 17, ok, 20],
      [0.5, 18, ok, 20.05],
      [0.5, 18, ok, 20.05 + 1 / 20.05],
      [0.5, 1, dropped, 18],
      [0.5, 1, dropped, 16],
      [0.5, 16, ok, 16.0625],
    ]);
  });

  it("is at 1 after 14 drops, and stays there", () => {
    const after = [18, 16, 14, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1, 1];
    expectLimits(
      new DialogueLimit(),
      after.map((limit) => [0.5, 1, dropped, limit]),
    );
  });

  it("grows from 1: 2, 2.5, 2.9", () => {
    const limit = new DialogueLimit();
    for (let drop = 0; drop < 14; drop++) limit.sample(0, 0.5, 1, true);
    expectLimits(limit, [
      [0.5, 1, ok, 2],
      [0.5, 1, ok, 2.5],
      [0.5, 1, ok, 2.5],
      [0.5, 2, ok, 2.9],
    ]);
  });

  it("adds about 1 for a round trip that fills it, where Netflix' AIMD adds 20", () => {
    const limit = new DialogueLimit();
    for (let sample = 0; sample < 20; sample++) limit.sample(0, 0.5, 20, false);
    expect(limit.limit).toBeGreaterThan(20.97);
    expect(limit.limit).toBeLessThan(21);
  });

  it("admits whole attempts only: 20 at 20.05", () => {
    const limit = new DialogueLimit();
    const limiter = new SlotLimiter(limit);
    limit.sample(0, 0.5, 20, false);
    for (let n = 1; n <= 20; n++) expect(limiter.acquire(0)).toBe(n);
    expect(limiter.acquire(0)).toBe(0);
  });
});

describe("dialogueHostEvidence()", () => {
  it.each([
    [200, "none", undefined, "success"],
    [404, "none", undefined, "success"],
    [429, "none", undefined, "ignored"],
    [500, "none", undefined, "ignored"],
    [501, "none", undefined, "failure"],
    [503, "none", undefined, "failure"],
    [599, "none", undefined, "failure"],
    [308, "none", ["location", "/elsewhere"], "failure"],
    [308, "none", undefined, "success"],
    [0, "timeout", undefined, "failure"],
    [0, "refused", undefined, "failure"],
    [0, "reset", undefined, "failure"],
    [0, "client", undefined, "ignored"],
  ] as const)("status %i, fault %s, headers %j: %s", (status, fault, headers, evidence) => {
    const call = new CallRecord();
    call.status = status;
    call.fault = fault as Fault;
    call.answerHeaders = headers;
    expect(dialogueHostEvidence(call, "overloaded")).toBe(evidence);
  });
});
