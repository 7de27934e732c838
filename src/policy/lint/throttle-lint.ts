/** What a throttle of the SRE book's kind does that its user may not expect: p = (R - K A) / (R + 1), R requests, A accepts. */

import type { ResolvedPolicy } from "../catalogue.ts";
import type { ThrottleTraits, WindowTrait } from "./policy-traits.ts";
import { by, oneOf, perhapsBy, setting } from "./remedy.ts";
import { agedSeconds, type LoadFacts, type MeasuredFacts, perClient, short, type Warning } from "./warning.ts";

/** Closer to 1 a throttle rejects at random dips of a healthy backend, and leaves some of its capacity unused. */
const K_MIN = 1.05;
/** Beyond it more than four fifths of what is sent may be rejected before anything is done about it. */
const K_MAX = 5;
const STRICT_K = 1.1;
/** The book's. */
const USUAL_K = 2;
/** Calls of one client under way at once from which a cold throttle that counts at the attempt rejects its own overlap. */
const OVERLAP_MAX = 1;
/** The default of failsafe-go/failsafe-go: one in ten finds out whether the backend is back. */
const USUAL_CAP = 0.9;

const AT_COMPLETION = "take a policy that counts at completion (--policy sre-completion or --policy sre-sent-only)";

export function throttleWarnings(
  policy: ResolvedPolicy,
  throttle: ThrottleTraits,
  window: WindowTrait | undefined,
  load: LoadFacts,
): readonly Warning[] {
  return [
    ...kWarnings(policy, throttle),
    ...overlap(throttle, window, load),
    ...latch(policy, throttle),
    ...oneCriticality(throttle, load),
  ];
}

export function measuredThrottleWarnings(
  policy: ResolvedPolicy,
  throttle: ThrottleTraits,
  window: WindowTrait | undefined,
  load: LoadFacts,
  measured: MeasuredFacts,
): readonly Warning[] {
  const { latencySeconds } = measured;
  return [
    ...(load.latencySeconds === undefined ? overlap(throttle, window, { ...load, latencySeconds }) : []),
    ...otherFailures(policy, throttle, measured),
    ...rejectsOfNothing(throttle, window, measured),
    ...(window === undefined ? [] : slowReopening(throttle, window, measured)),
  ];
}

