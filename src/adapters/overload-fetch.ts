/** Overload control around `fetch`. */

import { FetchCall } from "./fetch-call.ts";
import type { Fetch, FetchAnswer } from "./fetch-types.ts";
import { type OverloadControlOptions, resolveSettings } from "./settings.ts";

/**
 * Wraps a `fetch` with one policy for each origin. What it returns is called like it and answers like it, with these
 * differences:
 *
 * - a call that the policy refuses rejects with an {@link OverloadControlError}, and is not sent;
 * - a request is sent again when the policy says so, the request allows it (see below), and the answer was an overload.
 *   The last answer, a 503 too, comes as it is, with its body unread; those before it are read away, so that their
 *   connections are used again. When a retry is refused or denied at once, the caller gets the answer or error that
 *   there is. After a backoff that answer is gone, and a refusal is an {@link OverloadControlError} with its `status`;
 * - an attempt that takes longer than `timeoutSeconds` rejects with an {@link AttemptTimeoutError}, unless it is
 *   retried.
 *
 * Sent again are requests whose body is absent, text, a buffer, a form or a blob. Never a stream, nor a `Request` with
 * a body: give the body to `fetch` itself where retries are wanted. Of methods that are not idempotent see
 * `retryUnsafe`.
 *
 * An abort rejects with the signal's reason, at any time: before, while waiting, during an attempt. Redirects are the
 * wrapped `fetch`'s: the policy is that of the first origin, and sees the last answer.
 *
 * @param fetch any implementation.
 * @throws {RangeError} when an option breaks its rule, or is none.
 *
 * @example
 * ```ts
 * const guarded = overloadFetch(fetch, { policy: "sre", k: 1.5, timeoutSeconds: 2 });
 * const answer = await guarded("https://api.example.com/items");
 * ```
 */
export function overloadFetch<Input, Init extends object, Answer extends FetchAnswer>(
  fetch: Fetch<Input, Init, Answer>,
  options: OverloadControlOptions = {},
): Fetch<Input, Init, Answer> {
  const settings = resolveSettings(options);
  // A call that cannot even begin rejects, as it does with fetch.
  return async (input, init) => await new FetchCall(settings, fetch, input, init).run();
}
