import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { CallSink } from "../../src/engine/call-source.ts";
import { OfferedArrivals, type OfferedLaw } from "../../src/engine/offered-arrivals.ts";
import { createPlan } from "../../src/plan/plan.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

const EVEN: OfferedLaw = { law: "constant", seed: 1, users: 3 };

/** An offer that comes into force at a time. */
interface Change {
  readonly atSeconds: number;
  readonly offer: number;
}

interface Came {
  readonly user: number;
  readonly atSeconds: number;
  readonly intendedSeconds: number;
}

function arrivalsUntil(untilSeconds: number, changes: readonly Change[], law: OfferedLaw = EVEN): readonly Came[] {
  const queue = new EventQueue();
  const came: Came[] = [];
  const sink: CallSink = {
    arriving: true,
    arrive: (user, intendedSeconds) => came.push({ user, atSeconds: queue.now(), intendedSeconds }),
    begin() {},
    endArrivals() {},
  };
  const arrivals = new OfferedArrivals(law, queue);
  arrivals.start(sink);
  let over = false;
  for (const { atSeconds, offer } of changes) {
    queue.at(atSeconds, { run: () => arrivals.setOffer(offer, atSeconds) });
  }
  queue.at(untilSeconds, {
    run() {
      over = true;
    },
  });
  queue.run(1e6, () => over);
  return came;
}

function times(came: readonly Came[]): readonly number[] {
  return came.map(({ intendedSeconds }) => intendedSeconds);
}

describe("OfferedArrivals", () => {
  it("are even at a constant offer from the first moment on, users in turn", () => {
    const came = arrivalsUntil(2.1, [{ atSeconds: 0, offer: 2 }]);
    expect(times(came)).toEqual([0, 0.5, 1, 1.5, 2]);
    expect(came.map(({ user }) => user)).toEqual([0, 1, 2, 0, 1]);
  });

  it("halve what is left of a gap when the offer doubles: nothing waits out the old one", () => {
    const came = arrivalsUntil(1.6, [
      { atSeconds: 0, offer: 1 },
      { atSeconds: 0.5, offer: 2 },
    ]);
    expect(times(came)).toEqual([0, 0.75, 1.25]);
  });

  it("double what is left of a gap when the offer is halved", () => {
    const came = arrivalsUntil(2, [
      { atSeconds: 0, offer: 2 },
      { atSeconds: 0.25, offer: 1 },
    ]);
    expect(times(came)).toEqual([0, 0.75, 1.75]);
  });

  it("come when they are intended to, one at a time, as many as the integral of the offer, whatever it does", () => {
    const change = fc.record({
      atSeconds: fc.integer({ min: 0, max: 40 }).map((quarters) => quarters / 4),
      offer: fc.integer({ min: 1, max: 64 }).map((offer) => offer / 4),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 8 }), (later) => {
        const changes = [{ atSeconds: 0, offer: 1 }, ...later.sort((a, b) => a.atSeconds - b.atSeconds)];
        const came = arrivalsUntil(10.125, changes);
        let offered = 0;
        for (const [index, { atSeconds, offer }] of changes.entries()) {
          const toSeconds = changes[index + 1]?.atSeconds ?? 10.125;
          offered += offer * (toSeconds - atSeconds);
        }
        // Of an arrival at the last moment chance decides whether it still came.
        expect(Math.abs(came.length - (Math.floor(offered) + 1))).toBeLessThanOrEqual(
          Number.isInteger(offered) ? 1 : 0,
        );
        expect(came.every(({ atSeconds, intendedSeconds }) => atSeconds === intendedSeconds)).toBe(true);
        expect(times(came)).toEqual([...times(came)].sort((a, b) => a - b));
      }),
    );
  });

  it("are those of the Poisson plan of the same seed where the offer is its rate", () => {
    const came = arrivalsUntil(20, [{ atSeconds: 0, offer: 5 }], { law: "poisson", seed: 7, users: 4 });
    const planned = createPlan({
      seed: 7,
      arrival: { law: "poisson", rate: { kind: "constant", rps: 5 } },
      warmupSeconds: 0,
      durationSeconds: 20,
      users: 4,
    }).arrivals();
    for (const { user, intendedSeconds } of came) {
      expect(planned.next()).toBe(true);
      expect(planned.user).toBe(user);
      expect(planned.timeSeconds).toBeCloseTo(intendedSeconds, 9);
    }
    expect(planned.next()).toBe(false);
    expect(came.length).toBeGreaterThan(50);
  });

  it("refuse to be raised by a generator that is behind with them, and let themselves be lowered", () => {
    let nowSeconds = 0;
    const arrivals = new OfferedArrivals(EVEN, { now: () => nowSeconds, at() {} });
    arrivals.setOffer(10, 0);
    nowSeconds = 0.2;
    expect(() => arrivals.setOffer(20, nowSeconds)).toThrow("this generator is 200 ms behind with its calls");
    expect(arrivals.offer).toBe(10);
    arrivals.setOffer(5, nowSeconds);
    expect(arrivals.offer).toBe(5);
  });

  it("refuse more than a plan may have", () => {
    const arrivals = new OfferedArrivals(EVEN, { now: () => 0, at() {} });
    expect(() => arrivals.setOffer(2e6, 0)).toThrow("it is more than 1000000");
  });

  it("keep the times that they were late for when the offer changes", () => {
    const intended: number[] = [];
    let nowSeconds = 0;
    const arrivals = new OfferedArrivals(EVEN, { now: () => nowSeconds, at() {} });
    arrivals.start({
      arriving: true,
      arrive: (_user, intendedSeconds) => intended.push(intendedSeconds),
      begin() {},
      endArrivals() {},
    });
    arrivals.setOffer(8, 0);
    // It stands still until 0.5 s, and is asked for less before it comes to what was due meanwhile.
    nowSeconds = 0.5;
    arrivals.setOffer(2, nowSeconds);
    for (let entry = 0; entry < 8; entry += 1) arrivals.run();
    nowSeconds = 1;
    for (let entry = 0; entry < 8; entry += 1) arrivals.run();
    expect(intended).toEqual([0, 0.125, 0.25, 0.375, 0.5, 1]);
  });
});
