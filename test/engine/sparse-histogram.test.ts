import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { binsOfText, binsToText } from "../../src/engine/bins-text.ts";
import { LatencyHistogram } from "../../src/engine/histogram.ts";
import { BINS, binOfMicros, microsOfBin, SparseHistogram } from "../../src/engine/sparse-histogram.ts";

const SECONDS = fc.oneof(
  fc.constantFrom(0, -1e-9, 4e-7, 5e-7, 1e-6, 0.002047, 0.002048, 3600, 1e9),
  fc.double({ min: 0, max: 0.005, noNaN: true }),
  fc.double({ min: 0, max: 4000, noNaN: true }),
);
const VALUES = fc.array(fc.tuple(SECONDS, fc.boolean()), { maxLength: 200 });

describe("SparseHistogram", () => {
  it("has the bins of LatencyHistogram: added to an empty one, it makes what recording there would have made", () => {
    fc.assert(
      fc.property(VALUES, (values) => {
        const direct = new LatencyHistogram();
        const sparse = new SparseHistogram();
        for (const [seconds, censored] of values) {
          direct.record(seconds, censored);
          sparse.record(seconds, censored);
        }
        const added = new LatencyHistogram();
        added.addSparse(sparse.data());
        expect(added.data()).toEqual(direct.data());
        expect(added.summary()).toEqual(direct.summary());
      }),
    );
  });

  it("adds another one bin by bin", () => {
    fc.assert(
      fc.property(VALUES, VALUES, (some, others) => {
        const all = new SparseHistogram();
        const one = new SparseHistogram();
        const other = new SparseHistogram();
        for (const [seconds, censored] of some) one.record(seconds, censored);
        for (const [seconds, censored] of others) other.record(seconds, censored);
        for (const [seconds, censored] of [...some, ...others]) all.record(seconds, censored);
        one.add(other.data());
        const { sumSeconds, ...figures } = one.data();
        const { sumSeconds: expected, ...rest } = all.data();
        expect(figures).toEqual(rest);
        expect(sumSeconds).toBeCloseTo(expected, 3);
      }),
    );
  });

  it("microsOfBin() gives the smallest value of each bin", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000_000 }), (micros) => {
        const bin = binOfMicros(micros);
        const least = microsOfBin(bin);
        expect(least).toBeLessThanOrEqual(micros);
        expect(micros - least).toBeLessThanOrEqual(micros / 1024);
        expect(binOfMicros(least)).toBe(bin);
        if (least > 1) expect(binOfMicros(least - 1)).toBe(bin - 1);
      }),
    );
  });
});

describe("clear()", () => {
  it("leaves what a new one has, and what is recorded next is all there is", () => {
    fc.assert(
      fc.property(VALUES, VALUES, (before, after) => {
        const used = new SparseHistogram();
        const fresh = new SparseHistogram();
        for (const [seconds, censored] of before) used.record(seconds, censored);
        used.clear();
        for (const histogram of [used, fresh]) {
          for (const [seconds, censored] of after) histogram.record(seconds, censored);
        }
        expect(used.data()).toEqual(fresh.data());
      }),
    );
  });
});

describe("binsToText()", () => {
  const HELD = fc.uniqueArray(
    fc.record({
      bin: fc.integer({ min: 0, max: BINS - 1 }),
      count: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 2 ** 32 - 1 })),
    }),
    { selector: ({ bin }) => bin, maxLength: 100 },
  );

  it("is read back by binsOfText(), in ascending order", () => {
    fc.assert(
      fc.property(HELD, (held) => {
        const bins = Uint16Array.from(held, ({ bin }) => bin);
        const counts = Uint32Array.from(held, ({ count }) => count);
        const sorted = held.toSorted((a, b) => a.bin - b.bin);
        expect(binsOfText(binsToText({ bins, counts }))).toEqual({
          bins: Uint16Array.from(sorted, ({ bin }) => bin),
          counts: Uint32Array.from(sorted, ({ count }) => count),
        });
      }),
    );
  });

  it("is pinned, so that a journal can be read by a later version: bins 0, 1 and 300 with 1, 2 and 200 values", () => {
    const text = binsToText({ bins: Uint16Array.of(300, 1, 0), counts: Uint32Array.of(200, 2, 1) });
    expect([...Buffer.from(text, "base64")]).toEqual([0, 1, 0, 213, 4, 198, 1]);
  });

  it("binsOfText() refuses a text that was cut, and bins that there are not", () => {
    const beyond = binsToText({ bins: Uint16Array.of(BINS), counts: Uint32Array.of(1) });
    expect(() => binsOfText(beyond)).toThrow(RangeError);
    const text = Buffer.from([213]).toString("base64");
    expect(() => binsOfText(text)).toThrow(RangeError);
    expect(() => binsOfText(Buffer.from([1]).toString("base64"))).toThrow(RangeError);
  });
});
