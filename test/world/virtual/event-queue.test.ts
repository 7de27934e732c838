import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EventQueue } from "../../../src/world/virtual/event-queue.ts";

/** An event, and those that it schedules when it runs, each so much later; a time in the past means now. */
interface Seed {
  readonly delay: number;
  readonly sows: readonly Seed[];
}

const { seed } = fc.letrec<{ seed: Seed }>((tie) => ({
  seed: fc.record({
    delay: fc.integer({ min: -2, max: 5 }),
    sows: fc.oneof({ depthSize: "small" }, fc.constant([]), fc.array(tie("seed"), { maxLength: 3 })),
  }),
}));

interface Ran {
  readonly id: number;
  readonly atSeconds: number;
}

function run(seeds: readonly Seed[]): Ran[] {
  const events = new EventQueue();
  const ran: Ran[] = [];
  let ids = 0;
  const schedule = ({ delay, sows }: Seed): void => {
    const id = ids++;
    events.at(events.now() + delay, {
      run() {
        ran.push({ id, atSeconds: events.now() });
        for (const next of sows) schedule(next);
      },
    });
  };
  for (const first of seeds) schedule(first);
  expect(events.run(Number.POSITIVE_INFINITY, () => false)).toBe(ran.length);
  return ran;
}

/** The same by a list that is sorted, stably, before each event. */
function runSorted(seeds: readonly Seed[]): Ran[] {
  const ran: Ran[] = [];
  let ids = 0;
  let now = 0;
  const due: { readonly id: number; readonly atSeconds: number; readonly sows: readonly Seed[] }[] = [];
  const schedule = ({ delay, sows }: Seed): void => {
    due.push({ id: ids++, atSeconds: Math.max(now, now + delay), sows });
  };
  for (const first of seeds) schedule(first);
  while (due.length > 0) {
    due.sort((a, b) => a.atSeconds - b.atSeconds);
    const { id, atSeconds, sows } = due.shift() as (typeof due)[number];
    now = atSeconds;
    ran.push({ id, atSeconds });
    for (const next of sows) schedule(next);
  }
  return ran;
}

describe("EventQueue", () => {
  it("runs events in the order of a stable sort by time, those that they schedule among them", () => {
    fc.assert(
      fc.property(fc.array(seed, { maxLength: 30 }), (seeds) => {
        expect(run(seeds)).toEqual(runSorted(seeds));
      }),
      { numRuns: 200 },
    );
  });

  it("runs no more events than it is allowed to, and none when it is done", () => {
    const events = new EventQueue();
    for (const seconds of [3, 1, 2]) events.at(seconds, { run() {} });
    expect(events.run(2, () => false)).toBe(2);
    expect(events.now()).toBe(2);
    expect(events.run(9, () => true)).toBe(0);
    expect(events.run(9, () => false)).toBe(1);
    expect(events.now()).toBe(3);
  });
});
