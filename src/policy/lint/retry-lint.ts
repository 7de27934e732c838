/** Retries that a budget cannot bind, and options of retries where there are none. */

import { policyPresets, type ResolvedPolicy } from "../catalogue.ts";
import { modifiersIn } from "../modifier/modifiers.ts";
import type { RetryFloor } from "./policy-traits.ts";
import { by, oneOf, setting, withFewerClients } from "./remedy.ts";
import { type LoadFacts, perClient, ranSeconds, short, type Warning } from "./warning.ts";

const USUAL_ATTEMPTS = 3;

export function retryWarnings(
  policy: ResolvedPolicy,
  floor: RetryFloor | undefined,
  load: LoadFacts,
): readonly Warning[] {
  if (neverRetries(policy)) return retryModifiers(policy);
  return floor === undefined || load.clients < 2 ? [] : floorWarnings(policy, floor, load);
}

/** In the catalogue `maxAttempts` means the same everywhere, and a policy without it makes one attempt; 0 is no bound. */
function neverRetries({ preset, own }: ResolvedPolicy): boolean {
  return policyPresets.includes(preset) && (own.maxAttempts ?? 1) === 1;
}

function retryModifiers(policy: ResolvedPolicy): Warning[] {
  const { retryAfter, pushback, backoff } = modifiersIn(policy.options);
  const idle = [
    ...(retryAfter === "retry" ? ["retryAfter=retry"] : []),
    ...(pushback === "off" ? [] : [`pushback=${pushback}`]),
    ...(backoff === "own" ? [] : [`backoff=${backoff}`]),
  ];
  if (idle.length === 0) return [];
  const { name } = policy;
  const more = setting(policy, "maxAttempts", USUAL_ATTEMPTS, "down");
  const hold =
    retryAfter === "retry" ? `hold all its user's calls back (--policy ${name},retryAfter=client)` : undefined;
  return [
    {
      code: "no-retries",
      message: `Policy ${name} makes one attempt for each call, so there is no retry for ${idle.join(" and ")} to delay`,
      hint: oneOf(by("let it retry", more) ?? "take a policy that retries (--policy retry)", hold),
      figure: 1,
      limit: 2,
    },
  ];
}

/**
 * With n clients of rate r each, a share s of the calls and a floor m each, retries come to max(s n r, n m) or s n r + n m: from
 * m > s r on it is the floors that decide, and they grow with the number of clients instead of with their calls.
 */
function floorWarnings(policy: ResolvedPolicy, floor: RetryFloor, load: LoadFacts): Warning[] {
  const rate = perClient(load);
  const none = by("set the minimum to 0", setting(policy, floor.option, 0, "down"));
  const fewer = withFewerClients(policy, load);
  switch (floor.kind) {
    case "perSecond": {
      const earned = floor.share * rate;
      if (floor.perSecond <= earned) return [];
      return [
        {
          code: "retry-floor",
          message: `Each client may retry ${short(floor.perSecond)} times a second whatever its calls, which earn it ${short(earned)}: ${short(load.clients * floor.perSecond)} retries a second on ${short(load.callsPerSecond)} calls, so the budget hardly binds`,
          hint: oneOf(none, ...fewer),
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
          hint: oneOf(none, ...fewer),
          figure: floor.count,
          limit: earned,
        },
      ];
    }
    case "burst": {
      const calls = rate * ranSeconds(load);
      if (floor.count <= calls) return [];
      const smaller = setting(policy, floor.option, Math.floor(calls) * floor.unitsPerRetry, "down");
      return [
        {
          code: "retry-floor",
          message: `Each client starts with ${short(floor.count)} retries, more than its ${short(calls)} calls of this run: the budget cannot bind`,
          hint: oneOf("run for longer", by(`lower ${floor.option}`, smaller), ...fewer),
          figure: floor.count,
          limit: calls,
        },
      ];
    }
    default:
      return floor satisfies never;
  }
}
