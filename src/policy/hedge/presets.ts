/** Hedging by name. */

import { resolveOptions } from "../option.ts";
import type { PolicyPreset } from "../preset.ts";
import { HedgePolicy, hedgePolicyOptions } from "./hedge-policy.ts";

export const hedgePresets: readonly PolicyPreset[] = [
  {
    name: "hedge",
    family: "hedge",
    summary: "gRPC hedging: another copy of a call without an answer each hedgingDelay, throttled by tokens",
    use: "Reads with a long tail that some replicas have and others have not, far below capacity",
    fails:
      "Adds load when the backend is slowest: a shift of the latency past hedgingDelay sends every call maxAttempts times, and no token falls",
    equation:
      "copy k at k x hedgingDelay, or at once after an overload, while tokens > maxTokens / 2; first answer wins",
    source: "grpc/proposal A6-client-retries.md, Hedging Policy and Throttling Retry Attempts and Hedged RPCs",
    options: hedgePolicyOptions,
    create: (options) => {
      resolveOptions("create hedge", hedgePolicyOptions, options);
      return () => new HedgePolicy(options);
    },
  },
];
