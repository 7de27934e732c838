import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TimeHeap } from "../../../src/world/virtual/time-heap.ts";

describe("TimeHeap", () => {
  it("has the earliest of its times first, however they are pushed, replaced and dropped", () => {
    const operation = fc.tuple(fc.constantFrom("push", "replace", "drop"), fc.integer({ min: 0, max: 99 }));
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
        const heap = new TimeHeap();
        let model: number[] = [];
        for (const [what, seconds] of operations) {
          if (what === "push") {
            heap.push(seconds);
            model.push(seconds);
          } else if (what === "drop") {
            heap.dropUntil(seconds);
            model = model.filter((other) => other > seconds);
          } else if (model.length > 0) {
            heap.replaceFirst(seconds);
            model[0] = seconds;
          }
          model.sort((a, b) => a - b);
          expect(heap.size).toBe(model.length);
          expect(heap.first).toBe(model[0] ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});
