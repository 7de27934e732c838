import { describe, expect, it } from "vitest";
import { FixedRetry } from "../../../src/policy/fixed-retry.ts";
import { admitAgain, admitNew, end, modify } from "./modified.ts";
import { StrictPolicy } from "./strict-policy.ts";

const retries = () => new FixedRetry({ maxAttempts: 10 });
const pushed = (value: string) => ["grpc-retry-pushback-ms", value];

function delays(modified: ReturnType<typeof modify>, endings: readonly (readonly string[] | undefined)[]): number[] {
  const { call } = admitNew(modified);
  return endings.map((headers) => {
    expect(end(modified, call, headers === undefined ? {} : { headers })).toBe("retry");
    const { delaySeconds } = call;
    expect(admitAgain(modified, call)).toBe("send");
    return delaySeconds;
  });
}

describe("pushback=on", () => {
  it("a positive pushback is the delay exactly, and the chosen backoff starts anew after it", () => {
    const modified = modify(retries(), { pushback: "on", backoff: "exponential", backoffBase: 0.125 });
    const none = undefined;
    expect(delays(modified, [none, none, pushed("750"), none, none, pushed("0"), none])).toEqual([
      0.125, 0.25, 0.75, 0.125, 0.25, 0, 0.125,
    ]);
  });

  it.each(["-1", "soon", "2147483648"])("%s ends the call as failed, and the policy gets its retry back", (value) => {
    const inner = new StrictPolicy();
    inner.nextStep = () => "retry";
    const modified = modify(inner, { pushback: "on" });
    const { call } = admitNew(modified);
    expect(end(modified, call, { headers: pushed(value) })).toBe("done");
    modified.policy.abandon(call);
    expect(inner.log).toEqual(["admit 0: send", "settle 0 overloaded: retry", "abandon 0"]);
  });

  it("a repeated one ends the call as failed", () => {
    const modified = modify(retries(), { pushback: "on" });
    expect(end(modified, admitNew(modified).call, { headers: [...pushed("5"), ...pushed("5")] })).toBe("done");
  });

  it("cannot add a retry to those that the policy makes", () => {
    const modified = modify(new FixedRetry({ maxAttempts: 1 }), { pushback: "on" });
    expect(end(modified, admitNew(modified).call, { headers: pushed("5") })).toBe("done");
  });

  it("wins over Retry-After, and off reads none", () => {
    const headers = [...pushed("500"), "retry-after", "8"];
    const both = modify(retries(), { pushback: "on", retryAfter: "retry" }, 0.5);
    expect(delays(both, [headers])).toEqual([0.5]);
    expect(delays(modify(retries(), { retryAfter: "retry" }, 0), [headers])).toEqual([8]);
  });
});

describe("backoff=...", () => {
  const none = [undefined, undefined, undefined, undefined];
  const bounds = { backoffBase: 0.125, backoffCap: 0.75 };
  it.each([
    ["exponential", [], [0.125, 0.25, 0.5, 0.75]],
    ["full", [0.5], [0.0625, 0.125, 0.25, 0.375]],
    ["equal", [0.5], [0.09375, 0.1875, 0.375, 0.5625]],
    ["decorrelated", [0.5], [0.25, 0.4375, 0.71875, 0.75]],
    ["none", [], [0, 0, 0, 0]],
    ["own", [], [4, 4, 4, 4]],
  ] as const)("%s replaces the policy's own delay of 4 s", (backoff, draws, expected) => {
    const inner = new StrictPolicy();
    Object.assign(inner, { delaySeconds: 4, nextStep: () => "retry" });
    expect(delays(modify(inner, { backoff, ...bounds }, ...draws), none)).toEqual(expected);
  });

  it("v2 follows its source from retry to retry, each call for itself", () => {
    const modified = modify(retries(), { backoff: "v2", backoffBase: 1.4, backoffCap: 5 }, 0.5);
    const six = (values: readonly number[]) => values.map((value) => Number(value.toFixed(6)));
    expect(six(delays(modified, none))).toEqual([1.256367, 1.530205, 2.850047, 5]);
    const [one, other] = [admitNew(modified).call, admitNew(modified).call];
    const step = (call: typeof one) => {
      end(modified, call);
      const { delaySeconds } = call;
      admitAgain(modified, call);
      return delaySeconds;
    };
    expect(six([step(one), step(other), step(one), step(other), step(other), step(one)])).toEqual([
      1.256367, 1.256367, 1.530205, 1.530205, 2.850047, 2.850047,
    ]);
  });
});

