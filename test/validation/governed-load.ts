/**
 * Load that the governor drives, in virtual time.
 *
 * A rate: the open loop of every trial, on arrivals each of which lies 1 / offer after the one before (or an exponential time of
 * that mean), with the offer in force then; the governor looks at the recorder's attempts once a window. The loop draws one
 * arrival ahead, so the first gap after a change is still the old one.
 *
 * Concurrency: a closed loop of as many fibres as the offer has whole ones.
 */

import type { VirtualWorldSpec } from "../../src/engine/trial-spec.ts";
import type { ThrottleGovernorOptions } from "../../src/governor/governor-options.ts";
import type { AttemptCounts } from "../../src/governor/throttle-governor.ts";
import type { ArrivalCursor } from "../../src/plan/arrivals.ts";
import { naturalLog } from "../../src/plan/natural-log.ts";
import { stream } from "../../src/plan/streams.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import type { Random } from "../../src/policy/policy.ts";
import { type MakeUserPolicy, userPolicies } from "../../src/policy/user-policies.ts";
import { EventQueue } from "../../src/world/virtual/event-queue.ts";
import { createServer } from "../../src/world/virtual/model.ts";
import { ClosedLoop } from "./closed-loop.ts";
import { GovernorWatch, type Offer, WINDOW_SECONDS } from "./governor-watch.ts";
import { runLoop } from "./virtual-loop.ts";

export interface GovernedLoad {
  readonly world: VirtualWorldSpec;
  readonly governor: ThrottleGovernorOptions;
  readonly windows: number;
  readonly seed: number;
}

/** One client without retries: an attempt is a call. */
export function governedRate(law: "constant" | "poisson", load: GovernedLoad): GovernorWatch {
  const { world, governor, windows, seed } = load;
  let watch: GovernorWatch | undefined;
  runLoop({
    world,
    seed,
    // One more, so that the loop does not end before the last look.
    durationSeconds: (windows + 1) * (governor.window ?? WINDOW_SECONDS),
    build(scheduler, recorder) {
      const { classes } = recorder.measured;
      watch = new GovernorWatch(scheduler, { ...governor, control: "rate" });
      watch.follow(scheduler, windows, () => ({
        successes: classes.accepted,
        failures: classes.overloaded + classes.failed,
      }));
      const gaps = law === "poisson" ? stream(seed, "arrivals") : undefined;
      return { arrivals: new OfferedArrivals(watch.offer, gaps), policies: userPolicy("none", {}, seed) };
    },
  });
  return watch as GovernorWatch;
}

/** Fibres that try each call up to eight times, 10 ms apart. */
export function governedConcurrency({ world, governor, windows, seed }: GovernedLoad): GovernorWatch {
  const queue = new EventQueue();
  const policies = userPolicy("backoff", { base: 0.01, cap: 0.01, maxAttempts: 8 }, seed);
  const loop = new ClosedLoop(queue, (fibre) => policies(fibre, queue));
  loop.start(createServer(world, 0, { seed }, queue, loop));
  const watch = new GovernorWatch(queue, { ...governor, control: "concurrency" });
  const resize = (): void => loop.resize(Math.floor(watch.offer.value));
  resize();
  const counts = (): AttemptCounts => ({ successes: loop.successes, failures: loop.failures });
  watch.follow(queue, windows, counts, resize);
  queue.run(Number.POSITIVE_INFINITY, () => watch.steps.length === windows);
  return watch;
}

function userPolicy(name: string, options: Readonly<Record<string, number>>, seed: number): MakeUserPolicy {
  return userPolicies(resolvePolicy(name, options), {
    policy: (user) => stream(seed, "policy", user),
    jitter: (user) => stream(seed, "jitter", user),
  });
}

/** Without end: the loop stops taking arrivals at its own. */
class OfferedArrivals implements ArrivalCursor {
  timeSeconds = 0;
  readonly user = 0;
  readonly #offer: Offer;
  readonly #gaps: Random | undefined;

  /** @param gaps undefined: evenly spaced. */
  constructor(offer: Offer, gaps: Random | undefined) {
    this.#offer = offer;
    this.#gaps = gaps;
  }

  next(): boolean {
    this.timeSeconds += (this.#gaps === undefined ? 1 : -naturalLog(1 - this.#gaps.random())) / this.#offer.value;
    return true;
  }
}
