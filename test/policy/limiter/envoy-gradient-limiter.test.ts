import { describe, expect, it } from "vitest";
import { EnvoyGradientLimiter } from "../../../src/policy/limiter/envoy-gradient-limiter.ts";
import { ScriptedRandom } from "../fakes.ts";

/** A limiter, its clock and attempts one at a time. */
class Bench {
  now = 0;
  readonly random: ScriptedRandom;
  readonly limiter: EnvoyGradientLimiter;

  constructor(options = {}, ...draws: number[]) {
    this.random = new ScriptedRandom(...draws, 0);
    this.limiter = new EnvoyGradientLimiter(0, this.random, options);
  }

  /** Attempts that began and ended in the past `tookSeconds`, as the source's own tests have them. */
  attempts(count: number, tookSeconds: number): void {
    for (let n = 0; n < count; n++) {
      const inFlight = this.limiter.acquire(this.now);
      expect(inFlight).toBe(1);
      this.limiter.release(inFlight, tookSeconds, "success", this.now);
    }
  }

  /** An attempt that is no sample, so that the limiter looks at the time. */
  cancelOne(): void {
    this.limiter.release(this.limiter.acquire(this.now), 0, "ignored", this.now);
  }

  /** The limit after a window with five attempts. */
  window(tookSeconds: number): number {
    this.attempts(5, tookSeconds);
    this.now += 0.125;
    this.cancelOne();
    return this.limiter.limit;
  }

  measured(tookSeconds = 0.005): this {
    this.now += 1;
    this.attempts(50, tookSeconds);
    return this;
  }
}

const jitterless = { jitter: 0 };

