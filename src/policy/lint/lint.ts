/** Guard rails: where theory says that a policy under this load will not do what its user expects of it. */

import type { ResolvedPolicy } from "../catalogue.ts";
import { type RetryFloor, type ThrottleTraits, traitsOf } from "./traits.ts";
import { type LoadFacts, type MeasuredFacts, short, type Warning } from "./warning.ts";

/** Calls in a window below which its ratios are mostly chance. */
const WINDOW_CALLS_MIN = 20;
/** Windows after which a throttle's counts have settled. */
const WINDOWS_MIN = 5;
/** Closer to 1 a throttle rejects at random dips of a healthy backend, and leaves some of its capacity unused. */
const K_MIN = 1.05;
/** Beyond it more than four fifths of what is sent may be rejected before anything is done about it. */
const K_MAX = 5;
/** Calls of one client under way at once from which a cold throttle that counts at the attempt rejects its own overlap. */
const OVERLAP_MAX = 1;

/** What is to be said before the run. */
export function lintPlan(policy: ResolvedPolicy, load: LoadFacts): readonly Warning[] {
  const { windowSeconds, throttle, floor } = traitsOf(policy);
  return [
    ...(windowSeconds === undefined ? [] : windowWarnings(windowSeconds, load)),
    ...(throttle === undefined ? [] : throttleWarnings(throttle, windowSeconds ?? 0, load)),
    ...(floor === undefined || load.clients < 2 ? [] : floorWarnings(floor, load)),
  ];
}

/** What is to be said once it is measured, of which {@link lintPlan} could not know. */
export function lintMeasured(policy: ResolvedPolicy, load: LoadFacts, measured: MeasuredFacts): readonly Warning[] {
  const { windowSeconds = 0, throttle } = traitsOf(policy);
  if (throttle === undefined) return [];
  const { latencySeconds } = measured;
  return [
    ...(load.latencySeconds === undefined ? overlap(throttle, windowSeconds, { ...load, latencySeconds }) : []),
    ...otherFailures(throttle, measured),
    ...rejectsOfNothing(measured),
    ...slowReopening(throttle, windowSeconds, measured),
  ];
}

function windowWarnings(windowSeconds: number, load: LoadFacts): Warning[] {
  const calls = windowSeconds * perClient(load);
  const ranSeconds = load.warmupSeconds + load.durationSeconds;
  const warnings: Warning[] = [];
  if (calls < WINDOW_CALLS_MIN) {
    warnings.push({
      code: "sparse-window",
      message: `A client makes ${short(calls)} calls in the policy's window of ${windowSeconds} s: its ratios are mostly chance`,
      hint: "Lengthen the window, take fewer virtual users, or share the policy: --scope process",
      figure: calls,
      limit: WINDOW_CALLS_MIN,
    });
  }
  if (ranSeconds < WINDOWS_MIN * windowSeconds) {
    warnings.push({
      code: "few-windows",
      message: `The run lasts ${short(ranSeconds / windowSeconds)} of the policy's windows of ${windowSeconds} s: what it shows is the start, not the steady state`,
      hint: `Run for ${WINDOWS_MIN * windowSeconds} s (--warmup counts), or scale the window down: --window ${short(ranSeconds / WINDOWS_MIN)}s`,
      figure: ranSeconds,
      limit: WINDOWS_MIN * windowSeconds,
    });
  }
  return warnings;
}

function throttleWarnings(throttle: ThrottleTraits, windowSeconds: number, load: LoadFacts): Warning[] {
  return [...kWarnings(throttle), ...overlap(throttle, windowSeconds, load), ...latch(throttle)];
}

function kWarnings({ k }: ThrottleTraits): Warning[] {
  if (k < K_MIN) {
    return [
      {
        code: "low-k",
        message: `K is ${short(k)}: the throttle rejects at dips of a healthy backend, and leaves some of its capacity unused`,
        hint: `Take a K of at least ${K_MIN}; 1.1 is strict already`,
        figure: k,
        limit: K_MIN,
      },
    ];
  }
  if (k <= K_MAX) return [];
  return [
    {
      code: "high-k",
      message: `K is ${short(k)}: nothing is rejected locally until ${short(100 * (1 - 1 / k))} % of what is sent is refused`,
      hint: `Take a K of at most ${K_MAX}; 2 is usual`,
      figure: k,
      limit: K_MAX,
    },
  ];
}

/** Source: facts of theory 4.8, simulated. After a warm-up of a window the counts are warm, and it is over. */
function overlap(throttle: ThrottleTraits, windowSeconds: number, load: LoadFacts): Warning[] {
  const { latencySeconds, warmupSeconds } = load;
  if (throttle.countsAt !== "attempt" || latencySeconds === undefined || warmupSeconds >= windowSeconds) return [];
  const underWay = perClient(load) * latencySeconds;
  if (underWay < OVERLAP_MAX) return [];
  return [
    {
      code: "counts-overlap",
      message: `A client has ${short(underWay)} calls under way at once, and the policy counts a call before its answer: when cold it throttles itself against a healthy backend`,
      hint: "Warm up for a window, or take a policy that counts at completion: sre-completion, sre-sent-only",
      figure: underWay,
      limit: OVERLAP_MAX,
    },
  ];
}

