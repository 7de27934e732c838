import { describe, expect, it } from "vitest";
import { type StreamPurpose, stream } from "../../src/plan/streams.ts";
import { chiSquareScore, correlationScore, histogram } from "./statistics.ts";

const PURPOSES: readonly StreamPurpose[] = [
  "arrivals",
  "users",
  "policy",
  "jitter",
  "target",
  "bursts",
  "sentinel",
  "criticality",
  "network",
  "service",
];

function take(count: number, seed: number, purpose: StreamPurpose, index = 0): number[] {
  const random = stream(seed, purpose, index);
  return Array.from({ length: count }, () => random.random());
}

describe("stream", () => {
  it.each<[number, StreamPurpose, number, number[]]>([
    [0, "arrivals", 0, [0.9681829217975944, 0.19918124507351287, 0.17927469461636036]],
    [1, "arrivals", 0, [0.5562016221109816, 0.9376248944505139, 0.05330787859755559]],
    [1, "users", 0, [0.023699447638190763, 0.018027827770661475, 0.5602140761919349]],
    [1, "policy", 0, [0.8794814078135038, 0.7334861866116238, 0.18977292877998853]],
    [1, "policy", 1, [0.1907110605725616, 0.5040503261412862, 0.406826149404641]],
    [1, "jitter", 1, [0.6976548176418004, 0.5012637425851943, 0.034874298519664615]],
    [1, "target", 0, [0.7942397717106141, 0.8462416669014222, 0.01325150573598255]],
    [1, "bursts", 0, [0.8813911450475636, 0.30842756341883304, 0.7154314753806251]],
    [1, "sentinel", 0, [0.0743105413834726, 0.9909346906285346, 0.31656211806376555]],
    [Number.MAX_SAFE_INTEGER, "policy", 4294967295, [0.17562575954974857, 0.9980743073475224, 0.028409927265982016]],
  ])("stream(%d, %s, %d) starts with the same numbers on every runtime", (seed, purpose, index, first) => {
    expect(take(3, seed, purpose, index)).toEqual(first);
  });

  it("stream() gives the same numbers again for the same arguments", () => {
    expect(take(100, 7, "policy", 3)).toEqual(take(100, 7, "policy", 3));
  });

  it("stream() gives other numbers for another seed, purpose or index, also beyond 32 bits of seed", () => {
    const seeds = [0, 1, 2, 2 ** 32, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
    const firsts = seeds.flatMap((seed) =>
      PURPOSES.flatMap((purpose) => [0, 1, 2, 3, 65_536, 2 ** 31].map((index) => take(1, seed, purpose, index)[0])),
    );
    expect(new Set(firsts).size).toBe(firsts.length);
  });

  it("stream() gives other numbers for another variant, and for none those of 0", () => {
    const numbers = (variant?: number): string => {
      const random = stream(7, "policy", 3, variant);
      return JSON.stringify(Array.from({ length: 5 }, () => random.random()));
    };
    expect(numbers(0)).toBe(numbers());
    const variants = Array.from({ length: 300 }, (_, variant) => numbers(variant));
    expect(new Set([...variants, numbers(2 ** 24 - 1)]).size).toBe(301);
    for (const variant of [-1, 0.5, 2 ** 24, Number.NaN]) expect(() => numbers(variant)).toThrow("'variant' must be");
  });

  it("stream() is uncorrelated between the variants of one purpose and index", () => {
    const draws = (variant: number): number[] => {
      const random = stream(7, "policy", 3, variant);
      return Array.from({ length: 20_000 }, () => random.random());
    };
    const all = [0, 1, 2, 3].map(draws);
    for (const [index, one] of all.entries()) {
      for (const other of all.slice(index + 1)) expect(Math.abs(correlationScore(one, other))).toBeLessThan(4);
    }
  });

  it("random() is uniform in [0, 1) along a stream, in its upper and its lower bits", () => {
    const numbers = take(100_000, 5, "target");
    expect(numbers.every((u) => u >= 0 && u < 1 && Number.isInteger(u * 2 ** 53))).toBe(true);
    expect(Math.abs(chiSquareScore(histogram(numbers, 1_000)))).toBeLessThan(4);
    const lowerBits = numbers.map((u) => (u * 2 ** 26) % 1);
    expect(Math.abs(chiSquareScore(histogram(lowerBits, 1_000)))).toBeLessThan(4);
    expect(Math.abs(correlationScore(numbers.slice(1), numbers.slice(0, -1)))).toBeLessThan(4);
  });

  it.each(PURPOSES)("stream(seed, %s, i) is uniform and uncorrelated across neighbouring i", (purpose) => {
    const firsts = Array.from({ length: 20_000 }, (_, index) => take(1, 1, purpose, index)[0] as number);
    expect(Math.abs(chiSquareScore(histogram(firsts, 256)))).toBeLessThan(4);
    expect(Math.abs(correlationScore(firsts.slice(1), firsts.slice(0, -1)))).toBeLessThan(4);
  });

  it("stream() is uniform and uncorrelated across neighbouring seeds", () => {
    const firsts = Array.from({ length: 20_000 }, (_, seed) => take(1, seed, "arrivals")[0] as number);
    expect(Math.abs(chiSquareScore(histogram(firsts, 256)))).toBeLessThan(4);
    expect(Math.abs(correlationScore(firsts.slice(1), firsts.slice(0, -1)))).toBeLessThan(4);
  });

  it("stream() is uncorrelated between any two purposes of one seed and index", () => {
    const streams = PURPOSES.map((purpose) => take(20_000, 1, purpose, 9));
    const pairs = streams.flatMap((a, i) => streams.slice(i + 1).map((b) => Math.abs(correlationScore(a, b))));
    expect(pairs).toHaveLength((PURPOSES.length * (PURPOSES.length - 1)) / 2);
    expect(Math.max(...pairs)).toBeLessThan(4);
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN])("stream() refuses the seed %d", (seed) => {
    expect(() => stream(seed, "users")).toThrow(
      new RangeError(
        `Cannot derive a random stream as 'seed' must be a non-negative safe integer: current value is ${seed}`,
      ),
    );
  });

  it.each([-1, 0.5, 2 ** 32, Number.NaN])("stream() refuses the index %d", (index) => {
    expect(() => stream(1, "users", index)).toThrow(
      new RangeError(
        `Cannot derive a random stream as 'index' must be an integer from 0 to 4294967295: current value is ${index}`,
      ),
    );
  });
});
