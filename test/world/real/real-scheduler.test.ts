import { afterEach, describe, expect, it } from "vitest";
import type { Task } from "../../../src/engine/ports.ts";
import { RealScheduler } from "../../../src/world/real/real-scheduler.ts";

/** Enough to take several milliseconds. */
const TASKS = 100_000;

const schedulers: RealScheduler[] = [];

afterEach(() => {
  for (const scheduler of schedulers.splice(0)) scheduler.close();
});

function scheduler(pacing: "precise" | "timer"): RealScheduler {
  const made = new RealScheduler(pacing);
  schedulers.push(made);
  return made;
}

describe.each(["precise", "timer"] as const)("RealScheduler, %s", (pacing) => {
  it("runs tasks in the order of their times, and none early", async () => {
    const real = scheduler(pacing);
    const ran: [number, number][] = [];
    await new Promise<void>((resolve) => {
      for (const time of [0.03, 0.01, 0.02, 0.06]) {
        real.at(time, { run: () => ran.push([time, real.now()]) }, "exact");
      }
      real.at(0.06, { run: resolve }, "exact");
    });
    expect(ran.map(([time]) => time)).toEqual([0.01, 0.02, 0.03, 0.06]);
    for (const [time, at] of ran) expect(at).toBeGreaterThanOrEqual(time);
  });

  it("runs a task sooner that is scheduled while it sleeps for a later one", async () => {
    const real = scheduler(pacing);
    const ran: string[] = [];
    await new Promise<void>((resolve) => {
      real.at(0.5, { run: () => ran.push("late") }, "exact");
      setTimeout(() => {
        real.at(
          real.now() + 0.01,
          {
            run() {
              ran.push("soon");
              resolve();
            },
          },
          "exact",
        );
      }, 5);
    });
    expect(ran).toEqual(["soon"]);
  });

  it("runs coarse tasks late by a little, never early", async () => {
    const real = scheduler(pacing);
    const at = await new Promise<number>((resolve) => {
      real.at(0.05, { run: () => resolve(real.now()) }, "coarse");
    });
    expect(at).toBeGreaterThanOrEqual(0.05);
  });

  it("serves the rest of the process while many tasks are due", async () => {
    const real = scheduler(pacing);
    let ran = 0;
    const task: Task = {
      run() {
        ran += 1;
      },
    };
    for (let i = 0; i < TASKS; i += 1) real.at(0, task, "exact");
    const seen = await new Promise<number>((resolve) => setTimeout(() => resolve(ran), 0));
    expect(seen).toBeLessThan(TASKS);
    await new Promise<void>((resolve) => real.at(0, { run: resolve }, "exact"));
    expect(ran).toBe(TASKS);
  });

  it("close() forgets all that was scheduled", async () => {
    const real = scheduler(pacing);
    let ran = 0;
    const task: Task = {
      run() {
        ran += 1;
      },
    };
    real.at(0.01, task, "exact");
    real.at(0.01, task, "coarse");
    real.close();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(ran).toBe(0);
  });
});
