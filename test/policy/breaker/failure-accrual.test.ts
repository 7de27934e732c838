import { describe, expect, it } from "vitest";
import { FailureAccrual, type FailureAccrualOptions } from "../../../src/policy/breaker/failure-accrual.ts";
import { REFUSED } from "../../../src/policy/parts.ts";
import { ScriptedRandom } from "../fakes.ts";

const defaults: FailureAccrualOptions = {
  requiredSuccessRate: 0.8,
  windowSeconds: 30,
  minRequestThreshold: 5,
  consecutiveFailures: 5,
  minDeadSeconds: 5,
  maxDeadSeconds: 300,
  probeTimeoutSeconds: 60,
};

/** @param jitter random numbers for the dead times. */
function accrual(jitter: readonly number[], options: Partial<FailureAccrualOptions> = {}): FailureAccrual {
  return new FailureAccrual({ ...defaults, ...options }, new ScriptedRandom(...jitter));
}

/** Attempts that end as they begin: `.` success, `x` failure, `i` no evidence. @returns for each: it, or `-` when refused. */
function play(breaker: FailureAccrual, atSeconds: number, outcomes: string): string {
  return [...outcomes]
    .map((outcome) => {
      const ticket = breaker.enter(atSeconds);
      if (ticket === REFUSED) return "-";
      breaker.leave(ticket, outcome === "." ? "success" : outcome === "x" ? "failure" : "ignored", 0, atSeconds);
      return outcome;
    })
    .join("");
}

describe("FailureAccrual", () => {
  it("is dead at the fifth failure in a row: for 5 s, 5..10 s, 10..20 s, ...", () => {
    const breaker = accrual([0.5, 0.25, 0, 0]);
    expect(play(breaker, 0, "xxxx.xxxxxx")).toBe("xxxx.xxxxx-");
    // 5 s; then 5 + 0.5 x 5 = 7.5; then 10 + 0.25 x 10 = 12.5; then 20; then 40.
    expect([play(breaker, 4.75, "."), play(breaker, 5, "x.")]).toEqual(["-", "x-"]);
    expect([play(breaker, 12.25, "."), play(breaker, 12.5, "x.")]).toEqual(["-", "x-"]);
    expect([play(breaker, 24.75, "."), play(breaker, 25, "x.")]).toEqual(["-", "x-"]);
    expect([play(breaker, 44.75, "."), play(breaker, 45, ".x")]).toEqual(["-", ".x"]);
  });

  it("is never dead for longer than 300 s, and for 5 s again after a probe that succeeded", () => {
    const breaker = accrual([0.999]);
    play(breaker, 0, "xxxxx");
    let at = 0;
    const deadSeconds: number[] = [];
    for (let n = 0; n < 9; n++) {
      const from = at;
      while (play(breaker, at, "x") === "-") at += 0.25;
      deadSeconds.push(at - from);
    }
    expect(deadSeconds.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect(deadSeconds.at(-1)).toBe(300);
    play(breaker, at + 300, ".");
    expect(play(breaker, at + 300, "xxxxxx")).toBe("xxxxx-");
    expect(play(breaker, at + 305, ".")).toBe(".");
  });

  it("is dead by the moving average only when a window has passed since the start: 4 in 5 failures, no five in a row", () => {
    const breaker = accrual([0]);
    for (let at = 0; at < 30; at += 1) expect(play(breaker, at, "xxxx.")).toBe("xxxx.");
    expect(play(breaker, 30, "x.")).toBe("x-");
  });

  it("has the average of Ema.scala: after a success at 0, a failure each 6 s pulls it to exp(-1) in a window", () => {
    // exp(-6/30) = 0.8187 at the first failure, 0.67 at the second; at 30 s and after 5 attempts it may judge.
    const judged = accrual([0], { consecutiveFailures: 100, requiredSuccessRate: 0.368 });
    const spared = accrual([0], { consecutiveFailures: 100, requiredSuccessRate: 0.3678 });
    for (const breaker of [judged, spared]) {
      play(breaker, 0, ".");
      for (const at of [6, 12, 18, 24]) expect(play(breaker, at, "x")).toBe("x");
    }
    expect([play(judged, 30, "x."), play(spared, 30, "x.")]).toEqual(["x-", "x."]);
  });

  it("does not trust the average below five attempts in the last window", () => {
    const breaker = accrual([0]);
    play(breaker, 0, "..........");
    expect(play(breaker, 60, "xxxx.")).toBe("xxxx.");
    const enough = accrual([0]);
    play(enough, 0, "..........");
    expect(play(enough, 60, "x.xxx.")).toBe("x.xxx-");
  });

  it("sends another probe at once when one fails and neither rule says dead", () => {
    const breaker = accrual([0]);
    play(breaker, 0, "xxxxx");
    const late = breaker.enter(5);
    breaker.leave(late, "ignored", 0, 5);
    expect(breaker.phase).toBe("probeOpen");
    const probe = breaker.enter(5);
    expect([breaker.phase, breaker.enter(5)]).toEqual(["probeClosed", REFUSED]);
    breaker.leave(probe, "success", 0, 5.25);
    expect(breaker.phase).toBe("alive");
  });

  it("a success that comes while dead ends the row, so the first probe's failure leaves it to the next", () => {
    const breaker = accrual([0]);
    const late = breaker.enter(0);
    play(breaker, 0, "xxxxx");
    breaker.leave(late, "success", 1, 1);
    expect(play(breaker, 4.75, ".")).toBe("-");
    expect(play(breaker, 5, "xxxx")).toBe("xxxx");
    expect(play(breaker, 5, "x.")).toBe("x-");
  });

  it("lets exactly one of 100 pass as a probe, and one more when it has no result after its time", () => {
    const breaker = accrual([0]);
    play(breaker, 0, "xxxxx");
    const passed = (at: number) =>
      Array.from({ length: 100 }, () => breaker.enter(at)).filter((ticket) => ticket !== REFUSED).length;
    expect([passed(4.75), passed(5), passed(64.75), passed(65)]).toEqual([0, 1, 0, 1]);
  });

  it("survives a clock that is set an hour back, dead or with a probe out", () => {
    const breaker = accrual([0]);
    play(breaker, 10_000, "xxxxx");
    expect([play(breaker, 6400, "."), play(breaker, 6404.75, "."), play(breaker, 6405, "xxxx.")]).toEqual([
      "-",
      "-",
      "x----",
    ]);
    expect([play(breaker, Number.NaN, "."), play(breaker, 6410, ".x")]).toEqual(["-", ".x"]);
  });
});
