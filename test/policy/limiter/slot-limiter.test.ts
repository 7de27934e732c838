import { describe, expect, it } from "vitest";
import { SlotLimiter } from "../../../src/policy/limiter/slot-limiter.ts";
import { NotedLimit } from "./facts.ts";

describe("SlotLimiter", () => {
  it("admits up to the whole part of the limit, and again when one has ended", () => {
    const noted = new NotedLimit();
    noted.limit = 2.9;
    const limiter = new SlotLimiter(noted);
    expect([limiter.acquire(0), limiter.acquire(0), limiter.acquire(0)]).toEqual([1, 2, 0]);
    limiter.release(1, 0.5, "success", 1);
    expect([limiter.acquire(1), limiter.acquire(1)]).toEqual([2, 0]);
  });

  it("feeds the limit with the facts, and with nothing when the end is no evidence", () => {
    const noted = new NotedLimit();
    const limiter = new SlotLimiter(noted);
    const places = [limiter.acquire(0), limiter.acquire(0), limiter.acquire(0)];
    limiter.release(places[2] as number, 0.25, "failure", 1);
    limiter.release(places[0] as number, 0.5, "success", 1);
    limiter.release(places[1] as number, 0.5, "ignored", 1);
    expect(noted.samples).toEqual([
      [0.25, 3, true],
      [0.5, 1, false],
    ]);
    expect(limiter.inFlight).toBe(0);
  });

  it("admits nobody below a limit that fell under what is under way", () => {
    const noted = new NotedLimit();
    const limiter = new SlotLimiter(noted);
    for (let n = 0; n < 10; n++) limiter.acquire(0);
    noted.limit = 5;
    for (let n = 0; n < 5; n++) limiter.release(1, 0.5, "success", 1);
    expect(limiter.acquire(1)).toBe(0);
    limiter.release(1, 0.5, "success", 1);
    expect(limiter.acquire(1)).toBe(5);
  });
});
