import { describe, expect, it } from "vitest";
import { AimdLimit } from "../../../src/policy/limiter/aimd-limit.ts";
import { WindowedLimit } from "../../../src/policy/limiter/windowed-limit.ts";
import { NotedLimit } from "./facts.ts";

describe("WindowedLimit", () => {
  it("hands on mean, most in flight and any drop of the samples up to the first that ends after the window", () => {
    const noted = new NotedLimit();
    const limit = new WindowedLimit(noted);
    limit.sample(0, 0.5, 99, true); // a window of its own, thrown away; the next ends after 1.5
    for (let n = 1; n <= 9; n++) limit.sample(0.5 + n / 16, 0.25, n, n === 3);
    limit.sample(1, 0.5, 2, false); // ends at 1.5, not after it
    expect(noted.samples).toEqual([]);
    limit.sample(1.25, 0.5, 4, false); // ends at 1.75
    expect(noted.samples).toEqual([[(9 * 0.25 + 2 * 0.5) / 11, 9, true]]);
  });

  it("throws a window of fewer than windowSize samples away", () => {
    const noted = new NotedLimit();
    const limit = new WindowedLimit(noted);
    for (let second = 0; second < 100; second++) {
      for (let n = 0; n < 4; n++) limit.sample(second * 2, 0.25 + n / 8, 1, true);
    }
    expect(noted.samples).toEqual([]);
  });

  it("makes windows of twice the least time, within its bounds", () => {
    const noted = new NotedLimit();
    const limit = new WindowedLimit(noted, { minWindowTime: 0.5, maxWindowTime: 4 });
    limit.sample(0, 1, 1, false); // the next window ends 2 s after 1
    for (let n = 0; n < 10; n++) limit.sample(2, 1, 1, false);
    expect(noted.samples).toHaveLength(0);
    limit.sample(2 + 2 ** -10, 1, 1, false);
    expect(noted.samples).toHaveLength(1);
  });

  it("does not see what took less than minRttThreshold: fast refusals are invisible", () => {
    const noted = new NotedLimit();
    const limit = new WindowedLimit(noted);
    for (let n = 0; n < 10_000; n++) limit.sample(n, 0.00005, 1, true);
    for (const rtt of [Number.NaN, Number.POSITIVE_INFINITY, -1]) limit.sample(20_000, rtt, 1, true);
    expect(noted.samples).toEqual([]);
  });

  it("cuts at most once for each window, where the limit alone cuts with each drop", () => {
    const limit = new WindowedLimit(new AimdLimit({ initialLimit: 100, minLimit: 1 }));
    const limits = new Set<number>();
    for (let n = 0; n <= 32 * 4; n++) {
      limit.sample(n / 32, 0.25, 50, true);
      limits.add(limit.limit);
    }
    expect([...limits]).toEqual([100, 90, 81, 72]);
  });

  it("goes on when the clock was set back", () => {
    const noted = new NotedLimit();
    const limit = new WindowedLimit(noted);
    limit.sample(1e9, 0.25, 1, false);
    for (let n = 0; n < 200; n++) limit.sample(n / 32, 0.25, 1, false);
    expect(noted.samples.length).toBeGreaterThan(3);
  });
});
