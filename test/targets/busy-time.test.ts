import { expect, test } from "vitest";
import { BusyTime } from "../../targets/overloadable/busy-time.ts";

test("BusyTime counts from the asking for a turn until one ends without asking for another", () => {
  let now = 10;
  let given: () => void = () => {};
  const busy = new BusyTime(() => now);
  const defer = busy.watch((step) => {
    given = step;
  });
  let turns = 0;
  const step = (): void => {
    turns += 1;
    now += 2;
    if (turns === 1) defer(step);
  };
  expect(busy.seconds).toBe(0);
  defer(step);
  now += 1;
  expect(busy.seconds).toBe(1);
  given();
  expect(busy.seconds).toBe(3);
  now += 4;
  given();
  expect([turns, busy.seconds]).toEqual([2, 9]);
  now += 100;
  expect(busy.seconds).toBe(9);
  defer(step);
  now += 1;
  given();
  expect(busy.seconds).toBe(12);
});
