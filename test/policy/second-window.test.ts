import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecondWindow } from "../../src/policy/second-window.ts";

const KINDS = 3;

/** The definition with a map, a walk over all buckets for each sum, and the relabelling of a clock set far back. */
class NaiveWindow {
  private buckets = new Map<number, number[]>();
  private newest = Number.NEGATIVE_INFINITY;
  private current = 0;
  private readonly windowSeconds: number;

  constructor(windowSeconds: number) {
    this.windowSeconds = windowSeconds;
  }

  moveTo(now: number): void {
    this.current = Math.floor(now);
    if (this.current <= this.newest - this.windowSeconds) {
      const shift = this.current - this.newest;
      this.buckets = new Map([...this.buckets].map(([second, counts]) => [second + shift, counts]));
      this.newest = this.current;
    }
    this.newest = Math.max(this.newest, this.current);
    for (const second of this.buckets.keys()) {
      if (!(second > this.newest - this.windowSeconds)) this.buckets.delete(second);
    }
  }

  add(kind: number): void {
    const counts = this.buckets.get(this.current) ?? [0, 0, 0];
    counts[kind]!++;
    this.buckets.set(this.current, counts);
  }

  total(kind: number): number {
    return [...this.buckets.values()].reduce((sum, counts) => sum + counts[kind]!, 0);
  }
}

const starts = fc.constantFrom(0, 0.5, -3.25, 1000.25, 1_700_000_000.75);
const events = fc.array(fc.tuple(fc.integer({ min: 0, max: KINDS - 1 }), fc.integer({ min: 1, max: 300 })), {
  maxLength: 3,
});
const binaryFractions = (min: number, max: number) => fc.integer({ min: min * 64, max: max * 64 }).map((n) => n / 64);
const windows = fc.oneof(fc.constantFrom(1, 1.5, 2, 10, 16, 17, 120), binaryFractions(1, 400));
const forwards = fc.oneof(fc.constant(0), binaryFractions(0, 2), binaryFractions(0, 40), binaryFractions(0, 500));
const anywhere = fc.oneof(forwards, binaryFractions(-3, 3), binaryFractions(-500, 500), fc.constantFrom(-1e9, 1e9));

function totals(window: { total(kind: number): number }): number[] {
  return [window.total(0), window.total(1), window.total(2)];
}

function bytes(window: SecondWindow): number {
  return Object.values(window)
    .filter((value) => ArrayBuffer.isView(value))
    .reduce((sum, view) => sum + view.byteLength, 0);
}

function expectSameAsNaive(windowSeconds: number, start: number, steps: [number, [number, number][]][]): void {
  const window = new SecondWindow(KINDS, windowSeconds);
  const naive = new NaiveWindow(windowSeconds);
  let now = start;
  for (const [advance, toCount] of steps) {
    now += advance;
    window.moveTo(now);
    naive.moveTo(now);
    expect(totals(window)).toEqual(totals(naive));
    for (const [kind, times] of toCount) {
      for (let n = 0; n < times; n++) {
        window.add(kind);
        naive.add(kind);
      }
    }
    expect(totals(window)).toEqual(totals(naive));
  }
}

