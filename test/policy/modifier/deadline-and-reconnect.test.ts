import { describe, expect, it } from "vitest";
import { FixedRetry } from "../../../src/policy/fixed-retry.ts";
import { admitAgain, admitNew, end, modify } from "./modified.ts";
import { StrictPolicy } from "./strict-policy.ts";

const retries = () => new FixedRetry({ maxAttempts: 10 });

describe("deadline", () => {
  it("gives an attempt no more time than the call has left", () => {
    const modified = modify(retries(), { deadline: 4 });
    const { call } = admitNew(modified, 2.5);
    expect(call.timeoutSeconds).toBe(2.5);
    end(modified, call);
    modified.clock.seconds = 3;
    expect(admitAgain(modified, call, 2.5)).toBe("send");
    expect(call.timeoutSeconds).toBe(1);
  });

  it("counts from when the call was to start, and refuses it when no time is left, without asking the policy", () => {
    const inner = new StrictPolicy();
    const modified = modify(inner, { deadline: 4 });
    const { call } = admitNew(modified);
    call.intendedSeconds = -4;
    call.attempt = 0;
    end(modified, call);
    expect(admitAgain(modified, call)).toBe("deadline");
    call.intendedSeconds = -3.75;
    expect(admitAgain(modified, call)).toBe("send");
    expect(call.timeoutSeconds).toBe(0.25);
    expect(inner.log).toHaveLength(3);
  });

  it.each([
    [3.875, "retry", 0],
    [4, "deadline", 1],
    [60, "deadline", 1],
  ])("after a retry delay of %f s the call is '%s'", (delaySeconds, step, abandoned) => {
    const inner = new StrictPolicy();
    Object.assign(inner, { delaySeconds, nextStep: () => "retry" });
    const modified = modify(inner, { deadline: 4 });
    expect(end(modified, admitNew(modified).call)).toBe(step);
    expect(inner.abandoned).toBe(abandoned);
    expect(inner.held).toBe(1 - abandoned);
  });

  it.each([
    [3.875, "wait", 0],
    [4, "deadline", 1],
  ])("a wait of %f s for an admission is '%s'", (delaySeconds, admission, abandoned) => {
    const inner = new StrictPolicy();
    Object.assign(inner, { delaySeconds, nextAdmission: () => "wait" });
    const modified = modify(inner, { deadline: 4 });
    expect(admitNew(modified).admission).toBe(admission);
    expect(inner.abandoned).toBe(abandoned);
  });

  it("a wait that ends too late all the same is refused, and the policy is told once", () => {
    const inner = new StrictPolicy();
    inner.nextAdmission = () => "wait";
    const modified = modify(inner, { deadline: 4 });
    const { call } = admitNew(modified);
    modified.clock.seconds = 5;
    expect(admitAgain(modified, call)).toBe("deadline");
    modified.policy.abandon(call);
    expect(inner.log).toEqual(["admit 0: wait", "abandon 0"]);
  });

  it.each([
    ["deadline", { deadline: 4 }, 8],
    ["retry", { deadline: 4 }, 2],
    ["retry", { attemptHeader: "x" }, 2],
  ])("an attempt that timed out is '%s' with %o and a time-out of %f s", (step, given, timeout) => {
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const modified = modify(inner, given);
    const { call } = admitNew(modified, timeout);
    modified.clock.seconds = Math.min(timeout, 4);
    expect(end(modified, call, { fault: "timeout" })).toBe(step);
    expect(inner.held).toBe(step === "retry" ? 1 : 0);
  });

  it("a start jitter or a Retry-After that would outlast it ends the call", () => {
    const jittered = modify(retries(), { deadline: 4, startJitter: 8 }, 0.5);
    expect(admitNew(jittered).admission).toBe("deadline");
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const hinted = modify(inner, { deadline: 4, retryAfter: "retry" }, 0);
    expect(end(hinted, admitNew(hinted).call, { headers: ["retry-after", "4"] })).toBe("deadline");
    expect(inner.held).toBe(0);
  });
});

