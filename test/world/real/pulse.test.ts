import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Pulse } from "../../../src/world/real/pulse.ts";

let pulse: Pulse;

afterEach(() => pulse.stop());

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

describe("Pulse", () => {
  it("measures a stall of the event loop, while it spins", async () => {
    pulse = new Pulse();
    let spinning = true;
    const spin = (): void => {
      if (spinning) setImmediate(spin);
    };
    spin();
    await sleep(100);
    block(400);
    await sleep(100);
    spinning = false;
    expect(pulse.longestMs).toBeGreaterThanOrEqual(379);
  });

  it("measures one that is going on when it is asked", () => {
    pulse = new Pulse();
    block(300);
    expect(pulse.longestMs).toBeGreaterThanOrEqual(279);
  });

  it("finds none in a loop that is idle", async () => {
    const longest = async (): Promise<number> => {
      pulse = new Pulse();
      await sleep(300);
      pulse.stop();
      return pulse.longestMs;
    };
    // On a machine that stands still itself: a few tries.
    await expect.poll(longest, { timeout: 10_000 }).toBeLessThan(100);
  });
});
