import type { PolicyDescription } from "../result/policy-schema.ts";

/** A policy in short, as in a sentence or the head of a column: `sre (K=2)`, `none`. */
export function policyName(policy: PolicyDescription): string {
  const k = policy.options.k;
  return k === undefined ? policy.name : `${policy.name} (K=${k})`;
}

/** A policy with all its options, in the syntax of `--policy`: `sre,k=2,window=120`. */
export function policySpec(policy: PolicyDescription): string {
  return [policy.name, ...Object.entries(policy.options).map(([name, value]) => `${name}=${value}`)].join(",");
}
