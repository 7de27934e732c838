/** What the machine did to the generator, or had too little of. Of a real world. */

import type { Reason } from "../../result/schema.ts";
import type { ValidityFacts } from "./facts.ts";
import { graded, percent, rounded } from "./grade.ts";
import { BUSY_SHARE, CLOCK_JUMP_MS, STEAL_SHARE, THROTTLED_SHARE, WAIT_SHARE } from "./limits.ts";

export function machineReasons({ generator, workers }: ValidityFacts): Reason[] {
  if (generator === undefined) return [];
  const { busyRatio = 0, waitRatio = 0, throttledRatio = 0, stealRatio, clockJumpMs } = generator;
  // A thread that a CPU limit holds back waits as well: that has a reason and a cure of its own.
  const contention = Math.max(0, waitRatio - throttledRatio);
  const [thread, worst] = workers > 1 ? ["busiest worker", "worst worker"] : ["generator", "generator"];
  return [
    ...graded(busyRatio, BUSY_SHARE, {
      code: "cpu-saturated",
      message: `The ${thread} computed for ${percent(busyRatio)} of the time that it had a processor: calls and answers waited for it`,
      hint: "Lower --rps, or split the load over more --workers or machines",
    }),
    ...graded(contention, WAIT_SHARE, {
      code: "cpu-contention",
      message: `The ${worst} could have run and had no processor for ${percent(contention)} of the time`,
      hint: "End what else runs here, take fewer --workers, or run the target on another machine",
    }),
    ...graded(throttledRatio, THROTTLED_SHARE, {
      code: "cgroup-throttled",
      message: `A CPU limit held this process back for ${percent(throttledRatio)} of the time`,
      hint: "Raise the CPU limit of its container or slice, or take it away",
    }),
    ...graded(stealRatio, STEAL_SHARE, {
      code: "steal",
      message: `The host took ${percent(stealRatio)} of this machine's CPU time away`,
      hint: "Run again when the host is quiet, or on a machine of its own",
    }),
    ...graded(clockJumpMs, CLOCK_JUMP_MS, {
      code: "clock-jump",
      message: `The wall clock stepped by ${rounded(clockJumpMs)} ms: the machine was suspended, or its clock was set`,
      hint: "Run it again; let the machine stay awake, and its clock be slewed instead of set",
    }),
  ];
}