describe("reconnect=on", () => {
  const on = { reconnect: "on" } as const;
  const refused = { fault: "refused" } as const;

  it("backs off 1, 1.6, 2.56, ... up to 120 s after consecutive refusals: constants of gRPC, in the middle of the jitter", () => {
    const modified = modify(new FixedRetry({ maxAttempts: 1 }), on, 0.5);
    const lengths: number[] = [];
    for (let failure = 0; failure < 14; failure++) {
      const { call, admission } = admitNew(modified);
      expect(admission).toBe("send");
      end(modified, call, failure % 2 === 0 ? refused : { fault: "reset" });
      const start = modified.clock.seconds;
      const expected = Math.min(120, 1.6 ** failure);
      modified.clock.seconds = start + expected * 0.999;
      expect(admitNew(modified).admission).toBe("broken");
      lengths.push(expected);
      modified.clock.seconds = start + expected * 1.001;
    }
    expect(lengths.slice(-2)).toEqual([120, 120]);
  });

  it.each([
    [0, 0.8],
    [0.25, 0.9],
    [0.75, 1.1],
  ])("a draw of %f makes the first backoff %f s", (draw, seconds) => {
    const modified = modify(retries(), on, draw);
    end(modified, admitNew(modified).call, refused);
    modified.clock.seconds = seconds - 2 ** -20;
    expect(admitNew(modified).admission).toBe("broken");
    modified.clock.seconds = seconds + 2 ** -20;
    expect(admitNew(modified).admission).toBe("send");
  });

  it.each(["timeout", "stale", "client", "other"] as const)("a fault '%s' is none of its business", (fault) => {
    const modified = modify(retries(), on);
    end(modified, admitNew(modified).call, { fault });
    expect(admitNew(modified).admission).toBe("send");
  });

  it("any answer starts anew, an overload too", () => {
    const modified = modify(new FixedRetry({ maxAttempts: 1 }), on, 0.5);
    const fail = (wait: number) => {
      end(modified, admitNew(modified).call, refused);
      modified.clock.seconds += wait - 2 ** -10;
      expect(admitNew(modified).admission).toBe("broken");
      modified.clock.seconds += 2 ** -9;
    };
    fail(1);
    fail(1.6);
    end(modified, admitNew(modified).call, { status: 503 });
    fail(1);
  });

  it("attempts that were under way together count once, also those that end after the backoff", () => {
    const modified = modify(new FixedRetry({ maxAttempts: 1 }), on, 0.5);
    const calls = Array.from({ length: 20 }, () => admitNew(modified).call);
    for (const call of calls.slice(0, 10)) end(modified, call, { fault: "reset" });
    modified.clock.seconds = 1 + 2 ** -10;
    for (const call of calls.slice(10)) end(modified, call, { fault: "reset" });
    const { call, admission } = admitNew(modified);
    expect(admission).toBe("send");
    end(modified, call, refused);
    modified.clock.seconds += 1.5;
    expect(admitNew(modified).admission).toBe("broken");
    modified.clock.seconds += 0.125;
    expect(admitNew(modified).admission).toBe("send");
  });

  it("a retry in it is broken too, and the policy gets its retry back", () => {
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const modified = modify(inner, on, 0.5);
    const { call } = admitNew(modified);
    expect(end(modified, call, refused)).toBe("retry");
    expect(admitAgain(modified, call)).toBe("broken");
    expect(inner.log).toEqual(["admit 0: send", "settle 0 overloaded: retry", "abandon 1"]);
  });

  it("survives a clock that is set back by an hour, and one that reads nothing", () => {
    const modified = modify(retries(), on, 0.5);
    modified.clock.seconds = 3600;
    end(modified, admitNew(modified).call, refused);
    modified.clock.seconds = Number.NaN;
    expect(admitNew(modified).admission).toBe("send");
    modified.clock.seconds = 0;
    expect(admitNew(modified).admission).toBe("broken");
    modified.clock.seconds = 1.125;
    expect(admitNew(modified).admission).toBe("send");
  });
});
