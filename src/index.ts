/** The public library: overload control that can be measured here and deployed anywhere. It loads no dependency. */

export type {
  ControlledOutcome,
  CounterMeter,
  OverloadControlEvent,
} from "./adapters/events.ts";
export type { Fetch, FetchAnswer } from "./adapters/fetch-types.ts";
export { overloadControl } from "./adapters/overload-control.ts";
export { AttemptTimeoutError, OverloadControlError } from "./adapters/overload-control-error.ts";
export { overloadFetch } from "./adapters/overload-fetch.ts";
export type { OverloadSign } from "./adapters/overload-signs.ts";
export type { ResendObstacle } from "./adapters/resend.ts";
export type { OutgoingRequest, OverloadControlOptions } from "./adapters/settings.ts";
export type { Dispatch, Interceptor } from "./adapters/undici-types.ts";
export { type Decision, decide, type WindowEvidence } from "./governor/decide.ts";
export type {
  ClimbMode,
  GovernedWindow,
  GovernorEvent,
  GovernorLevel,
  GovernorLine,
} from "./governor/governor-line.ts";
export type {
  GovernedQuantity,
  ResolvedGovernorOptions,
  ThrottleGovernorOptions,
} from "./governor/governor-options.ts";
export { MEMORY_CLEAR_STREAK, type MemoryStep, memoryClearStep } from "./governor/memory-clear-step.ts";
export { type AttemptCounts, type GovernedControl, ThrottleGovernor } from "./governor/throttle-governor.ts";
export { AdaptiveThrottle, type AdaptiveThrottleOptions } from "./policy/adaptive-throttle.ts";
export { CallRecord } from "./policy/call-record.ts";
export { policyPresets, type ResolvedPolicy, resolvePolicy, resolvePreset } from "./policy/catalogue.ts";
export type { PolicyTraits } from "./policy/lint/policy-traits.ts";
export type { NumberSpec, OptionUnit, OptionValue } from "./policy/option.ts";
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
  Criticality,
  Fault,
  LocalReject,
  NextStep,
  Policy,
  PolicyCall,
  PolicyFactory,
  Random,
} from "./policy/policy.ts";
export type { UserPolicy } from "./policy/policy-module.ts";
export type { PolicyFamily, PolicyOptions, PolicyPreset, PresetOptions } from "./policy/preset.ts";
export { type UserStreams, userPolicies } from "./policy/user-policies.ts";