function kWarnings(policy: ResolvedPolicy, { k: { k, option, valueFor } }: ThrottleTraits): Warning[] {
  if (k < K_MIN) {
    return [
      {
        code: "low-k",
        message: `K is ${short(k)}: the throttle rejects at dips of a healthy backend, and leaves some of its capacity unused`,
        hint: oneOf(
          perhapsBy(
            `take a K of at least ${K_MIN}, ${STRICT_K} is strict already`,
            nearest(policy, option, valueFor(STRICT_K)),
          ),
        ),
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
      hint: oneOf(
        perhapsBy(`take a K of at most ${K_MAX}, ${USUAL_K} is usual`, nearest(policy, option, valueFor(USUAL_K))),
      ),
      figure: k,
      limit: K_MAX,
    },
  ];
}

function nearest(policy: ResolvedPolicy, option: string, value: number): string | undefined {
  return setting(policy, option, Number(value.toPrecision(3)), "down");
}

/**
 * R calls are counted as requests before the first of their accepts, so that a client with rate x latency of them under way
 * sees p = (R - K A) / (R + 1) above 0 with nothing refused. After a warm-up of a window the accepts are there, and it is over.
 */
function overlap(throttle: ThrottleTraits, window: WindowTrait | undefined, load: LoadFacts): Warning[] {
  const { latencySeconds, warmupSeconds } = load;
  const windowSeconds = window?.seconds ?? 0;
  if (throttle.countsAt !== "attempt" || latencySeconds === undefined) return [];
  if (agedSeconds(load) + warmupSeconds >= windowSeconds) return [];
  const underWay = perClient(load) * latencySeconds;
  if (underWay < OVERLAP_MAX) return [];
  return [
    {
      code: "counts-overlap",
      message: `A client has ${short(underWay)} calls under way at once, and the policy counts a call before its answer: when cold it throttles itself against a healthy backend`,
      hint: oneOf(warmUp(windowSeconds), AT_COMPLETION),
      figure: underWay,
      limit: OVERLAP_MAX,
    },
  ];
}

function warmUp(windowSeconds: number): string {
  const seconds = Math.ceil(windowSeconds);
  return `warm up for a window (--warmup ${seconds}s, or without waiting for it --age ${seconds}s)`;
}

function latch(policy: ResolvedPolicy, { forgetsAtRecord = false, cap }: ThrottleTraits): Warning[] {
  if (!forgetsAtRecord || cap === undefined || cap.probability < 1) return [];
  return [
    {
      code: "latching-cap",
      message: `Up to ${short(100 * cap.probability)} % may be rejected, and counts go only when a result is recorded: once nothing is sent, nothing ever is again`,
      hint: oneOf(perhapsBy("leave the cap below 1", nearest(policy, cap.option, USUAL_CAP))),
      figure: cap.probability,
      limit: 1,
    },
  ];
}

function oneCriticality({ isPerCriticality = false }: ThrottleTraits, { criticalities }: LoadFacts): Warning[] {
  if (!isPerCriticality || criticalities > 1) return [];
  return [
    {
      code: "one-criticality",
      message: "All calls have the same criticality: the policy does what it would do without classes",
      hint: "Mix them (--criticality critical=70,sheddable=30), or take the throttle without (--policy sre-throttle)",
      figure: criticalities,
      limit: 2,
    },
  ];
}

/**
 * With the share a of the attempts accepted whatever is sent, p = 1 - K a is above 0 from 1 - a = 1 - 1 / K on. A throttle that
 * counts its own rejections then falls to 1 / (1 - K a) attempts in a window, another one to the share K a of its calls.
 */
function otherFailures(policy: ResolvedPolicy, { k }: ThrottleTraits, measured: MeasuredFacts): Warning[] {
  const { accepted, overloaded, failed } = measured;
  const share = failed / (accepted + overloaded + failed);
  const limit = 1 - 1 / k.k;
  if (!(share > limit)) return [];
  const enough = 1.1 / (1 - share);
  const higher = enough <= K_MAX ? nearest(policy, k.option, k.valueFor(enough)) : undefined;
  return [
    {
      code: "other-failures",
      message: `${short(100 * share)} % of the attempts failed for other reasons than overload, which the throttle takes for one from ${short(100 * limit)} % on: it starves a backend that is not overloaded`,
      hint: oneOf("mend what fails", "name its statuses in --ok-on", by("raise K", higher)),
      figure: share,
      limit,
    },
  ];
}

function rejectsOfNothing(
  { countsAt }: ThrottleTraits,
  window: WindowTrait | undefined,
  { throttled, overloaded, failed }: MeasuredFacts,
): Warning[] {
  if (throttled === 0 || overloaded + failed > 0) return [];
  return [
    {
      code: "throttled-healthy",
      message: `${throttled === 1 ? "1 call was" : `${throttled} calls were`} throttled though the backend refused nothing: the clients throttled themselves`,
      hint:
        countsAt === "attempt"
          ? oneOf(warmUp(window?.seconds ?? 0), AT_COMPLETION)
          : "See which statuses came: the policy judges them by a rule of its own, not by --ok-on and --overloaded-on",
      figure: throttled,
      limit: 0,
    },
  ];
}

/**
 * After an outage that fills the window p = R / (R + 1) with R = rate x window, so that rate / (R + 1), about one attempt in a
 * window, is sent until one is accepted. Before W (1 - 1 / K) of it nothing is rejected at all.
 */
function slowReopening(throttle: ThrottleTraits, window: WindowTrait, { outageSeconds }: MeasuredFacts): Warning[] {
  const { k, countsLocal, cap, forcesPasses = false } = throttle;
  const limit = window.seconds * (1 - 1 / k.k);
  const isCapped = cap !== undefined && cap.probability < 1;
  if (!countsLocal || forcesPasses || isCapped || outageSeconds <= limit) return [];
  return [
    {
      code: "slow-reopening",
      message: `Nothing was accepted for ${outageSeconds} s: a throttle that counts its own rejections, without a cap, then sends one attempt per window of ${window.seconds} s and client, and takes several windows to open again`,
      hint: `Take a throttle with a cap (--policy sre-throttle,maxReject=${USUAL_CAP}), or one that counts only what is sent (--policy sre-sent-only)`,
      figure: outageSeconds,
      limit,
    },
  ];
}
