import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventWindow } from "../../src/policy/event-window.ts";

const binaryFractions = (min: number, max: number) => fc.integer({ min: min * 64, max: max * 64 }).map((n) => n / 64);
const windows = fc.oneof(fc.constantFrom(1, 1.5, 10, 120), binaryFractions(1, 300));
const forwards = fc.oneof(fc.constant(0), binaryFractions(0, 1), binaryFractions(0, 200));
const events = fc.array(fc.boolean(), { maxLength: 40 });

function bytes(window: EventWindow): number {
  return Object.values(window)
    .filter((value) => ArrayBuffer.isView(value))
    .reduce((sum, view) => sum + view.byteLength, 0);
}

describe("EventWindow", () => {
  it("holds exactly the events with now - t <= window, on any clock that runs forwards", () => {
    const runs = fc.array(fc.tuple(forwards, events), { maxLength: 60 });
    fc.assert(
      fc.property(windows, fc.constantFrom(0, 0.5, 1_700_000_000.75), runs, (windowSeconds, start, steps) => {
        const window = new EventWindow(windowSeconds);
        const naive: { t: number; accepted: boolean }[] = [];
        let now = start;
        for (const [advance, toAdd] of steps) {
          now += advance;
          window.moveTo(now);
          for (const accepted of toAdd) {
            window.add(accepted);
            naive.push({ t: now, accepted });
          }
          const live = naive.filter((event) => !(now - event.t > windowSeconds));
          expect(window.events).toBe(live.length);
          expect(window.accepts).toBe(live.filter((event) => event.accepted).length);
        }
      }),
    );
  });

  it("keeps an event that is exactly a window old", () => {
    const window = new EventWindow(10);
    window.moveTo(0.5);
    window.add(true);
    window.moveTo(10.5);
    expect([window.events, window.accepts]).toEqual([1, 1]);
    window.moveTo(10.5 + 2 ** -20);
    expect([window.events, window.accepts]).toEqual([0, 0]);
  });

  it("grows with the events in the window and shrinks when they have left", () => {
    const window = new EventWindow(10);
    expect(bytes(window)).toBe(16 * 9);
    window.moveTo(0);
    for (let n = 0; n < 10_000; n++) window.add(n % 2 === 0);
    expect([window.events, window.accepts, bytes(window)]).toEqual([10_000, 5000, 16_384 * 9]);
    window.moveTo(5);
    for (let n = 0; n < 100; n++) window.add(true);
    window.moveTo(11);
    expect([window.events, window.accepts, bytes(window)]).toEqual([100, 100, 256 * 9]);
    window.moveTo(20);
    expect([window.events, window.accepts, bytes(window)]).toEqual([0, 0, 16 * 9]);
  });

  it("is bounded by rate x window, whatever the run time", () => {
    const window = new EventWindow(10);
    for (let n = 0; n < 100_000; n++) {
      window.moveTo(n / 64);
      window.add(true);
    }
    expect(window.events).toBe(641);
    expect(bytes(window)).toBe(1024 * 9);
  });

  it("gives events of a clock that stepped back the newest time, so that they stay in order", () => {
    const window = new EventWindow(10);
    window.moveTo(100);
    window.add(true);
    window.moveTo(95);
    window.add(false);
    window.moveTo(110);
    expect([window.events, window.accepts]).toEqual([2, 1]);
    window.moveTo(110.5);
    expect(window.events).toBe(0);
  });

  it("keeps ages when the clock is set back by more than a window", () => {
    const window = new EventWindow(10);
    window.moveTo(1_700_000_000);
    window.add(true);
    window.moveTo(1_700_000_004);
    window.add(true);
    window.moveTo(50);
    expect(window.events).toBe(2);
    window.moveTo(56);
    expect(window.events).toBe(2);
    window.moveTo(56.5);
    expect(window.events).toBe(1);
    window.moveTo(60.5);
    expect(window.events).toBe(0);
  });

  it("ignores a clock that gives no number, also as the first thing it gives", () => {
    const window = new EventWindow(10);
    window.moveTo(Number.NaN);
    window.add(true);
    window.moveTo(Number.NEGATIVE_INFINITY);
    window.add(true);
    window.moveTo(1_700_000_000.75);
    expect([window.events, window.accepts]).toEqual([2, 2]);
    window.moveTo(Number.POSITIVE_INFINITY);
    expect(window.events).toBe(2);
    window.moveTo(1_700_000_011);
    expect(window.events).toBe(0);
  });

  it("is never negative nor NaN, never throws, and empties, on a clock that gives any number", () => {
    const clocks = fc.array(fc.tuple(fc.double(), events), { maxLength: 40 });
    fc.assert(
      fc.property(windows, clocks, binaryFractions(-2e9, 2e9), (windowSeconds, readings, end) => {
        const window = new EventWindow(windowSeconds);
        for (const [now, toAdd] of readings) {
          window.moveTo(now);
          for (const accepted of toAdd) window.add(accepted);
          expect(window.accepts).toBeGreaterThanOrEqual(0);
          expect(window.events).toBeGreaterThanOrEqual(window.accepts);
        }
        window.moveTo(end);
        window.moveTo(end + 2 * windowSeconds + 1);
        expect([window.events, window.accepts]).toEqual([0, 0]);
      }),
    );
  });
});