function latch({ forgetsAtRecord, maxReject }: ThrottleTraits): Warning[] {
  if (!forgetsAtRecord || maxReject < 1) return [];
  return [
    {
      code: "latching-cap",
      message: `Up to ${short(100 * maxReject)} % may be rejected, and counts go only when a result is recorded: once nothing is sent, nothing ever is again`,
      hint: "Leave the cap below 1; its default is 0.9",
      figure: maxReject,
      limit: 1,
    },
  ];
}

/** Source: theory 0.7 and 4.7: with many small clients their floors add up to more retries than the budget's share. */
function floorWarnings(floor: RetryFloor, load: LoadFacts): Warning[] {
  const rate = perClient(load);
  const hint = "Set the minimum to 0, or share the budget among the clients: --scope process";
  switch (floor.kind) {
    case "perSecond": {
      const earned = floor.share * rate;
      if (floor.perSecond <= earned) return [];
      return [
        {
          code: "retry-floor",
          message: `Each client may retry ${short(floor.perSecond)} times a second whatever its calls, which earn it ${short(earned)}: ${short(load.clients * floor.perSecond)} retries a second on ${short(load.callsPerSecond)} calls, so the budget hardly binds`,
          hint,
          figure: floor.perSecond,
          limit: earned,
        },
      ];
    }
    case "concurrent": {
      // In an overload calls take as long as they may.
      const earned = floor.share * rate * load.timeoutSeconds;
      if (floor.count <= earned) return [];
      return [
        {
          code: "retry-floor",
          message: `Each client may have ${short(floor.count)} retries under way whatever its calls, which earn it ${short(earned)} when they time out: ${short(load.clients * floor.count)} in all, so the budget hardly binds`,
          hint,
          figure: floor.count,
          limit: earned,
        },
      ];
    }
    case "burst": {
      const calls = rate * (load.warmupSeconds + load.durationSeconds);
      if (floor.count <= calls) return [];
      return [
        {
          code: "retry-floor",
          message: `Each client starts with ${short(floor.count)} retries, more than its ${short(calls)} calls of this run: the budget cannot bind`,
          hint: "Run for longer, lower the capacity, or share the budget among the clients: --scope process",
          figure: floor.count,
          limit: calls,
        },
      ];
    }
    default:
      return floor satisfies never;
  }
}

/** Source: theory 4.10: a counted throttle then falls to one attempt per window, others to K times the rest. */
function otherFailures({ k }: ThrottleTraits, { accepted, overloaded, failed }: MeasuredFacts): Warning[] {
  const share = failed / (accepted + overloaded + failed);
  const limit = 1 - 1 / k;
  if (!(share > limit)) return [];
  return [
    {
      code: "other-failures",
      message: `${short(100 * share)} % of the attempts failed for other reasons than overload, which the throttle takes for one from ${short(100 * limit)} % on: it starves a backend that is not overloaded`,
      hint: "Mend what fails, name its statuses in --ok-on, or raise K",
      figure: share,
      limit,
    },
  ];
}

/** Source: theory 9.2. */
function rejectsOfNothing({ throttled, overloaded, failed }: MeasuredFacts): Warning[] {
  if (throttled === 0 || overloaded + failed > 0) return [];
  return [
    {
      code: "throttled-healthy",
      message: `${throttled === 1 ? "1 call was" : `${throttled} calls were`} throttled though the backend refused nothing: the clients throttled themselves`,
      hint: "Warm up for a window, or take a policy that counts at completion: sre-completion, sre-sent-only",
      figure: throttled,
      limit: 0,
    },
  ];
}

/** Source: theory 4.5: after a total outage it sends about one attempt per window and client, until one is accepted. */
function slowReopening(throttle: ThrottleTraits, windowSeconds: number, { outageSeconds }: MeasuredFacts): Warning[] {
  const { k, countsLocal, maxReject, forcesPasses } = throttle;
  // Shorter ones go unnoticed.
  const limit = windowSeconds * (1 - 1 / k);
  if (!countsLocal || forcesPasses || maxReject < 1 || windowSeconds === 0 || outageSeconds <= limit) return [];
  return [
    {
      code: "slow-reopening",
      message: `Nothing was accepted for ${outageSeconds} s: a throttle that counts its own rejections, without a cap, then sends one attempt per window of ${windowSeconds} s and client, and takes several windows to open again`,
      hint: "Shorten the window, or take sre-throttle,maxReject=0.9 or sre-sent-only",
      figure: outageSeconds,
      limit,
    },
  ];
}

function perClient({ callsPerSecond, clients }: LoadFacts): number {
  return callsPerSecond / clients;
}
