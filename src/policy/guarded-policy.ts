/** A policy that somebody else wrote, with each of its answers checked. */

import type { Admission, AttemptVerdict, LocalReject, NextStep, Policy, PolicyCall, PolicyFactory } from "./policy.ts";
import type { PolicyPreset } from "./preset.ts";

/** By its name an error is known also after it came from another thread. */
export const POLICY_FAULT = "PolicyFault";

/** A user's own policy broke the contract of policy.ts, or threw. The message is one line. */
export class PolicyFault extends Error {
  override readonly name = POLICY_FAULT;
}

/** More attempts of one call than any policy makes that ends its retries: without a bound they might never end. */
export const ATTEMPTS_MAX = 10_000;

const LOCAL_REJECTS: readonly string[] = [
  "throttled",
  "budget",
  "broken",
  "limited",
  "deadline",
] satisfies readonly LocalReject[];

/** What is answered for a policy that has failed: nothing is sent any more. */
const REFUSAL = "limited";

/**
 * Passes each question on and checks the answer, as far as a driver relies on it. From its first failure on it refuses
 * everything, and the policy is not asked again: whoever drives it may be in the middle of something that an exception
 * would break, so it is told through `failed` and not by a throw.
 */
export class GuardedPolicy implements Policy {
  private readonly policy: Policy;
  private readonly failed: (why: string) => void;
  private isBroken = false;

  /** @param failed is told once what is wrong, in one line. It may throw. */
  constructor(policy: Policy, failed: (why: string) => void) {
    this.policy = policy;
    this.failed = failed;
  }

  admit(call: PolicyCall): Admission {
    if (this.isBroken) return REFUSAL;
    let why: string | undefined;
    try {
      const answer: unknown = this.policy.admit(call);
      why = admissionFault(answer, call);
      if (why === undefined) return answer as Admission;
    } catch (error) {
      why = thrown("admit()", error);
    }
    this.fail(why);
    return REFUSAL;
  }

  settle(call: PolicyCall, verdict: AttemptVerdict): NextStep {
    if (this.isBroken) return "done";
    let why: string | undefined;
    try {
      const answer: unknown = this.policy.settle(call, verdict);
      why = stepFault(answer, call);
      if (why === undefined) return answer as NextStep;
    } catch (error) {
      why = thrown("settle()", error);
    }
    this.fail(why);
    return "done";
  }

  abandon(call: PolicyCall): void {
    if (this.isBroken) return;
    try {
      this.policy.abandon?.(call);
    } catch (error) {
      this.fail(thrown("abandon()", error));
    }
  }

  private fail(why: string): void {
    this.isBroken = true;
    this.failed(why);
  }
}

/**
 * The same preset with all the policies that it makes guarded. Its `create` throws a {@link PolicyFault} when it fails.
 *
 * @param failed see {@link GuardedPolicy}.
 */
export function guardedPreset(preset: PolicyPreset, failed: (why: string) => void): PolicyPreset {
  return {
    ...preset,
    create(options) {
      let factory: unknown;
      try {
        factory = preset.create(options);
      } catch (error) {
        throw new PolicyFault(thrown("create()", error));
      }
      hush(factory);
      if (typeof factory === "function") return guardedFactory(factory as PolicyFactory, failed);
      throw new PolicyFault(`create() must return a function that makes a policy: it returned ${shown(factory)}`);
    },
  };
}

function guardedFactory(factory: PolicyFactory, failed: (why: string) => void): PolicyFactory {
  return (clock, random, jitter) => {
    let why: string | undefined;
    try {
      const policy: unknown = factory(clock, random, jitter);
      hush(policy);
      why = policyFault(policy);
      if (why === undefined) return new GuardedPolicy(policy as Policy, failed);
    } catch (error) {
      why = thrown("the function that create() returned", error);
    }
    failed(why);
    return REFUSING;
  };
}

const REFUSING: Policy = { admit: () => REFUSAL, settle: () => "done" };

function policyFault(policy: unknown): string | undefined {
  const { admit, settle, abandon } = (policy ?? {}) as Partial<Policy>;
  if (typeof admit !== "function" || typeof settle !== "function") {
    return `the function that create() returned must make a policy with admit() and settle(): it made ${shown(policy)}`;
  }
  if (abandon === undefined || typeof abandon === "function") return undefined;
  return `abandon of the policy must be a function, or absent: it is ${shown(abandon)}`;
}

/** An answer that is a promise is refused; should it be rejected later, nobody is left to hear it. */
function hush(answer: unknown): void {
  if (answer instanceof Promise) answer.catch(() => {});
}

function admissionFault(answer: unknown, call: PolicyCall): string | undefined {
  hush(answer);
  const { attempt, delaySeconds, timeoutSeconds, hedgeSeconds, requestHeaders } = call;
  if (!(attempt < ATTEMPTS_MAX)) return `it has retried one call ${ATTEMPTS_MAX} times: its retries never end`;
  if (answer === "wait") {
    if (delaySeconds > 0 && delaySeconds < Number.POSITIVE_INFINITY) return undefined;
    return `admit() must set delaySeconds to a number above 0 when it returns wait: it is ${shown(delaySeconds)}`;
  }
  if (answer !== "send") {
    if (isLocalReject(answer)) return undefined;
    return `admit() must return one of send, wait, ${LOCAL_REJECTS.join(", ")}: it returned ${shown(answer)}`;
  }
  if (!(timeoutSeconds > 0)) {
    return `admit() must leave timeoutSeconds a number above 0: it is ${shown(timeoutSeconds)}`;
  }
  if (!(hedgeSeconds >= 0))
    return `admit() must leave hedgeSeconds a number of at least 0: it is ${shown(hedgeSeconds)}`;
  if (requestHeaders === undefined || areHeaders(requestHeaders)) return undefined;
  return `admit() must set requestHeaders to a list of name, value, name, value: it is ${shown(requestHeaders)}`;
}

function stepFault(answer: unknown, { delaySeconds }: PolicyCall): string | undefined {
  hush(answer);
  if (answer === "done") return undefined;
  if (answer === "retry") {
    if (delaySeconds >= 0 && delaySeconds < Number.POSITIVE_INFINITY) return undefined;
    return `settle() must leave delaySeconds a number of at least 0 when it returns retry: it is ${shown(delaySeconds)}`;
  }
  if (isLocalReject(answer)) return undefined;
  return `settle() must return one of done, retry, ${LOCAL_REJECTS.join(", ")}: it returned ${shown(answer)}`;
}

function isLocalReject(answer: unknown): boolean {
  return typeof answer === "string" && LOCAL_REJECTS.includes(answer);
}

function areHeaders(headers: unknown): boolean {
  return Array.isArray(headers) && headers.length % 2 === 0 && headers.every((text) => typeof text === "string");
}

const PLACE = /([\w.-]+\.[cm]?[jt]s):(\d+):(\d+)/u;
const TEXT_MAX = 200;

/** What was thrown, in one line, with the place in its file where that is told. @param what that threw. */
function thrown(what: string, error: unknown): string {
  if (!(error instanceof Error)) return `${what} threw ${shown(error)}`;
  const place = PLACE.exec(String(error.stack ?? "").slice(String(error.message).length))?.[0];
  return `${what} threw ${oneLine(String(error))}${place === undefined ? "" : ` (${place})`}`;
}

/** A value in a message: short, and in one line. */
export function shown(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  if (typeof value === "function") return "a function";
  if (typeof value === "string") return oneLine(JSON.stringify(value));
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/gu, " ").trim();
  return line.length <= TEXT_MAX ? line : `${line.slice(0, TEXT_MAX)}...`;
}
