/** A {@link PolicyCall} with its defaults, for drivers and tests. */

import type { Criticality, Fault, PolicyCall } from "./policy.ts";

export class CallRecord implements PolicyCall {
  attempt = 0;
  lastAttempt = 0;
  intendedSeconds = 0;
  criticality: Criticality = 1;
  backoffFrom = 0;
  status = 0;
  fault: Fault = "none";
  answerHeaders: readonly string[] | undefined = undefined;
  delaySeconds = 0;
  timeoutSeconds: number = Number.POSITIVE_INFINITY;
  hedgeSeconds: number = Number.POSITIVE_INFINITY;
  requestHeaders: readonly string[] | undefined = undefined;
  notes: object | undefined = undefined;

  /** What a driver does before `admit`. @param timeoutSeconds the driver's own bound on an attempt. */
  prepareAdmission(timeoutSeconds: number): void {
    this.delaySeconds = 0;
    this.timeoutSeconds = timeoutSeconds;
    this.hedgeSeconds = Number.POSITIVE_INFINITY;
    this.requestHeaders = undefined;
  }
}
