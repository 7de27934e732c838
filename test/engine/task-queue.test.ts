import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TaskQueue } from "../../src/engine/task-queue.ts";

describe("TaskQueue", () => {
  it("pops in the order of a stable sort by time, however pushes and pops are mixed", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant("pop" as const))), (operations) => {
        const queue = new TaskQueue();
        let model: { time: number; id: number }[] = [];
        const popped: number[] = [];
        const expected: number[] = [];
        const pop = (): void => {
          if (model.length === 0) return;
          model = model.toSorted((a, b) => a.time - b.time || a.id - b.id);
          expect(queue.nextSeconds).toBe(model[0]?.time);
          expected.push((model.shift() as { id: number }).id);
          queue.pop().run();
        };
        for (const [id, operation] of operations.entries()) {
          if (operation === "pop") {
            pop();
            continue;
          }
          model.push({ time: operation, id });
          queue.push(operation, { run: () => popped.push(id) });
        }
        while (model.length > 0) pop();
        expect(popped).toEqual(expected);
        expect(queue.size).toBe(0);
        expect(queue.nextSeconds).toBe(Number.POSITIVE_INFINITY);
      }),
    );
  });

  it("keeps the order of tasks of several delays and of bounds far ahead, through growth and wrapping", () => {
    const queue = new TaskQueue();
    const ran: string[] = [];
    const expected: { time: number; id: number }[] = [];
    let pushed = 0;
    const push = (time: number): void => {
      const entry = { time, id: pushed };
      pushed += 1;
      expected.push(entry);
      queue.push(time, { run: () => ran.push(`${entry.time}/${entry.id}`) });
    };
    push(1e6);
    for (let now = 0; now < 2000; now += 1) {
      push(now + 1);
      // Answers in order, some of the same time, a deadline now and then, and one that overtakes.
      push(now + 300);
      push(now + 300);
      if (now % 100 === 0) push(now + 1000);
      if (now % 7 === 0) push(now + 150 + (now % 13));
      while (queue.nextSeconds <= now) queue.pop().run();
    }
    expect(queue.size).toBeGreaterThan(500);
    while (queue.size > 0) queue.pop().run();
    expected.sort((a, b) => a.time - b.time || a.id - b.id);
    expect(ran).toEqual(expected.map(({ time, id }) => `${time}/${id}`));
  });

  it("grows beyond its first capacity without losing a task", () => {
    const queue = new TaskQueue();
    const ran: number[] = [];
    for (let i = 999; i >= 0; i -= 1) queue.push(i, { run: () => ran.push(i) });
    while (queue.size > 0) queue.pop().run();
    expect(ran).toEqual(Array.from({ length: 1000 }, (_, i) => i));
  });
});
