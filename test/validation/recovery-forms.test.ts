import { describe, expect, it } from "vitest";
import { uncountedOutageSeconds, uncountedRecoverySeconds } from "./closed-forms.ts";
import {
  budgetedLoad,
  budgetThreshold,
  firstPassageSeconds,
  retriesThreshold,
  spontaneousLoad,
  stormLoadOf,
} from "./closed-forms-metastable.ts";
import { SideBySide } from "./side-by-side.ts";
import { FOUR_WORKERS } from "./storm-load.ts";

describe("thresholds", () => {
  it("are where the load of a storm is the capacity", () => {
    expect(stormLoadOf({ offered: retriesThreshold(160, 4), attempts: 4 })).toBe(160);
    expect(budgetedLoad(budgetThreshold(160, 0.25), 0.25)).toBe(160);
  });
});

describe("firstPassageSeconds()", () => {
  it("is the time of a diffusion without drift, jobs^2 / lambda, close to the capacity", () => {
    expect(firstPassageSeconds(159.999, 160, 28)).toBeCloseTo(28 ** 2 / 160, 1);
  });

  it("grows e-fold with each relaxation of the queue, below the capacity", () => {
    const longer = firstPassageSeconds(120, 160, 60) / firstPassageSeconds(120, 160, 45);
    expect(longer).toBeCloseTo(Math.exp((2 * 40 * 15) / 120), -4);
    expect(firstPassageSeconds(80, 160, 28)).toBeGreaterThan(1e6);
  });
});

describe("spontaneousLoad()", () => {
  it("is one at which half of the trials see it happen, and falls with their length", () => {
    const load = spontaneousLoad(FOUR_WORKERS, 273);
    expect(Math.exp(-273 / firstPassageSeconds(load, 160, 28))).toBeCloseTo(0.5, 6);
    expect(spontaneousLoad(FOUR_WORKERS, 3600)).toBeLessThan(load);
    expect(load).toBeLessThan(160);
  });
});

describe("uncountedOutageSeconds()", () => {
  it("comes to the form for a long outage", () => {
    const long = uncountedOutageSeconds(1, 10, 2, 120, 2400);
    expect(long / uncountedRecoverySeconds(10, 2, 120)).toBeGreaterThan(0.9);
    expect(long / uncountedRecoverySeconds(10, 2, 120)).toBeLessThan(1.1);
  });

  it("is least after two windows, when hardly anything has been sent for one", () => {
    const secondsAfter = (seconds: number): number => uncountedOutageSeconds(0.95, 10, 2, 120, seconds);
    expect(secondsAfter(240)).toBeLessThan(secondsAfter(180));
    expect(secondsAfter(240)).toBeLessThan(secondsAfter(360));
  });
});

describe("SideBySide", () => {
  it("runs what all searches wait for in one batch, and gives each what is its own", async () => {
    const batches: (readonly number[])[] = [];
    const searches = new SideBySide(async (items: readonly number[]) => {
      batches.push(items);
      return items.map((item) => 10 * item);
    });
    const found = await searches.all([
      async (run) => [...(await run([1, 2])), ...(await run([3]))],
      async (run) => await run([4]),
      async () => [],
    ]);
    expect(found).toEqual([[10, 20, 30], [40], []]);
    expect(batches).toEqual([[1, 2, 4], [3]]);
  });

  it("ends with the first search that fails", async () => {
    const searches = new SideBySide(async (items: readonly number[]) => items);
    const failing = async (): Promise<never> => {
      throw new Error("no load");
    };
    await expect(searches.all([failing, async (run) => await run([1])])).rejects.toThrow("no load");
  });
});
