/** The options that most backoffs have. */

import type { NumberSpec } from "../option.ts";

/** Options of a backoff. What is missing or `undefined` has its default. */
export interface BackoffOptions {
  /** Before the first retry, or the most of it where there is jitter; in seconds. Default 0.1. */
  readonly base?: number | undefined;
  /** No delay is longer than this; in seconds. Default 20. */
  readonly cap?: number | undefined;
}

/**
 * The defaults are those with which the AWS clients ship full jitter (smithy-lang/smithy-typescript,
 * packages/util-retry/src/constants.ts). The 5 ms and 2 s of the article's own simulation
 * (aws-samples/aws-arch-backoff-simulator) belong to its network of 10 ms.
 */
export const backoffOptions = {
  base: {
    default: 0.1,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "What the delay before a retry starts from; it doubles from retry to retry",
  },
  cap: {
    default: 20,
    kind: "number",
    min: 0,
    max: 86_400,
    unit: "seconds",
    doc: "No delay is longer",
  },
} as const satisfies Record<keyof BackoffOptions, NumberSpec>;
