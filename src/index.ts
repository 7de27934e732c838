/** The public library: overload control that can be measured here and deployed anywhere. */

export { AdaptiveThrottle, type AdaptiveThrottleOptions } from "./policy/adaptive-throttle.ts";
export {
  OverloadClient,
  type OverloadClientOptions,
  type OverloadOutcome,
  type SendResult,
} from "./policy/overload-client.ts";
export type {
  Admission,
  AttemptVerdict,
  ClientOutcome,
  Clock,
  LocalReject,
  NextStep,
  Policy,
  PolicyCall,
  PolicyFactory,
  Random,
} from "./policy/policy.ts";
