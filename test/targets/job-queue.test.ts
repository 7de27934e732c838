import fc from "fast-check";
import { expect, test } from "vitest";
import { JobQueue } from "../../targets/overloadable/job-queue.ts";

test("JobQueue gives jobs back in the order they came and refuses those beyond its bound", () => {
  const queue = new JobQueue<string>(2);
  expect(queue.shift()).toBeUndefined();
  expect([queue.push("a"), queue.push("b"), queue.push("c")]).toEqual([true, true, false]);
  expect([queue.shift(), queue.length, queue.push("d")]).toEqual(["a", 1, true]);
  expect([queue.shift(), queue.shift(), queue.shift(), queue.length]).toEqual(["b", "d", undefined, 0]);
});

test("JobQueue behaves as an array with a bound under any sequence of push and shift", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(fc.boolean(), { maxLength: 200 }), (capacity, pushes) => {
      const queue = new JobQueue<number>(capacity);
      const model: number[] = [];
      pushes.forEach((isPush, job) => {
        if (isPush) {
          expect(queue.push(job)).toBe(model.length < capacity);
          if (model.length < capacity) model.push(job);
        } else {
          expect(queue.shift()).toBe(model.shift());
        }
        expect(queue.length).toBe(model.length);
      });
    }),
  );
});
