import { describe, expect, it } from "vitest";
import { ClockWatch } from "../../../src/world/real/clock-watch.ts";

const LOOK_MS = 200;

/** Looks at clocks of which the wall's goes at `rate` of the other's, and steps by what `stepsMs` says before a look. */
function jumpOf(stepsMs: Readonly<Record<number, number>>, rate = 1, looks = 50): number {
  let monotonic = 5_000;
  let wall = 1_700_000_000_000;
  const watch = new ClockWatch({ monotonicMs: () => monotonic, wallMs: () => wall });
  for (let look = 0; look < looks; look += 1) {
    wall += stepsMs[look] ?? 0;
    watch.look();
    monotonic += LOOK_MS;
    wall += LOOK_MS * rate;
  }
  return watch.jumpMaxMs;
}

describe("ClockWatch", () => {
  it("sees a wall clock that is set, forwards or back, and a machine that was suspended", () => {
    expect(jumpOf({ 7: 3_600_000 })).toBeCloseTo(3_600_000, 3);
    expect(jumpOf({ 7: -500, 9: 120 })).toBeCloseTo(500, 3);
  });

  it("is not upset by one that is slewed, however long it goes on", () => {
    expect(jumpOf({}, 1.0005, 10_000)).toBeLessThan(1);
    expect(jumpOf({}, 0.92, 10_000)).toBeLessThan(20);
  });

  it("takes no stop between its two readings for a step", () => {
    let monotonic = 0;
    let stopMs = 0;
    const watch = new ClockWatch({
      monotonicMs: () => monotonic,
      wallMs: () => {
        const wall = 1e12 + monotonic;
        monotonic += stopMs;
        stopMs = 0;
        return wall;
      },
    });
    watch.look();
    monotonic += LOOK_MS;
    stopMs = 600;
    watch.look();
    monotonic += LOOK_MS;
    watch.look();
    expect(watch.jumpMaxMs).toBe(0);
  });

  it("finds no step in this machine's clocks", () => {
    const watch = new ClockWatch();
    for (let look = 0; look < 5; look += 1) watch.look();
    expect(watch.jumpMaxMs).toBeLessThan(100);
  });
});
