/** One policy for each key, a bounded number of them. */

import type { Policy } from "../policy/policy.ts";
import { type Hooks, KeyObserver } from "./events.ts";

/** The policy of the calls with one key. Calls under way keep theirs when it is forgotten. */
export interface KeyedPolicy {
  readonly key: string;
  readonly policy: Policy;
  /** Undefined when nobody listens. */
  readonly observer: KeyObserver | undefined;
}

/** Makes policies at their first use and forgets the least recently used: a forgotten key starts anew. */
export class KeyedPolicies {
  private readonly make: (index: number) => Policy;
  private readonly hooks: Hooks | undefined;
  private readonly maxKeys: number;
  /** In the order of their last use. */
  private readonly byKey: Map<string, KeyedPolicy> = new Map();
  private last: KeyedPolicy | undefined;
  private made = 0;

  /** @param make the policy of the n-th key, from 0. */
  constructor(make: (index: number) => Policy, hooks: Hooks | undefined, maxKeys: number) {
    this.make = make;
    this.hooks = hooks;
    this.maxKeys = maxKeys;
  }

  get size(): number {
    return this.byKey.size;
  }

  of(key: string): KeyedPolicy {
    // Most clients have one backend.
    if (this.last?.key === key) return this.last;
    const found = this.byKey.get(key) ?? this.create(key);
    this.byKey.delete(key);
    this.byKey.set(key, found);
    this.last = found;
    return found;
  }

  private create(key: string): KeyedPolicy {
    const policy = this.make(this.made);
    this.made += 1;
    if (this.byKey.size >= this.maxKeys) this.forgetOldest();
    return { key, policy, observer: this.hooks === undefined ? undefined : new KeyObserver(this.hooks, key) };
  }

  private forgetOldest(): void {
    for (const oldest of this.byKey.keys()) {
      this.byKey.delete(oldest);
      return;
    }
  }
}
