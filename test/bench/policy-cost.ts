/**
 * What a policy costs: nanoseconds for the two decision steps of an attempt, and bytes per client.
 *
 *   bun test/bench/policy-cost.ts
 *   deno run -A test/bench/policy-cost.ts
 *
 * Prints medians of five rounds, the variants in turn within each round. Run it on a quiet machine.
 */

import process from "node:process";
import { stream } from "../../src/plan/streams.ts";
import { CallRecord } from "../../src/policy/call-record.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import type { Policy } from "../../src/policy/policy.ts";
import { type UserStreams, userPolicies } from "../../src/policy/user-policies.ts";
import { median } from "../../src/stats/median.ts";

const ROUNDS = 5;
const ATTEMPTS = 2_000_000;

const STREAMS: UserStreams = {
  policy: (user) => stream(1, "policy", user),
  jitter: (user) => stream(1, "jitter", user),
};

interface Variant {
  readonly name: string;
  readonly policy: string;
  readonly options: Record<string, number>;
  readonly clients: number;
  readonly ratePerSecond: number;
}

const VARIANTS: readonly Variant[] = [
  { name: "sre, window 120 s, 1 client", policy: "sre", options: {}, clients: 1, ratePerSecond: 1000 },
  { name: "sre, window 10 s", policy: "sre", options: { window: 10 }, clients: 1, ratePerSecond: 1000 },
  { name: "sre, window 3600 s", policy: "sre", options: { window: 3600 }, clients: 1, ratePerSecond: 1000 },
  { name: "sre, 100,000/s", policy: "sre", options: {}, clients: 1, ratePerSecond: 100_000 },
  { name: "sre, 100 clients", policy: "sre", options: {}, clients: 100, ratePerSecond: 2000 },
  { name: "sre, 10,000 clients", policy: "sre", options: {}, clients: 10_000, ratePerSecond: 20_000 },
  {
    name: "sre-sent-only, window 10 s",
    policy: "sre-sent-only",
    options: { window: 10 },
    clients: 1,
    ratePerSecond: 1000,
  },
  { name: "retry", policy: "retry", options: {}, clients: 1, ratePerSecond: 1000 },
];

function nanosecondsPerAttempt(variant: Variant): number {
  let nowSeconds = 0;
  const clock = { now: () => nowSeconds };
  const make = userPolicies(resolvePolicy(variant.policy, variant.options), STREAMS);
  const clients = Array.from({ length: variant.clients }, (_, user) => make(user, clock));
  const call = new CallRecord();
  const step = 1 / variant.ratePerSecond;
  const start = performance.now();
  for (let i = 0; i < ATTEMPTS; i += 1) {
    nowSeconds += step;
    const client = clients[i % clients.length] as Policy;
    // Two of three attempts that are sent are accepted: the throttle is at work, but not shut.
    if (client.admit(call) === "send") client.settle(call, i % 3 === 0 ? "overloaded" : "accepted");
  }
  return ((performance.now() - start) * 1e6) / ATTEMPTS;
}

function bytesPerUser(window: number, secondsOfTraffic: number): number {
  const users = 100_000;
  let nowSeconds = 0;
  const clock = { now: () => nowSeconds };
  const make = userPolicies(resolvePolicy("sre", { window }), STREAMS);
  const collect = (globalThis as { gc?: () => void; Bun?: { gc(force: boolean): void } }).Bun?.gc ?? globalThis.gc;
  collect?.(true as never);
  const before = process.memoryUsage.rss();
  const clients = Array.from({ length: users }, (_, user) => make(user, clock));
  const call = new CallRecord();
  for (let second = 0; second < secondsOfTraffic; second += 1) {
    nowSeconds = second;
    for (const client of clients) if (client.admit(call) === "send") client.settle(call, "accepted");
  }
  collect?.(true as never);
  const grown = process.memoryUsage.rss() - before;
  return clients.length === users ? grown / users : 0;
}

const measured = new Map<string, number[]>();
for (let round = 0; round < ROUNDS; round += 1) {
  for (const variant of VARIANTS) {
    const values = measured.get(variant.name) ?? [];
    values.push(nanosecondsPerAttempt(variant));
    measured.set(variant.name, values);
  }
}
console.log("admit + settle, ns per attempt (median of 5, least to most)");
for (const [name, values] of measured) {
  const least = Math.min(...values).toFixed(0);
  console.log(
    `  ${name.padEnd(32)} ${median(values).toFixed(0).padStart(5)}  (${least} to ${Math.max(...values).toFixed(0)})`,
  );
}
console.log("resident bytes per user (100,000 users, their random streams included)");
console.log(`  window 120 s, after 10 s of one call a second:  ${bytesPerUser(120, 10).toFixed(0)}`);
console.log(`  window 120 s, after 130 s of one call a second: ${bytesPerUser(120, 130).toFixed(0)}`);
