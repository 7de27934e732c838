/** What counts as an accept: each implementation draws that line elsewhere. */

import type { AttemptVerdict, PolicyCall } from "../policy.ts";

/** Whether the attempt that ended counts as accepted by the backend. */
export type AcceptRule = (call: PolicyCall, verdict: AttemptVerdict) => boolean;

/** What the driver calls accepted. */
export function acceptedByVerdict(_call: PolicyCall, verdict: AttemptVerdict): boolean {
  return verdict === "accepted";
}

/**
 * Any answer below 500, so a 429 is a success; no answer is a failure.
 *
 * Sources: Envoy's default HTTP criteria (api/envoy/extensions/filters/http/admission_control/v3/admission_control.proto;
 * resets and time-outs pass the filter as the router's own 503 and 504); zeromicro/go-zero rest/httpc/service.go, `acceptable`.
 */
export function answeredBelow500(call: PolicyCall): boolean {
  return call.fault === "none" && call.status < 500;
}

/**
 * Any answer but 500, 503 and 504, so a 429 and a 502 are successes; no answer is a failure, since kratos gives an unknown
 * error the code 500.
 *
 * Source: go-kratos/kratos middleware/circuitbreaker/circuitbreaker.go.
 */
export function answeredWithoutKratosFailure(call: PolicyCall): boolean {
  const { status } = call;
  return call.fault === "none" && status !== 500 && status !== 503 && status !== 504;
}

/**
 * All but a refusal that the backend itself gave: here an answer that the driver calls overloaded. A time-out, a connection
 * refused or a failed answer is no NACK.
 *
 * Source: twitter/finagle finagle-core/.../filter/NackAdmissionFilter.scala, failures flagged `Rejected`.
 */
export function notNacked(call: PolicyCall, verdict: AttemptVerdict): boolean {
  return verdict !== "overloaded" || call.fault !== "none";
}
