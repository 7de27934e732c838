import { describe, expect, it } from "vitest";
import { closedFormGoodput } from "../../src/comparison/closed-form.ts";

const LAW = { capacity: 100, rejectCost: 0.3 };

describe("closedFormGoodput()", () => {
  it("is what is offered, up to the capacity", () => {
    expect(closedFormGoodput(LAW, 2, 80)).toBe(80);
    expect(closedFormGoodput(LAW, 2, 100)).toBe(100);
  });

  it("is C / (1 + r (K - 1)) once the throttle holds: theory 4.3's figures", () => {
    expect(closedFormGoodput(LAW, 2, 500)).toBeCloseTo(76.9, 1);
    expect(closedFormGoodput(LAW, 3, 500)).toBeCloseTo(62.5, 1);
    expect(closedFormGoodput({ ...LAW, rejectCost: 0 }, 3, 500)).toBe(100);
  });

  it("says nothing between the two, where retries decide", () => {
    expect(closedFormGoodput(LAW, 2, 150)).toBeUndefined();
  });
});
