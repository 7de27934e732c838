import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findCeiling, SEARCH } from "../../src/experiment/calibrate.ts";

/** Searches a generator that holds up to `limit`, but for the trials (0-based) that `disturbed` names. */
async function search(
  limit: number,
  disturbed: (trial: number) => boolean = () => false,
): Promise<{ ceiling: number | undefined; tried: number[] }> {
  const tried: number[] = [];
  const ceiling = await findCeiling(async (rps) => {
    tried.push(rps);
    return rps <= limit && !disturbed(tried.length - 1);
  });
  return { ceiling, tried };
}

describe("findCeiling()", () => {
  it("finds the limit of any generator to the precision from below, in a bounded number of trials", async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: Math.log(100), max: Math.log(999_999), noNaN: true }), async (log) => {
        const limit = Math.floor(Math.exp(log));
        const { ceiling, tried } = await search(limit);
        expect(ceiling).toBeLessThanOrEqual(limit);
        expect((ceiling as number) * (1 + SEARCH.precision) + 1).toBeGreaterThanOrEqual(limit);
        // Ten doublings to a million, four or five halvings of the last one, each of which may fail twice, and a repeat.
        expect(tried.length).toBeLessThanOrEqual(10 + 2 + 2 * 5 + 1);
        expect(tried.every((rps) => Number.isInteger(rps) && rps >= SEARCH.leastRps && rps <= SEARCH.mostRps)).toBe(
          true,
        );
        expect(tried.filter((rps) => rps === ceiling).length).toBe(2);
      }),
    );
  });

  it("doubles, bisects, and repeats the rate that it names", async () => {
    const { ceiling, tried } = await search(3000);
    expect(tried).toEqual([1000, 2000, 4000, 4000, 2828, 3363, 3363, 3084, 3084, 2953, 2953]);
    expect(ceiling).toBe(2953);
  });

  it("is not stopped by a disturbance of one trial, whichever it is", async () => {
    for (let trial = 0; trial < 11; trial += 1) {
      const { ceiling } = await search(3000, (index) => index === trial);
      expect(ceiling).toBe(2953);
    }
  });

  it("goes down until a rate holds when the repeat fails for good", async () => {
    const { ceiling } = await search(3000, (index) => index >= 10 && index < 14);
    expect(ceiling).toBe(Math.floor(Math.floor(2953 * 0.95) * 0.95 ** 2));
  });

  it("finds nothing, in a bounded number of trials, where no rate holds", async () => {
    const { ceiling, tried } = await search(0);
    expect(ceiling).toBe(0);
    expect(tried).toEqual([1000, 1000, 500, 500, 250, 250, 125, 125, 100, 100]);
    const lost = await search(3000, (index) => index >= 10);
    expect(lost.ceiling).toBe(0);
    expect(lost.tried.length).toBeLessThan(30);
  });

  it("names the highest rate that it tries when all hold", async () => {
    expect((await search(Number.POSITIVE_INFINITY)).ceiling).toBe(SEARCH.mostRps);
  });

  it("ends at once when it is told to", async () => {
    const tried: number[] = [];
    const ceiling = await findCeiling(async (rps) => {
      tried.push(rps);
      return tried.length < 3 ? true : undefined;
    });
    expect(ceiling).toBeUndefined();
    expect(tried).toEqual([1000, 2000, 4000]);
  });
});
