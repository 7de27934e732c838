import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Call } from "../../src/engine/call.ts";
import { Deadlines } from "../../src/engine/deadlines.ts";
import type { Task } from "../../src/engine/ports.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";

function handed(handedSeconds: number): Call {
  return Object.assign(new Call(), { handedSeconds });
}

describe("Deadlines", () => {
  it("expires each attempt at its own time, but not one that ended", () => {
    const events = new EventQueue();
    const expired: [Call, number][] = [];
    const deadlines = new Deadlines(events, 1, (call) => expired.push([call, events.now()]));
    const calls = [handed(0), handed(0.25), handed(0.5)] as const;
    for (const call of calls) deadlines.watch(call);
    deadlines.unwatch(calls[1]);
    events.run(100, () => false);
    expect(expired).toEqual([
      [calls[0], 1],
      [calls[2], 1.5],
    ]);
  });

  it("watches the next attempt of a record from when that was handed over", () => {
    const events = new EventQueue();
    const expired: number[] = [];
    const deadlines = new Deadlines(events, 1, () => expired.push(events.now()));
    const call = handed(0);
    deadlines.watch(call);
    deadlines.unwatch(call);
    call.handedSeconds = 0.75;
    deadlines.watch(call);
    events.run(100, () => false);
    expect(expired).toEqual([1.75]);
  });

  it("lets go of an attempt that ended: what it holds does not grow with the attempts, only with those in flight", () => {
    const deadlines = new Deadlines(new EventQueue(), 1, () => {});
    const stuck = handed(0);
    deadlines.watch(stuck);
    for (let i = 0; i < 1000; i += 1) {
      const call = handed(i / 1e6);
      deadlines.watch(call);
      deadlines.unwatch(call);
      expect(call).toMatchObject({ watchedBefore: undefined, watchedAfter: undefined });
    }
    expect(stuck.watchedAfter).toBeUndefined();
  });

  it("keeps one task in the scheduler, however many attempts there are", () => {
    const tasks: Task[] = [];
    const deadlines = new Deadlines({ now: () => 0, at: (_time, task) => void tasks.push(task) }, 1, () => {});
    for (let i = 0; i < 1000; i += 1) deadlines.watch(handed(i / 1e6));
    expect(tasks).toEqual([deadlines]);
  });

  it("expires exactly those that did not end, at their times, also when an expiry hands further attempts over", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 40 }), fc.integer({ min: 0, max: 3 }), (ends, attempts) => {
        const events = new EventQueue();
        const expired: [number, number][] = [];
        const left = new Map<Call, number>();
        const deadlines = new Deadlines(events, 1, (call) => {
          expired.push([call.user, Math.round(100 * events.now())]);
          const more = left.get(call) ?? attempts;
          if (more === 0) return;
          left.set(call, more - 1);
          call.handedSeconds = events.now();
          deadlines.watch(call);
        });
        const calls = ends.map((_, user) => Object.assign(handed(user / 100), { user }));
        for (const call of calls) deadlines.watch(call);
        for (const call of calls) if (ends[call.user] === true) deadlines.unwatch(call);
        events.run(10_000, () => false);
        const live = calls.filter((call) => ends[call.user] !== true).map((call) => call.user);
        const rounds = Array.from({ length: attempts + 1 }, (_, round) =>
          live.map((user) => [user, user + 100 * (round + 1)]),
        );
        expect(expired).toEqual(rounds.flat());
      }),
    );
  });
});