describe("startJitter", () => {
  it("lets each user's first call wait U(0, startJitter), and no other", () => {
    const modified = modify(new StrictPolicy(), { startJitter: 8 }, 0.25);
    const { call, admission } = admitNew(modified);
    expect([admission, call.delaySeconds]).toEqual(["wait", 2]);
    expect(admitNew(modified).admission).toBe("send");
    modified.clock.seconds = 2;
    expect(admitAgain(modified, call)).toBe("send");
    expect(call.attempt).toBe(0);
  });

  it("a draw of 0 waits for nothing", () => {
    expect(admitNew(modify(retries(), { startJitter: 8 }, 0)).admission).toBe("send");
  });

  it("a first call that leaves while it waits owes the policy nothing, and the next one goes at once", () => {
    const inner = new StrictPolicy();
    const modified = modify(inner, { startJitter: 8 }, 0.5);
    modified.policy.abandon(admitNew(modified).call);
    expect(inner.log).toEqual([]);
    expect(admitNew(modified).admission).toBe("send");
  });
});

describe("attemptHeader and deadlineHeader", () => {
  it("the attempt number stands in its header", () => {
    const modified = modify(retries(), { attemptHeader: "x-attempt" });
    const { call } = admitNew(modified);
    const seen = [call.requestHeaders];
    for (let attempt = 1; attempt < 3; attempt++) {
      end(modified, call);
      admitAgain(modified, call);
      seen.push(call.requestHeaders);
    }
    call.attempt = 5000;
    admitAgain(modified, call);
    seen.push(call.requestHeaders);
    expect(seen).toEqual([
      ["x-attempt", "0"],
      ["x-attempt", "1"],
      ["x-attempt", "2"],
      ["x-attempt", "5000"],
    ]);
  });

  it.each([
    ["x-timeout-ms", 4, 1024, 0, "4000"],
    ["x-timeout-ms", 4, 1024, 3.0625, "937"],
    ["x-timeout-ms", 4, 0.25, 0, "250"],
    ["x-timeout-ms", 0, 0.25, 0, "250"],
    ["x-timeout-ms", 4, 1024, 3.9999, "1"],
    ["grpc-timeout", 4, 1024, 3.0625, "937m"],
    ["Grpc-Timeout", 4, 1024, 3.0625, "937m"],
    ["grpc-timeout", 86_400, 1e6, 0, "86400000m"],
    ["grpc-timeout", 0, 123_456.5, 0, "123456S"],
    ["grpc-timeout", 0, 1e12, 0, "99999999S"],
  ])(
    "%s: deadline %f s, time-out %f s, %f s after the start, is %s",
    (deadlineHeader, deadline, timeout, age, value) => {
      const modified = modify(retries(), { deadlineHeader, deadline });
      const { call } = admitNew(modified, timeout);
      end(modified, call);
      modified.clock.seconds = age;
      expect(admitAgain(modified, call, timeout)).toBe("send");
      expect(call.requestHeaders).toEqual([deadlineHeader, value]);
    },
  );

  it("without a deadline and a time-out there is no header", () => {
    const modified = modify(retries(), { deadlineHeader: "x-timeout-ms" });
    expect(admitNew(modified, Number.POSITIVE_INFINITY).call.requestHeaders).toBeUndefined();
  });

  it("stand beside the headers of the policy itself", () => {
    const inner = new StrictPolicy();
    const admit = inner.admit.bind(inner);
    inner.admit = (call) => {
      call.requestHeaders = ["x-own", "1"];
      return admit(call);
    };
    const modified = modify(inner, { attemptHeader: "x-attempt", deadlineHeader: "x-ms", deadline: 2 });
    expect(admitNew(modified).call.requestHeaders).toEqual(["x-own", "1", "x-attempt", "0", "x-ms", "2000"]);
  });
});
