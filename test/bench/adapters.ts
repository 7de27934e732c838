/**
 * The client to take home against the harness's own: the interceptor and the fetch wrapper in front of the overloadable
 * target, and the harness itself, in turn, on the same plan with one client for each user. Is the goodput the same?
 *
 *   bun test/bench/adapters.ts [--rounds 5] [--rps 400] [--seconds 20] [--warmup 5] [--users 20] [--k 2] [--window 10]
 *   deno run -A test/bench/adapters.ts
 *   node dist/bench/test/bench/adapters.js   (after: npx tsc -p test/bench)
 *
 * Each gets a target process of its own, which does 200 requests a second when it accepts all and has a processor. The
 * warm-up is left out of the figures. Run it on a quiet machine: the target burns its processor.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Agent, type Dispatcher, request } from "undici/index.js";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { OverloadControlError, type OverloadControlOptions, overloadControl, overloadFetch } from "../../src/index.ts";
import { createPlan, type PlanSpec } from "../../src/plan/plan.ts";
import { resolvePolicy } from "../../src/policy/catalogue.ts";
import { median } from "../../src/stats/median.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { commandFor } from "../../src/world/runtime.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";
import { readArguments } from "./arguments.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { printTable } from "./print-table.ts";
import { startServer } from "./server-process.ts";

const { rounds, rps, seconds, warmup, users, k, window } = readArguments({
  rounds: 5,
  rps: 400,
  seconds: 20,
  warmup: 5,
  users: 20,
  k: 2,
  window: 10,
});

const EXTENSION = import.meta.url.endsWith(".ts") ? "ts" : "js";
const TARGET = fileURLToPath(new URL(`../../targets/overloadable.${EXTENSION}`, import.meta.url));
const TARGET_SPEC = "shed:acceptMs=5,rejectMs=1.5,queue=50";
const TIMEOUT_SECONDS = 1;
const PLAN: PlanSpec = {
  seed: 1,
  arrival: { law: "poisson", rate: { kind: "constant", rps } },
  warmupSeconds: warmup,
  durationSeconds: seconds,
  users,
};
const plan = createPlan(PLAN);

/** Calls of the measured window, by how they ended. */
interface Counts {
  readonly calls: number;
  readonly ok: number;
  readonly notSent: number;
  readonly other: number;
}

/** One user's way to make a call: the status of its answer, whose body has been read. */
type UserClient = () => Promise<number>;

/** Makes all calls of the plan on timers, whatever becomes of them. */
async function openLoop(clientOf: (user: number) => UserClient): Promise<Counts> {
  const clients = Array.from({ length: users }, (_, user) => clientOf(user));
  const counts = { calls: 0, ok: 0, notSent: 0, other: 0 };
  const underWay: Promise<void>[] = [];
  const one = async (call: UserClient, isMeasured: boolean): Promise<void> => {
    let end: "ok" | "notSent" | "other" = "other";
    try {
      const status = await call();
      if (status >= 200 && status < 400) end = "ok";
    } catch (error) {
      if (error instanceof OverloadControlError) end = "notSent";
    }
    if (!isMeasured) return;
    counts.calls += 1;
    counts[end] += 1;
  };
  const arrivals = plan.arrivals();
  const start = performance.now();
  while (arrivals.next()) {
    const aheadMs = arrivals.timeSeconds * 1000 - (performance.now() - start);
    if (aheadMs > 0) await sleep(Math.ceil(aheadMs));
    underWay.push(one(clients[arrivals.user] as UserClient, arrivals.timeSeconds >= warmup));
  }
  await Promise.all(underWay);
  return counts;
}

const options = (): OverloadControlOptions => ({ policy: "sre", k, window, timeoutSeconds: TIMEOUT_SECONDS });

async function interceptor(url: string): Promise<Counts> {
  const agent = new Agent();
  const counts = await openLoop(() => {
    const dispatcher: Dispatcher = agent.compose(overloadControl(options()));
    return async () => {
      const { statusCode, body } = await request(url, { dispatcher });
      await body.dump();
      return statusCode;
    };
  });
  await agent.destroy();
  return counts;
}

async function fetchWrapper(url: string): Promise<Counts> {
  return await openLoop(() => {
    const guarded = overloadFetch(fetch, options());
    return async () => {
      const answer = await guarded(url);
      await answer.text();
      return answer.status;
    };
  });
}

async function harness(url: string): Promise<Counts> {
  const spec: TrialSpec = trialSpec({
    plan: PLAN,
    policy: { name: "sre", options: resolvePolicy("sre", { k, window }).options },
    timeoutSeconds: TIMEOUT_SECONDS,
    world: {
      kind: "real",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      connections: PLAIN_CONNECTIONS,
      sentinelUrl: undefined,
    },
  });
  const { calls } = await executeTrial(spec, UNWATCHED);
  const notSent = calls.throttled + calls.budget;
  return { calls: calls.planned, ok: calls.ok, notSent, other: calls.planned - calls.ok - notSent };
}

const HARNESS = "harness";
const variants: readonly (readonly [string, (url: string) => Promise<Counts>])[] = [
  [HARNESS, harness],
  ["interceptor", interceptor],
  ["fetch wrapper", fetchWrapper],
];

async function measure(run: (url: string) => Promise<Counts>): Promise<Counts> {
  const { command, args } = commandFor(TARGET);
  const target = await startServer([command, ...args, "--port", "0", "--exit-with-parent", TARGET_SPEC]);
  try {
    return await run(`http://127.0.0.1:${target.port}/`);
  } finally {
    await target.stop();
  }
}

console.log(describeMachine());
const measured = new Map<string, Counts[]>(variants.map(([name]) => [name, []]));
const steals: string[] = [];
for (let round = 0; round < rounds; round += 1) {
  const steal = watchSteal();
  for (const [name, run] of variants) measured.get(name)?.push(await measure(run));
  steals.push(steal());
}

/** Median over the rounds; of each round, what `of` makes of its counts. */
const figure = (name: string, of: (counts: Counts, round: number) => number): number =>
  median((measured.get(name) ?? []).map(of));
const base = (round: number): number => measured.get(HARNESS)?.[round]?.ok ?? Number.NaN;
console.log(`\n${rps}/s Poisson, ${users} users, sre k=${k} window=${window}, ${TARGET_SPEC}, plan ${plan.hash}`);
printTable([
  ["client", "calls", "goodput/s", "to harness", "ok", "other answer", "budget or throttled"],
  ...variants.map(([name]) => [
    name,
    figure(name, ({ calls }) => calls).toFixed(0),
    figure(name, ({ ok }) => ok / seconds).toFixed(1),
    figure(name, ({ ok }, round) => ok / base(round)).toFixed(3),
    ...(["ok", "other", "notSent"] as const).map(
      (end) => `${(100 * figure(name, (counts) => counts[end] / counts.calls)).toFixed(1)} %`,
    ),
  ]),
]);
console.log("  The adapters hand over the 503 of a call whose retry is denied at once: it is an 'other answer' there.");
console.log(`  steal in each round: ${steals.join(", ")}`);