describe("SecondWindow", () => {
  it("total() is the sum over the seconds s with s > floor(now) - window, on any clock that runs forwards", () => {
    fc.assert(fc.property(windows, starts, fc.array(fc.tuple(forwards, events), { maxLength: 60 }), expectSameAsNaive));
  });

  it("total() follows the naive model on clocks that step back and jump", () => {
    fc.assert(fc.property(windows, starts, fc.array(fc.tuple(anywhere, events), { maxLength: 60 }), expectSameAsNaive));
  });

  it.each([
    [1, 1],
    [1.5, 2],
    [10, 10],
    [10.25, 11],
    [120, 120],
  ])("total() of a window of %f s covers %i whole seconds", (windowSeconds, liveSeconds) => {
    const window = new SecondWindow(1, windowSeconds);
    window.moveTo(1_700_000_000.75);
    window.add(0);
    window.moveTo(1_700_000_000 + liveSeconds - 0.25);
    expect(window.total(0)).toBe(1);
    window.moveTo(1_700_000_000 + liveSeconds);
    expect(window.total(0)).toBe(0);
  });

  it.each([255, 256, 65_535, 65_536, 200_000])("add() counts %i events of one second exactly", (times) => {
    const window = new SecondWindow(2, 20);
    window.moveTo(0);
    window.add(1);
    window.moveTo(1);
    for (let n = 0; n < times; n++) window.add(0);
    expect([window.total(0), window.total(1)]).toEqual([times, 1]);
    window.moveTo(20);
    expect([window.total(0), window.total(1)]).toEqual([times, 0]);
    window.moveTo(21);
    expect([window.total(0), window.total(1)]).toEqual([0, 0]);
  });

  it("add() keeps every bucket while the ring grows from 16 s to the window and its elements widen", () => {
    const window = new SecondWindow(1, 100);
    let expected = 0;
    for (let second = 0; second < 100; second++) {
      window.moveTo(second);
      for (let n = 0; n < second * 4; n++) window.add(0);
      expected += second * 4;
    }
    expect(window.total(0)).toBe(expected);
    for (let second = 100; second < 200; second++) {
      window.moveTo(second);
      expected -= (second - 100) * 4;
      expect(window.total(0)).toBe(expected);
    }
    expect(expected).toBe(0);
  });

  it("moveTo() back within the window counts in that second's own bucket, and the buckets after it stay", () => {
    const window = new SecondWindow(1, 10);
    window.moveTo(100);
    window.add(0);
    window.moveTo(95.5);
    window.add(0);
    expect(window.total(0)).toBe(2);
    window.moveTo(105);
    expect(window.total(0)).toBe(1);
    window.moveTo(109.9);
    expect(window.total(0)).toBe(1);
    window.moveTo(110);
    expect(window.total(0)).toBe(0);
  });

  it("moveTo() back by more than the ring is long still finds that second's bucket", () => {
    const window = new SecondWindow(1, 120);
    window.moveTo(1000);
    window.add(0);
    window.moveTo(900);
    window.add(0);
    window.moveTo(1000);
    expect(window.total(0)).toBe(2);
    window.moveTo(1019.5);
    expect(window.total(0)).toBe(2);
    window.moveTo(1020);
    expect(window.total(0)).toBe(1);
  });

  it("moveTo() back by a window relabels: ages are kept, and the window has emptied one window later", () => {
    const window = new SecondWindow(1, 10);
    window.moveTo(1000);
    window.add(0);
    window.moveTo(1004);
    window.add(0);
    window.moveTo(994);
    expect(window.total(0)).toBe(2);
    window.moveTo(999);
    expect(window.total(0)).toBe(2);
    window.moveTo(1000);
    expect(window.total(0)).toBe(1);
    window.moveTo(1004);
    expect(window.total(0)).toBe(0);
  });

  it("moveTo() ignores a clock that gives no number, also as the first thing it gives", () => {
    const window = new SecondWindow(1, 10);
    for (const nonsense of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      window.moveTo(nonsense);
      window.add(0);
    }
    expect(window.total(0)).toBe(3);
    window.moveTo(1_700_000_000.75);
    expect(window.total(0)).toBe(3);
    window.moveTo(Number.NaN);
    window.add(0);
    expect(window.total(0)).toBe(4);
    window.moveTo(1_700_000_010);
    expect(window.total(0)).toBe(0);
  });

  it("total() is never negative nor NaN, nothing throws, and the window empties, on a clock that gives any number", () => {
    const clocks = fc.array(fc.tuple(fc.double(), events), { maxLength: 40 });
    fc.assert(
      fc.property(windows, clocks, binaryFractions(-2e9, 2e9), (windowSeconds, readings, end) => {
        const window = new SecondWindow(KINDS, windowSeconds);
        for (const [now, toCount] of readings) {
          window.moveTo(now);
          for (const [kind] of toCount) window.add(kind);
          for (const total of totals(window)) expect(total).toBeGreaterThanOrEqual(0);
        }
        window.moveTo(end);
        // The newest bucket may be almost a window ahead of a clock that stepped back.
        window.moveTo(end + 2 * Math.ceil(windowSeconds));
        expect(totals(window)).toEqual([0, 0, 0]);
      }),
    );
  });

  it("a window that is not used does not allocate its full length", () => {
    const window = new SecondWindow(KINDS, 604_800);
    expect(bytes(window)).toBe(48);
    for (let day = 0; day < 30; day++) {
      window.moveTo(day * 86_400 * 7);
      window.add(0);
    }
    expect(bytes(window)).toBe(48);
  });

  it("memory is bounded by the window, whatever the run time and the rate", () => {
    const window = new SecondWindow(KINDS, 120);
    for (let second = 0; second < 10_000; second++) {
      window.moveTo(second);
      for (let n = 0; n < 20; n++) window.add(n % KINDS);
    }
    expect(bytes(window)).toBe(120 * KINDS);
    for (let n = 0; n < 300; n++) window.add(0);
    expect(bytes(window)).toBe(120 * KINDS * 2);
    for (let n = 0; n < 66_000; n++) window.add(0);
    expect(bytes(window)).toBe(120 * KINDS * 4);
  });
});
