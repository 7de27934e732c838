import { describe, expect, it } from "vitest";
import { FixedRetry } from "../../../src/policy/fixed-retry.ts";
import { admitAgain, admitNew, end, modify } from "./modified.ts";
import { StrictPolicy } from "./strict-policy.ts";

const asks = (...values: readonly string[]) => values.flatMap((value) => ["retry-after", value]);
const retries = () => new FixedRetry({ maxAttempts: 10 });

describe("retryAfter=retry", () => {
  it.each([
    // own delay, hint, draw -> max(own, hint) + 0.2 x hint x draw (by hand; 0.25 in place of 0.2 keeps it exact)
    [0, 4, 0.5, 4.5],
    [0, 4, 0, 4],
    [1, 4, 0.25, 4.25],
    [6, 4, 0.5, 6.5],
    [2, 0, 0.5, 2],
  ])("own delay %f s, hint %f s, draw %f: the retry comes after %f s", (own, hint, draw, delay) => {
    const inner = new StrictPolicy();
    Object.assign(inner, { delaySeconds: own, nextStep: () => "retry" });
    const modified = modify(inner, { retryAfter: "retry", retryAfterJitter: 0.25 }, draw);
    const { call } = admitNew(modified);
    expect(end(modified, call, { headers: asks(String(hint)) })).toBe("retry");
    expect(call.delaySeconds).toBe(delay);
  });

  it("counts for 429 and 503 only, and is cut to its cap", () => {
    const modified = modify(retries(), { retryAfter: "retry", retryAfterCap: 8, retryAfterJitter: 0 }, 0.5);
    const { call } = admitNew(modified);
    const delays = [429, 503, 500, 502, 301].map((status) => {
      expect(end(modified, call, { status, headers: asks("99") })).toBe("retry");
      const { delaySeconds } = call;
      expect(admitAgain(modified, call)).toBe("send");
      return delaySeconds;
    });
    expect(delays).toEqual([8, 8, 0, 0, 0]);
  });

  it("without a valid hint the policy's own delay stays, and nothing is drawn", () => {
    const modified = modify(retries(), { retryAfter: "retry", backoff: "exponential", backoffBase: 0.5 });
    const { call } = admitNew(modified);
    expect(end(modified, call, { headers: asks("soon") })).toBe("retry");
    expect(call.delaySeconds).toBe(0.5);
  });

  it("holds nobody else back", () => {
    const modified = modify(retries(), { retryAfter: "retry" }, 0.5);
    end(modified, admitNew(modified).call, { headers: asks("60") });
    expect(admitNew(modified).admission).toBe("send");
  });
});

describe("retryAfter=client", () => {
  const rules = { retryAfter: "client", retryAfterJitter: 0.25 } as const;

  it("holds the user's new calls back until then, and lets the retry go at that time", () => {
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const modified = modify(inner, rules, 0.5);
    const { call } = admitNew(modified);
    expect(end(modified, call, { headers: asks("8") })).toBe("retry");
    expect(call.delaySeconds).toBe(9);
    modified.clock.seconds = 8.75;
    expect(admitNew(modified).admission).toBe("throttled");
    modified.clock.seconds = 9;
    expect(admitAgain(modified, call)).toBe("send");
    expect(admitNew(modified).admission).toBe("send");
    expect(inner.log.filter((line) => line.startsWith("admit"))).toEqual([
      "admit 0: send",
      "admit 1: send",
      "admit 0: send",
    ]);
  });

  it("holds them back also when the call itself is not retried, and whatever the verdict is", () => {
    const modified = modify(new FixedRetry({ maxAttempts: 1 }), rules, 0);
    expect(end(modified, admitNew(modified).call, { status: 429, headers: asks("8"), verdict: "failed" })).toBe("done");
    modified.clock.seconds = 7.9;
    expect(admitNew(modified).admission).toBe("throttled");
    modified.clock.seconds = 8;
    expect(admitNew(modified).admission).toBe("send");
  });

  it("a retry that falls into a longer hint of another call waits for its end, and is abandoned if it leaves", () => {
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const modified = modify(inner, rules, 0);
    const [one, other, third] = [0, 1, 2].map(() => admitNew(modified).call);
    if (one === undefined || other === undefined || third === undefined) throw new Error("three calls");
    end(modified, one, { headers: asks("2") });
    end(modified, third, { headers: asks("2") });
    end(modified, other, { headers: asks("16") });
    modified.clock.seconds = 2;
    expect(admitAgain(modified, one)).toBe("wait");
    expect(one.delaySeconds).toBeCloseTo(14, 5);
    expect(one.delaySeconds).toBeGreaterThan(14);
    expect(admitAgain(modified, third)).toBe("wait");
    modified.policy.abandon(third);
    modified.policy.abandon(third);
    expect(inner.abandoned).toBe(1);
    modified.clock.seconds = 2 + one.delaySeconds;
    expect(admitAgain(modified, one)).toBe("send");
  });

  it("a new call in a reused record is no retry: it is throttled and does not wait", () => {
    const modified = modify(retries(), rules, 0);
    const { call } = admitNew(modified);
    end(modified, call, { headers: asks("1") });
    modified.clock.seconds = 1;
    expect(admitAgain(modified, call)).toBe("send");
    end(modified, call, { status: 200, verdict: "accepted" });
    end(modified, admitNew(modified).call, { headers: asks("8") });
    expect(admitNew(modified, 1024, call).admission).toBe("throttled");
  });

  it("a call that still waits for its admission is throttled, and the policy is told once", () => {
    const inner = new StrictPolicy();
    const modified = modify(inner, rules, 0);
    const sent = admitNew(modified).call;
    inner.nextAdmission = () => "wait";
    const { call, admission } = admitNew(modified);
    expect(admission).toBe("wait");
    end(modified, sent, { headers: asks("8") });
    expect(admitAgain(modified, call)).toBe("throttled");
    modified.policy.abandon(call);
    expect(inner.log).toEqual(["admit 0: send", "admit 0: wait", "settle 0 overloaded: done", "abandon 0"]);
    expect(inner.held).toBe(0);
  });

  it("survives a clock that is set back by an hour: the hold lasts no longer than it was asked to", () => {
    const modified = modify(retries(), rules, 0);
    modified.clock.seconds = 3600;
    end(modified, admitNew(modified).call, { headers: asks("8") });
    modified.clock.seconds = 0;
    expect(admitNew(modified).admission).toBe("throttled");
    modified.clock.seconds = 8;
    expect(admitNew(modified).admission).toBe("send");
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "survives a clock that reads %f: nothing is held for ever",
    (reading) => {
      const modified = modify(retries(), rules, 0);
      const { call } = admitNew(modified);
      modified.clock.seconds = reading;
      end(modified, call, { headers: asks("8") });
      modified.clock.seconds = 16;
      expect(admitNew(modified).admission).toBe("send");
    },
  );
});
