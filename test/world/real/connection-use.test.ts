import { describe, expect, it } from "vitest";
import { ConnectionUse } from "../../../src/world/real/connection-use.ts";

const NO_BOUND = Number.POSITIVE_INFINITY;
const CONNECT_SECONDS = 0.001;

/** One request from `from` to `to`. */
function carry(use: ConnectionUse, from: number, to: number, maxRequests: number = NO_BOUND): boolean {
  use.plan(maxRequests);
  const reused = use.started(from);
  use.answered(to);
  return reused;
}

describe("ConnectionUse", () => {
  it("tells a connection that carried a request from a new one, until it ends", () => {
    const use = new ConnectionUse();
    expect([carry(use, 0, 1), carry(use, 1, 2)]).toEqual([false, true]);
    use.ended();
    expect(carry(use, 2, 3)).toBe(false);
  });

  it("asks for the end with the last request that a connection may carry, and then expects it", () => {
    const use = new ConnectionUse();
    carry(use, 0, 1, 2);
    expect(use.isEndAsked).toBe(false);
    use.plan(2);
    expect([use.isClosing, use.isEndAsked]).toEqual([true, true]);
    use.started(1);
    use.answered(2);
    use.plan(2);
    expect([use.isClosing, use.isEndAsked]).toEqual([false, true]);
    use.ended();
    expect(use.isEndAsked).toBe(false);
  });

  it("is untried from its opening ahead to its first request", () => {
    const use = new ConnectionUse();
    expect(use.isUntried).toBe(false);
    use.openedAhead(0);
    expect(use.isUntried).toBe(true);
    carry(use, 1, 2);
    expect(use.isUntried).toBe(false);
  });

  it.each([
    { idle: 0.041, took: 0.019, connect: CONNECT_SECONDS, stale: true },
    { idle: 0.039, took: 0.019, connect: CONNECT_SECONDS, stale: false },
    { idle: 0.041, took: 0.021, connect: CONNECT_SECONDS, stale: false },
    { idle: 0.041, took: 0.021, connect: 0.01, stale: true },
    { idle: 0.041, took: 0.031, connect: 0.01, stale: false },
  ])("a break $took s into a request after $idle s of idleness is stale: $stale", ({ idle, took, connect, stale }) => {
    const use = new ConnectionUse();
    carry(use, 0, 1);
    use.plan(NO_BOUND);
    use.started(1 + idle);
    expect(use.isStale(1 + idle + took, connect)).toBe(stale);
  });

  it("a new connection is never stale, one that was opened ahead may be", () => {
    const use = new ConnectionUse();
    use.started(10);
    expect(use.isStale(10.001, CONNECT_SECONDS)).toBe(false);
    use.ended();
    use.openedAhead(10);
    use.started(11);
    expect(use.isStale(11.001, CONNECT_SECONDS)).toBe(true);
  });
});
