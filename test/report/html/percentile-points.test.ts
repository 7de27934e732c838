import { describe, expect, it } from "vitest";
import { percentilePoints } from "../../../src/report/html/percentile-points.ts";

const bins = (count: number): { lowMicros: number; highMicros: number; count: number }[] =>
  Array.from({ length: count }, (_, index) => ({ lowMicros: index + 1, highMicros: index + 1, count: 1 }));

describe("percentilePoints()", () => {
  it("percentilePoints() has the usual shares exactly, and as many values at or below each as it asks for", () => {
    const points = percentilePoints(bins(1000));
    const at = (share: number): number | undefined =>
      points.find((point) => Math.abs(point.share - share) < 1e-9)?.micros;
    expect([0.5, 0.75, 0.9, 0.95, 0.99, 1].map(at)).toEqual([500, 750, 900, 950, 990, 1000]);
    expect(points[0]).toEqual({ share: 0, micros: 1 });
  });

  it("percentilePoints() rise in both, and are few however many the values", () => {
    const points = percentilePoints(bins(200).map((bin) => ({ ...bin, count: 1000 })));
    for (const [index, { share, micros }] of points.entries()) {
      expect(share).toBeGreaterThan(points[index - 1]?.share ?? -1);
      expect(micros).toBeGreaterThanOrEqual(points[index - 1]?.micros ?? 0);
    }
    expect(points.length).toBeLessThan(70);
  });

  it("percentilePoints() of nothing are none, of one value that one", () => {
    expect(percentilePoints([])).toEqual([]);
    expect(percentilePoints(bins(1))).toEqual([{ share: 1, micros: 1 }]);
  });
});
