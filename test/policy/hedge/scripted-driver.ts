/** Sends the copies of one call as a driver does, to a backend whose answers are written down. */

import { CallRecord } from "../../../src/policy/call-record.ts";
import type { ClientOutcome, Policy } from "../../../src/policy/policy.ts";
import { answer, type End } from "../budget/one-call.ts";

/** How the copies end, in the order in which they are sent; none: never. */
export type Script = readonly (readonly [afterSeconds: number, end: End] | "never")[];

export interface HedgedCall {
  readonly outcome: ClientOutcome;
  readonly doneSeconds: number;
  /** When each copy was sent, by attempt number. */
  readonly sent: readonly (readonly [attempt: number, atSeconds: number])[];
  /** Copies that were under way at the end, and were given up. */
  readonly abandoned: number;
}

interface Copy {
  readonly call: CallRecord;
  readonly endsSeconds: number;
  readonly end: End;
  /** `Infinity`, unless it is the latest copy and another one is to follow. */
  readonly hedgesSeconds: number;
}

/** @param horizonSeconds when the caller leaves. */
export function hedgedCall(policy: Policy, script: Script, horizonSeconds = 100): HedgedCall | "left" {
  const sent: [number, number][] = [];
  let underWay: Copy[] = [];
  let lastAttempt = -1;
  let now = 0;

  const send = (call: CallRecord): ClientOutcome | undefined => {
    lastAttempt += 1;
    call.attempt = lastAttempt;
    call.prepareAdmission(horizonSeconds);
    const admission = policy.admit(call);
    underWay = underWay.map((copy) => ({ ...copy, hedgesSeconds: Number.POSITIVE_INFINITY }));
    if (admission === "wait") throw new Error("hedging does not wait");
    if (admission !== "send") return underWay.length > 0 ? undefined : admission;
    const fate = script[sent.length] ?? "never";
    sent.push([lastAttempt, now]);
    const [after, end] = fate === "never" ? [Number.POSITIVE_INFINITY, "ok" as const] : fate;
    underWay.push({ call, end, endsSeconds: now + after, hedgesSeconds: now + call.hedgeSeconds });
    return undefined;
  };
  const settle = (copy: Copy): ClientOutcome | undefined => {
    underWay = underWay.filter((other) => other !== copy);
    const verdict = answer(copy.call, copy.end);
    copy.call.lastAttempt = lastAttempt;
    const next = policy.settle(copy.call, verdict);
    if (verdict !== "overloaded") return verdict === "accepted" ? "ok" : "failed";
    if (next === "retry") return send(copy.call);
    if (underWay.length > 0) return undefined;
    return next === "done" ? "failed" : next;
  };
  const leave = (): number => {
    for (const { call } of underWay) policy.abandon?.(call);
    return underWay.length;
  };

  let outcome = send(new CallRecord());
  while (outcome === undefined) {
    const next = Math.min(...underWay.flatMap((copy) => [copy.endsSeconds, copy.hedgesSeconds]));
    if (next > horizonSeconds) {
      leave();
      return "left";
    }
    now = next;
    const ended = underWay.find((copy) => copy.endsSeconds === now);
    outcome = ended === undefined ? send(new CallRecord()) : settle(ended);
  }
  return { outcome, doneSeconds: now, sent, abandoned: leave() };
}