// Worked out by hand from the source and from its histogram (a latency of 5 ms is 5,049 us among 50 of them, 5,050 among 5).
describe("EnvoyGradientLimiter", () => {
  it("pins the limit to minConcurrency until requestCount attempts have ended", () => {
    const bench = new Bench();
    bench.now = 1;
    const places = [1, 2, 3].map(() => bench.limiter.acquire(1));
    expect([...places, bench.limiter.acquire(1)]).toEqual([1, 2, 3, 0]);
    for (const place of places) bench.limiter.release(place, 0.005, "success", 1);
    bench.attempts(46, 0.005);
    expect([bench.limiter.isMeasuring, bench.random.draws]).toEqual([true, 0]);
    bench.attempts(1, 0.005);
    expect([bench.limiter.isMeasuring, bench.limiter.limit, bench.random.draws]).toEqual([false, 3, 1]);
  });

  it("grows by sqrt(limit x 1.2497...) with each window of the least latency", () => {
    const bench = new Bench().measured();
    expect([1, 2, 3, 4].map(() => bench.window(0.005))).toEqual([5, 8, 13, 20]);
  });

  it("shrinks by the gradient, measures anew after five windows at the minimum, and grows from the new least latency", () => {
    const bench = new Bench().measured();
    for (let n = 0; n < 4; n++) bench.window(0.005);
    // sampleRTT 10,500 us: gradient 6,311.25 / 10,500
    expect(Array.from({ length: 8 }, () => bench.window(0.01))).toEqual([15, 12, 9, 7, 6, 5, 4, 3]);
    expect(Array.from({ length: 4 }, () => bench.window(0.01))).toEqual([3, 3, 3, 3]);
    expect(bench.limiter.isMeasuring).toBe(false);
    bench.window(0.01);
    expect(bench.limiter.isMeasuring).toBe(true);
    bench.measured(0.01);
    expect(bench.window(0.01)).toBe(5);
  });

  it("never moves by less than half or more than double before the square root", () => {
    const bench = new Bench().measured();
    for (let n = 0; n < 4; n++) bench.window(0.005);
    expect(bench.window(0.5)).toBe(Math.floor(10 + Math.sqrt(10)));
    expect(bench.window(0.000001)).toBe(Math.floor(26 + Math.sqrt(26)));
    expect(bench.window(0)).toBe(Math.floor(62 + Math.sqrt(62)));
  });

  it("measures again after interval and returns to the limit from before", () => {
    const bench = new Bench(jitterless).measured();
    for (let n = 0; n < 4; n++) bench.window(0.005);
    bench.now = 61 - 2 ** -10;
    bench.cancelOne();
    expect(bench.limiter.limit).toBe(20);
    bench.now = 61;
    bench.cancelOne();
    expect([bench.limiter.limit, bench.limiter.isMeasuring]).toEqual([3, true]);
    bench.now = 62;
    bench.attempts(50, 0.013);
    expect([bench.limiter.limit, bench.limiter.isMeasuring]).toEqual([20, false]);
  });

  it("puts the next measurement off by whole milliseconds below ceil(jitter x interval)", () => {
    // 60 s x 15 % = 9,000 ms; half of them
    const bench = new Bench({}, 0.5).measured();
    bench.now = 1 + 60 + 4.5 - 2 ** -10;
    bench.attempts(1, 0.005);
    expect(bench.limiter.isMeasuring).toBe(false);
    bench.now = 1 + 60 + 4.5;
    bench.attempts(1, 0.005);
    expect(bench.limiter.isMeasuring).toBe(true);
  });

  it("does not sample attempts that were sent before the measurement began", () => {
    const bench = new Bench(jitterless).measured();
    for (let n = 0; n < 10; n++) bench.window(0.005);
    const places = Array.from({ length: 60 }, () => bench.limiter.acquire(bench.now));
    expect(places.at(-1)).toBe(60);
    bench.now = 62;
    for (const place of places) bench.limiter.release(place, bench.now - 3, "success", bench.now);
    expect([bench.limiter.isMeasuring, bench.limiter.inFlight]).toEqual([true, 0]);
  });

  it("samples what was sent just when it began, though times are rounded", () => {
    const limiter = new EnvoyGradientLimiter(0.3, new ScriptedRandom(0), { requestCount: 1 });
    const inFlight = limiter.acquire(0.3);
    limiter.release(inFlight, 0.4 - 0.3, "success", 0.4);
    expect(limiter.isMeasuring).toBe(false);
  });

  it("takes refusals for short latencies, and what is no evidence for none", () => {
    const bench = new Bench().measured();
    for (let n = 0; n < 20; n++) {
      for (let k = 0; k < 5; k++) bench.limiter.release(bench.limiter.acquire(bench.now), 0.001, "failure", bench.now);
      bench.now += 0.125;
    }
    expect(bench.limiter.limit).toBe(1000);
    const idle = new Bench().measured();
    for (let n = 0; n < 20; n++) {
      for (let k = 0; k < 5; k++) idle.limiter.release(idle.limiter.acquire(idle.now), 0.001, "ignored", idle.now);
      idle.now += 0.125;
    }
    expect(idle.limiter.limit).toBe(3);
  });

  it("changes nothing in windows without samples", () => {
    const bench = new Bench({ interval: 1e6 }).measured();
    bench.window(0.005);
    bench.now += 100_000;
    bench.attempts(1, 0.005);
    expect(bench.limiter.limit).toBe(5);
  });

  it("changes at most once for each window", () => {
    const bench = new Bench({ interval: 1e6 }).measured();
    const limits = new Set<number>();
    for (let n = 0; n < 1000; n++) {
      bench.attempts(1, 0.005);
      bench.now += 2 ** -10;
      limits.add(bench.limiter.limit);
    }
    expect(limits.size).toBeGreaterThan(5);
    expect(limits.size).toBeLessThanOrEqual(11);
  });

  it("keeps its deadlines when the clock is set back an hour", () => {
    const bench = new Bench({ interval: 1e6 });
    bench.now = 7200;
    bench.measured();
    bench.window(0.005);
    bench.now -= 3600;
    expect([1, 2, 3, 4].map(() => bench.window(0.005)).at(-1)).toBeGreaterThan(13);
  });

  it("refuses bounds that do not go together as a RangeError", () => {
    expect(() => new Bench({ maxConcurrencyLimit: 2 })).toThrow(
      new RangeError(
        "Cannot create EnvoyGradientLimiter as 'minConcurrency' must be at most 'maxConcurrencyLimit', 2: current value is 3",
      ),
    );
  });
});
