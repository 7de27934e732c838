/** Overload control as an interceptor of undici. */

import { InterceptedCall } from "./intercepted-call.ts";
import { type OverloadControlOptions, resolveSettings } from "./settings.ts";
import type { Dispatch, Interceptor } from "./undici-types.ts";

/**
 * An interceptor with one policy for each origin, for `dispatcher.compose()` of undici 7 and 8. What goes through the
 * dispatcher (`request`, `stream`, `fetch`, ...) behaves as before, with these differences:
 *
 * - a call that the policy refuses ends with an {@link OverloadControlError}, and is not sent;
 * - a request is sent again when the policy says so, the request allows it (see below), and the answer was an overload.
 *   The last answer, a 503 too, comes as it is, with its body as it arrives; those before it are read away, so that
 *   their connections are used again. When a retry is refused or denied at once, the caller gets the answer or error
 *   that there is. After a backoff that answer is gone, and a refusal is an {@link OverloadControlError} with its
 *   `status`;
 * - an attempt that takes longer than `timeoutSeconds`, time in undici's queue included, ends with an
 *   {@link AttemptTimeoutError}, unless it is retried;
 * - an abort takes effect at once, also while the call waits.
 *
 * Sent again are requests whose body is absent, text, a buffer, a form or a blob, never a stream or an iterable. Of
 * methods that are not idempotent see `retryUnsafe`; undici's own `idempotent: true` says that one is. undici's `fetch`
 * makes a stream of every body before it comes here: wrap it with {@link overloadFetch} where requests with a body are
 * to be sent again.
 *
 * Give it to `compose` last, so that redirects, decompression and the like are within an attempt, and never together
 * with undici's `retry`, which hides attempts from the policy. One interceptor may serve several dispatchers. The calls
 * of a `Client` or `Pool`, which name no origin, are kept apart by dispatcher.
 *
 * @throws {RangeError} when an option breaks its rule, or is none.
 *
 * @example
 * ```ts
 * const agent = new Agent().compose(overloadControl({ policy: "sre", k: 1.5 }));
 * const { statusCode, body } = await request("https://api.example.com/items", { dispatcher: agent });
 * ```
 */
export function overloadControl(options: OverloadControlOptions = {}): Interceptor {
  const settings = resolveSettings(options);
  let dispatchers = 0;
  const intercept = (dispatch: Dispatch): Dispatch => {
    dispatchers += 1;
    const unnamed = `dispatcher ${dispatchers}`;
    return (request, handler) => {
      const { origin } = request;
      const name = typeof origin === "object" ? origin.origin : origin;
      return new InterceptedCall(settings, dispatch, request, handler, name ?? unnamed).run();
    };
  };
  return intercept as unknown as Interceptor;
}
