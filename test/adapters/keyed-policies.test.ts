import { describe, expect, test } from "vitest";
import { KeyedPolicies } from "../../src/adapters/keyed-policies.ts";
import { FixedRetry } from "../../src/policy/fixed-retry.ts";

function counting(maxKeys: number) {
  const made: number[] = [];
  const policies = new KeyedPolicies(
    (index) => {
      made.push(index);
      return new FixedRetry();
    },
    undefined,
    maxKeys,
  );
  return { policies, made };
}

describe("KeyedPolicies", () => {
  test("makes a policy at the first use of its key, and keeps it", () => {
    const { policies, made } = counting(10);
    const a = policies.of("a");
    const b = policies.of("b");
    expect(policies.of("a")).toBe(a);
    expect(policies.of("b")).toBe(b);
    expect(a.policy).not.toBe(b.policy);
    expect(made).toEqual([0, 1]);
  });

  test("forgets the least recently used, and starts it anew", () => {
    const { policies, made } = counting(2);
    const a = policies.of("a");
    const b = policies.of("b");
    policies.of("a");
    policies.of("c");
    expect(policies.of("a")).toBe(a);
    expect(policies.of("b")).not.toBe(b);
    expect(made).toEqual([0, 1, 2, 3]);
  });

  test("never holds more than it may, whatever the number of keys", () => {
    const { policies } = counting(100);
    for (let i = 0; i < 10_000; i++) policies.of(`key ${(i * 7919) % 997}`);
    expect(policies.size).toBe(100);
    const single = counting(1).policies;
    for (let i = 0; i < 100; i++) single.of(`key ${i % 3}`);
    expect(single.size).toBe(1);
  });
});
