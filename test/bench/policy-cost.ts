/**
 * What each policy costs: nanoseconds for the decision steps of an attempt, and bytes per client.
 *
 *   bun test/bench/policy-cost.ts [name ...]
 *   deno run -A --v8-flags=--expose-gc test/bench/policy-cost.ts [name ...]
 *
 * One attempt in ten is overloaded, and every fifth of these stretches is an overload in which two of three are; the clock
 * advances a millisecond an attempt. Each preset runs in a process of its own, so that no other one's calls shape its
 * code; medians of five rounds, the least and the most beside them. The first row is the loop itself. Run it on a quiet machine.
 */

import { spawnSync } from "node:child_process";
import process from "node:process";
import { stream } from "../../src/plan/streams.ts";
import { CallRecord } from "../../src/policy/call-record.ts";
import { policyPresets, resolvePolicy } from "../../src/policy/catalogue.ts";
import type { AttemptVerdict, Policy } from "../../src/policy/policy.ts";
import { type UserStreams, userPolicies } from "../../src/policy/user-policies.ts";
import { median } from "../../src/stats/median.ts";
import { printTable } from "./print-table.ts";

const ROUNDS = 5;
const ATTEMPTS = 1_000_000;
const CLIENTS = [1, 100, 10_000];
const USERS = 20_000;
const CALLS_PER_USER = 200;

const STREAMS: UserStreams = {
  policy: (user) => stream(1, "policy", user),
  jitter: (user) => stream(1, "jitter", user),
};

const NOTHING: Policy = { admit: () => "send", settle: () => "done" };

class Drive {
  nowSeconds = 0;
  readonly clock = { now: (): number => this.nowSeconds };
  readonly #call = new CallRecord();

  /** One attempt, and what a driver does around it. Waits and delays are not waited for: the clock goes on by itself. */
  attempt(policy: Policy, index: number): void {
    const call = this.#call;
    const fails = index % 5000 < 1000 ? index % 3 !== 0 : index % 10 === 0;
    const verdict: AttemptVerdict = fails ? "overloaded" : "accepted";
    call.prepareAdmission(1);
    const admission = policy.admit(call);
    if (admission === "wait") {
      policy.abandon?.(call);
      call.attempt = 0;
      return;
    }
    if (admission !== "send") {
      call.attempt = 0;
      return;
    }
    call.status = fails ? 503 : 200;
    call.delaySeconds = 0;
    call.lastAttempt = call.attempt;
    call.attempt = policy.settle(call, verdict) === "retry" ? call.attempt + 1 : 0;
  }
}

function clientsOf(name: string, clients: number, drive: Drive): Policy[] {
  if (name === LOOP) return Array.from({ length: clients }, () => NOTHING);
  const make = userPolicies(resolvePolicy(name), STREAMS);
  return Array.from({ length: clients }, (_, user) => make(user, drive.clock));
}

/** A call's attempts stay with one client: a block of 16 attempts each. */
function nanosecondsPerAttempt(name: string, clientCount: number): number {
  const drive = new Drive();
  const clients = clientsOf(name, clientCount, drive);
  const start = performance.now();
  for (let index = 0; index < ATTEMPTS; index += 1) {
    drive.nowSeconds += 0.001;
    drive.attempt(clients[(index >> 4) % clientCount] as Policy, index);
  }
  return ((performance.now() - start) * 1e6) / ATTEMPTS;
}

function bytesPerUser(name: string): number {
  const drive = new Drive();
  collectGarbage();
  const before = process.memoryUsage().heapUsed + process.memoryUsage().external;
  const clients = clientsOf(name, USERS, drive);
  for (let round = 0; round < CALLS_PER_USER; round += 1) {
    drive.nowSeconds += 0.5;
    for (const [user, client] of clients.entries()) drive.attempt(client, round * 17 + user);
  }
  collectGarbage();
  const grown = process.memoryUsage().heapUsed + process.memoryUsage().external - before;
  return clients.length === USERS ? grown / USERS : 0;
}

function collectGarbage(): void {
  const { Bun, gc } = globalThis as { Bun?: { gc(force: boolean): void }; gc?: () => void };
  Bun?.gc(true);
  gc?.();
}

interface Cost {
  readonly nanoseconds: readonly (readonly number[])[];
  readonly bytes: number;
}

function measure(name: string): Cost {
  nanosecondsPerAttempt(name, 1);
  const nanoseconds = CLIENTS.map((clients) =>
    Array.from({ length: ROUNDS }, () => nanosecondsPerAttempt(name, clients)),
  );
  return { nanoseconds, bytes: bytesPerUser(name) };
}

const LOOP = "(the loop)";
const CHILD = "--measure";

function inProcessOfItsOwn(name: string): Cost {
  const script = process.argv[1] as string;
  const before = "Deno" in globalThis ? ["run", "-A", "--v8-flags=--expose-gc"] : process.execArgv;
  const { stdout, stderr } = spawnSync(process.execPath, [...before, script, CHILD, name], { encoding: "utf8" });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout) as Cost;
}

function cells({ nanoseconds, bytes }: Cost): string[] {
  const ranges = nanoseconds.map((rounds) => {
    const [least, most] = [Math.min(...rounds), Math.max(...rounds)];
    return `${median(rounds).toFixed(0)} (${least.toFixed(0)}-${most.toFixed(0)})`;
  });
  return [...ranges, bytes.toFixed(0)];
}

const [mode, ...rest] = process.argv.slice(2);
if (mode === CHILD) {
  console.log(JSON.stringify(measure(rest[0] as string)));
} else {
  const named = process.argv.slice(2);
  const names = named.length > 0 ? named : [LOOP, ...policyPresets.map((preset) => preset.name)];
  const rows = names.map((name) => [name, ...cells(inProcessOfItsOwn(name))]);
  printTable([["ns per attempt", ...CLIENTS.map((count) => `${count} clients`), "bytes per user"], ...rows]);
}
