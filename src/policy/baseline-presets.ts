/** The presets without overload control, and the two throttles that the others are compared with. */

import { FixedRetry } from "./fixed-retry.ts";
import { kOf, windowOf } from "./lint/policy-traits.ts";
import { maxAttemptsOption } from "./option.ts";
import { OverloadClient, overloadClientOptions } from "./overload-client.ts";
import type { Policy, PolicyFactory } from "./policy.ts";
import type { PolicyPreset } from "./preset.ts";
import { SentOnlyPolicy, sentOnlyPolicyOptions } from "./sent-only-policy.ts";

const SRE_BOOK = "Site Reliability Engineering (Google/O'Reilly 2016), chapter 21, Handling Overload";

export const baselinePresets: readonly PolicyPreset[] = [
  {
    name: "none",
    family: "baseline",
    summary: "No overload control: one attempt for each call",
    use: "As the control that every other policy is held against",
    fails: "Every lost packet and every restart of a backend is a failed call",
    equation: "sent = offered",
    source: "None needed",
    options: {},
    create: () => shared(new FixedRetry({ maxAttempts: 1 })),
  },
  {
    name: "retry",
    family: "baseline",
    summary: "Immediate retries on overload, without throttle or budget",
    use: "The default of most HTTP clients and of most hand-written loops",
    fails:
      "Multiplies the load by maxAttempts when everything fails, which keeps it failing: metastable from offered x maxAttempts > capacity",
    equation: "sent = offered x (1 + f + ... + f^(maxAttempts - 1)), f the share of attempts that fail",
    source:
      "Brooker, Fixing retries with token buckets and circuit breakers (2022); Bronson et al., Metastable Failures in Distributed Systems (HotOS 2021)",
    options: { maxAttempts: maxAttemptsOption },
    create: (options) => shared(new FixedRetry(options)),
  },
  {
    name: "sre",
    family: "throttle",
    summary:
      "OverloadClient: adaptive throttling that counts local rejects, with a retry budget (SRE book, chapter 21)",
    use: "Many calls a second and client to one backend, whose rejections are cheaper than its work",
    fails:
      "Slow to open again after an outage longer than the window; clients drift apart; starves a backend that fails more than 1 - 1/K for other reasons",
    equation: "p = max(0, (requests - K accepts) / (requests + 1)); retry while retries < retryRatio x requests",
    source: SRE_BOOK,
    options: overloadClientOptions,
    traits: (own) => ({
      window: windowOf(own, "window"),
      throttle: { k: kOf(own, "k"), countsAt: "attempt", countsLocal: true },
    }),
    create: (options) => (clock, random) => new OverloadClient(clock, random, options),
  },
  {
    name: "sre-sent-only",
    family: "throttle",
    summary: "AdaptiveThrottle: adaptive throttling that counts only what was sent",
    use: "As sre, where a fast recovery and equal shares matter more than a steady load",
    fails:
      "What it sends grows with the square root of what it is offered: a large enough crowd still overloads the backend",
    equation: "p = max(0, (sent - K accepts) / (sent + 1))",
    source: `${SRE_BOOK}, with requests read as requests sent`,
    options: sentOnlyPolicyOptions,
    traits: (own) => ({
      window: windowOf(own, "window"),
      throttle: { k: kOf(own, "k"), countsAt: "completion", countsLocal: false },
    }),
    create: (options) => (clock, random) => new SentOnlyPolicy(clock, random, options),
  },
];

/** A policy without state serves all users. */
function shared(policy: Policy): PolicyFactory {
  return () => policy;
}
