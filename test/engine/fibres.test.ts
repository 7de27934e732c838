import { describe, expect, it } from "vitest";
import { Fibres } from "../../src/engine/fibres.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

/** Fibres whose calls take so long each; offers come into force at their times. */
function begunBy(
  untilSeconds: number,
  callSeconds: number,
  offers: readonly (readonly [atSeconds: number, offer: number])[],
): readonly (readonly [user: number, atSeconds: number])[] {
  const queue = new EventQueue();
  const begun: [number, number][] = [];
  const fibres = new Fibres(queue);
  fibres.start({
    arriving: true,
    arrive() {},
    begin(user, nowSeconds) {
      begun.push([user, nowSeconds]);
      if (callSeconds === 0) fibres.callEnded(user, nowSeconds);
      else queue.at(nowSeconds + callSeconds, { run: () => fibres.callEnded(user, queue.now()) });
    },
    endArrivals() {},
  });
  let over = false;
  for (const [atSeconds, offer] of offers) queue.at(atSeconds, { run: () => fibres.setOffer(offer, atSeconds) });
  queue.at(untilSeconds, {
    run() {
      over = true;
    },
  });
  queue.run(1e6, () => over);
  return begun;
}

describe("Fibres", () => {
  it("begin their next call when the last one has ended, as many as the offer has whole ones", () => {
    expect(begunBy(1.1, 0.5, [[0, 2.9]])).toEqual([
      [0, 0],
      [1, 0],
      [0, 0.5],
      [1, 0.5],
      [0, 1],
      [1, 1],
    ]);
  });

  it("are one at least", () => {
    expect(begunBy(0.6, 0.5, [[0, 0.4]])).toEqual([
      [0, 0],
      [0, 0.5],
    ]);
  });

  it("end with the call that they are at when the offer falls, and go on when it rises again", () => {
    const begun = begunBy(4.25, 1, [
      [0, 3],
      [0.5, 1],
      [2.5, 2],
    ]);
    expect(begun.filter(([user]) => user === 0).map(([, atSeconds]) => atSeconds)).toEqual([0, 1, 2, 3, 4]);
    expect(begun.filter(([user]) => user === 1).map(([, atSeconds]) => atSeconds)).toEqual([0, 2.5, 3.5]);
    expect(begun.filter(([user]) => user === 2).map(([, atSeconds]) => atSeconds)).toEqual([0]);
  });

  it("make one call at a time, also when one falls and rises while its call lasts", () => {
    const begun = begunBy(3.25, 1, [
      [0, 2],
      [0.25, 1],
      [0.5, 2],
    ]);
    expect(begun.filter(([user]) => user === 1).map(([, atSeconds]) => atSeconds)).toEqual([0, 1, 2, 3]);
  });

  it("let a millisecond pass after a call that took no time at all", () => {
    expect(begunBy(0.0025, 0, [[0, 1]]).map(([, atSeconds]) => atSeconds)).toEqual([0, 0.001, 0.002]);
  });
});
