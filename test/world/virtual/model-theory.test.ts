/** What queueing theory says of the server models under Poisson arrivals, without clients that retry. Fixed seeds. */

import { describe, expect, it } from "vitest";
import type { ShedModelSpec, VirtualWorldSpec } from "../../../src/engine/trial-spec.ts";
import { parseScript } from "../../../src/plan/script.ts";
import { poissonLoad } from "../../support/server-bench.ts";

const ARRIVALS = 200_000;

/** Mean time from the arrival to the answer. */
function meanSeconds(world: Omit<VirtualWorldSpec, "kind">, perSecond: number): number {
  return poissonLoad(world, perSecond, ARRIVALS).meanSeconds;
}

describe("slope", () => {
  // What arrives finds L x T in work (Little, and Poisson arrivals see time averages): T = a + b (1 + L T).
  it.each([
    [0.05, 0.001, 100],
    [0.05, 0.001, 500],
    [0.05, 0.001, 800],
    [0, 0.01, 50],
  ])("takes (a + b) / (1 - b L) on average: a = %d s, b = %d s, L = %d/s", (baseSeconds, slopeSeconds, perSecond) => {
    const model = { name: "slope", baseSeconds, slopeSeconds, latencySeconds: 0 } as const;
    const expected = (baseSeconds + slopeSeconds) / (1 - slopeSeconds * perSecond);
    expect(Math.abs(meanSeconds({ model }, perSecond) / expected - 1)).toBeLessThan(0.03);
  });

  it("takes (a + b / f) / (1 - L b / f) at f times the capacity", () => {
    const model = { name: "slope", baseSeconds: 0.05, slopeSeconds: 0.001, latencySeconds: 0 } as const;
    const slow = { model, script: parseScript("0s..:capacity=0.5") };
    expect(Math.abs(meanSeconds(slow, 300) / (0.052 / (1 - 0.6)) - 1)).toBeLessThan(0.03);
  });
});

describe("fifo with one worker", () => {
  // Pollaczek and Khinchine: waiting W = L E[S^2] / (2 (1 - rho)), so rho s / (2 (1 - rho)) for a constant s, and twice that for
  // an exponential one.
  it.each([0.5, 0.8])("waits as in M/D/1: rho = %d", (rho) => {
    const model = { name: "fifo", workers: 1, serviceSeconds: 0.01, latencySeconds: 0 } as const;
    const waiting = meanSeconds({ model }, rho / 0.01) - 0.01;
    expect(Math.abs(waiting / ((rho * 0.01) / (2 * (1 - rho))) - 1)).toBeLessThan(0.05);
  });

  it.each([0.5, 0.8])("waits as in M/M/1 with exponential service: rho = %d", (rho) => {
    const serviceSeconds = { law: "exponential", meanSeconds: 0.01 } as const;
    const model = { name: "fifo", workers: 1, serviceSeconds, latencySeconds: 0 } as const;
    const waiting = meanSeconds({ model }, rho / 0.01) - 0.01;
    expect(Math.abs(waiting / ((rho * 0.01) / (1 - rho)) - 1)).toBeLessThan(0.05);
  });

  it("rejects the share rho^n (1 - rho) / (1 - rho^(n + 1)) of M/M/1/n", () => {
    const serviceSeconds = { law: "exponential", meanSeconds: 0.01 } as const;
    const model = { name: "fifo", workers: 1, serviceSeconds, queueMax: 4, latencySeconds: 0 } as const;
    const share = poissonLoad({ model }, 80, ARRIVALS).rejected / ARRIVALS;
    expect(Math.abs(share / ((0.8 ** 5 * 0.2) / (1 - 0.8 ** 6)) - 1)).toBeLessThan(0.05);
  });
});

describe("fifo with several workers", () => {
  it("waits as in M/M/4 (Erlang C)", () => {
    const serviceSeconds = { law: "exponential", meanSeconds: 0.04 } as const;
    const model = { name: "fifo", workers: 4, serviceSeconds, latencySeconds: 0 } as const;
    const load = 3.2;
    const below = 1 + load + load ** 2 / 2 + load ** 3 / 6;
    const all = (load ** 4 / 24) * (4 / (4 - load));
    const waiting = ((all / (below + all)) * 0.04) / (4 - load);
    expect(Math.abs((meanSeconds({ model }, load / 0.04) - 0.04) / waiting - 1)).toBeLessThan(0.05);
  });
});

describe("shed", () => {
  /** The share of its capacity that it uses. */
  const used = (rho: number, change: Partial<ShedModelSpec>): number => {
    const model = { name: "shed", capacity: 100, burst: 10, rejectCost: 0, latencySeconds: 0, ...change } as const;
    const { accepted, seconds } = poissonLoad({ model }, 100 * rho, ARRIVALS);
    return accepted / (100 * seconds);
  };

  // Diffusion approximation of M/D/1 with room for b jobs.
  it.each([0.8, 1, 1.05, 1.25, 2])(
    "uses 1 - (rho - 1) / (exp(2 (rho - 1) b / rho) - 1) of its capacity: b = 10, rho = %d",
    (rho) => {
      const b = 10;
      const theory = rho === 1 ? 1 - 1 / (2 * b) : 1 - (rho - 1) / (Math.exp((2 * (rho - 1) * b) / rho) - 1);
      expect(Math.abs(used(rho, { burst: b }) - theory)).toBeLessThan(0.005);
    },
  );

  // Exact: the work inside has density p0 rho exp((rho - 1) v) up to v = b - 1, where acceptance ends, and falls as exp(-v) from
  // there; the server rests with probability p0. At rho = 1 that leaves 1 / (b + 1), where constant work leaves 1 / (2 b).
  it.each([0.8, 1, 1.05, 1.25, 2])(
    "with exponential work uses what M/M/1 with bounded waiting does: b = 10, rho = %d",
    (rho) => {
      const last = 10 - 1;
      const grown = Math.exp((rho - 1) * last);
      const busy = rho * ((rho === 1 ? last : (grown - 1) / (rho - 1)) + grown);
      expect(Math.abs(used(rho, { work: "exponential" }) - busy / (1 + busy))).toBeLessThan(0.005);
    },
  );
});
