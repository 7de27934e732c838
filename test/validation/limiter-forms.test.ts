import { describe, expect, it } from "vitest";
import { aimdLimit, limitedRate, vegasLimit } from "./limiter-forms.ts";

describe("limitedRate()", () => {
  it("of one place is one call for each time that it takes and waits for the next", () => {
    expect(limitedRate(1, 10, 0.1)).toBeCloseTo(1 / (0.1 + 1 / 10), 12);
  });

  it("is Erlang's loss formula: two places, two calls under way without a limit, 0.4 refused", () => {
    expect(limitedRate(2, 20, 0.1)).toBeCloseTo(20 * 0.6, 12);
  });

  it("nears limit / latency in overload, and what is offered below it", () => {
    expect(limitedRate(200, 1e6, 0.1)).toBeCloseTo(2000, 0);
    expect(limitedRate(200, 100, 0.1)).toBeCloseTo(100, 9);
  });
});

describe("aimdLimit()", () => {
  it("evens out rises and cuts", () => {
    const limit = aimdLimit(40, 0.9);
    expect((1 - 40 / limit) * (0.1 * limit + 0.45)).toBeCloseTo(40 / limit, 9);
    expect(limit).toBeGreaterThan(40);
  });
});

describe("vegasLimit()", () => {
  it("without jitter is seven times what the backend takes, whatever that is", () => {
    for (const full of [5, 40, 300]) expect(vegasLimit(full, 0)).toBeCloseTo(7 * full, 6);
  });

  it("with jitter is bounded though the backend takes everything", () => {
    expect(vegasLimit(1e9, 0.1)).toBeCloseTo(vegasLimit(1e6, 0.1), 6);
    expect(vegasLimit(1e9, 0.1)).toBeLessThan(100);
  });
});
