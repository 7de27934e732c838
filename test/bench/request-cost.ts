/**
 * What a request costs the generator: CPU time of this process per request, in turn against the same server in a process
 * of its own, of
 *
 * - a bare undici `dispatch` loop, closed: each of 64 connections sends its next request when it has its answer;
 * - a bare undici `dispatch` loop, open: the same arrivals as the harness, on timers, and nothing else;
 * - the whole harness: plan, pacer, policy, recorder.
 *
 * The closed loop never sleeps, so it pays for no wake-up; what the harness adds is its distance from the open one.
 *
 *   bun test/bench/request-cost.ts
 *   deno run -A test/bench/request-cost.ts
 *   node dist-bench/test/bench/request-cost.js   (after: tsc -p tsconfig.build.json --outDir dist-bench with test/bench)
 *
 * Run it on a quiet machine; the server is bound to the last processor when `taskset` is there.
 */

import { spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import type { Dispatcher } from "undici/index.js";
import { Client } from "undici/index.js";
import { createPlan } from "../../src/plan/plan.ts";
import { median } from "../../src/stats/median.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const ROUNDS = 7;
const CONNECTIONS = 64;
const BARE_REQUESTS = 40_000;
const PLAN = {
  seed: 1,
  arrival: { law: "poisson", rate: { kind: "constant", rps: 10_000 } },
  warmupSeconds: 0,
  durationSeconds: 4,
  users: 100,
} as const;

/** CPU seconds of this process, all threads. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** A closed loop that does nothing but send the next request when the answer is there. */
class BareLoop implements Dispatcher.DispatchHandler {
  readonly #client: Client;
  readonly #request: Dispatcher.DispatchOptions = { path: "/", method: "GET", headers: [], body: null };
  readonly #ended: () => void;
  #left: number;

  constructor(origin: string, requests: number, ended: () => void) {
    this.#client = new Client(origin, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
    this.#left = requests;
    this.#ended = ended;
  }

  next(): void {
    this.#left -= 1;
    if (this.#left >= 0) this.#client.dispatch(this.#request, this);
    else void this.#client.close().then(this.#ended);
  }

  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {
    this.next();
  }
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    throw error;
  }
}

async function bareMicros(origin: string): Promise<number> {
  const before = cpuSeconds();
  const each = BARE_REQUESTS / CONNECTIONS;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, () => new Promise<void>((ended) => new BareLoop(origin, each, ended).next())),
  );
  return ((cpuSeconds() - before) / BARE_REQUESTS) * 1e6;
}

/** One connection of the bare open loop: back into the free list after each answer. */
class BareLane implements Dispatcher.DispatchHandler {
  readonly client: Client;
  readonly #free: BareLane[];
  readonly #ended: () => void;

  constructor(origin: string, free: BareLane[], ended: () => void) {
    this.client = new Client(origin, { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
    this.#free = free;
    this.#ended = ended;
  }

  onRequestStart(): void {}
  onResponseStart(): void {}
  onResponseData(): void {}
  onResponseEnd(): void {
    this.#free.push(this);
    this.#ended();
  }
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    throw error;
  }
}

async function bareOpenMicros(origin: string): Promise<number> {
  const before = cpuSeconds();
  const arrivals = createPlan(PLAN).arrivals();
  const request: Dispatcher.DispatchOptions = { path: "/", method: "GET", headers: [], body: null };
  const free: BareLane[] = [];
  const lanes: BareLane[] = [];
  let sent = 0;
  let answered = 0;
  let more = arrivals.next();
  await new Promise<void>((resolve) => {
    const ended = (): void => {
      answered += 1;
      if (!more && answered === sent) resolve();
    };
    const start = performance.now();
    const tick = (): void => {
      const now = (performance.now() - start) / 1000;
      while (more && arrivals.timeSeconds <= now) {
        let lane = free.pop();
        if (lane === undefined) {
          lane = new BareLane(origin, free, ended);
          lanes.push(lane);
        }
        sent += 1;
        lane.client.dispatch(request, lane);
        more = arrivals.next();
      }
      if (more) setTimeout(tick, Math.max(0, Math.ceil((arrivals.timeSeconds - now) * 1000)));
    };
    tick();
  });
  const micros = ((cpuSeconds() - before) / sent) * 1e6;
  await Promise.all(lanes.map((lane) => lane.client.close()));
  return micros;
}

async function harnessMicros(origin: string, policy: string): Promise<number> {
  const trial = await executeTrial(
    trialSpec({
      plan: PLAN,
      policy: { name: policy, options: {} },
      world: {
        kind: "real",
        url: `${origin}/`,
        method: "GET",
        headers: [],
        body: undefined,
        // Sleeping, not spinning: a spinning pacer uses up its processor whatever a request costs.
        connections: PLAIN_CONNECTIONS,
        pacing: "timer",
      },
    }),
    UNWATCHED,
  );
  // A cold `sre` client may throttle a few calls of a healthy backend: answers that are still on their way count against it.
  const { planned, ok, throttled } = trial.calls;
  if (ok + throttled !== planned) throw new Error(`not all ok: ${JSON.stringify([trial.calls, trial.errors])}`);
  return ((trial.generator?.cpuSeconds ?? 0) / trial.attempts.sent) * 1e6;
}

const script = fileURLToPath(new URL("./null-server.mjs", import.meta.url));
const pin = spawnSync("taskset", ["--version"]).status === 0 ? ["taskset", "-c", "1"] : [];
const [command = "node", ...args] = [...pin, "node", script];
const server = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
const port = await new Promise<string>((resolve) => {
  server.stdout.once("data", (data: Buffer) => resolve(data.toString().trim()));
});
const origin = `http://127.0.0.1:${port}`;
const bare: number[] = [];
const bareOpen: number[] = [];
const none: number[] = [];
const sre: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(await bareMicros(origin));
  bareOpen.push(await bareOpenMicros(origin));
  none.push(await harnessMicros(origin, "none"));
  sre.push(await harnessMicros(origin, "sre"));
}
server.stdin.end();
// The first round compiles the code.
const figure = (values: readonly number[]): number => median(values.slice(1));
const row = (name: string, values: readonly number[]): string => {
  const micros = figure(values).toFixed(1).padStart(6);
  const ratios = [bare, bareOpen].map((base) => `${(figure(values) / figure(base)).toFixed(2)}x`.padStart(7)).join("");
  return `  ${name.padEnd(30)} ${micros} us${ratios}`;
};
console.log(`CPU per request, median of ${ROUNDS - 1} rounds; ratios to the closed and to the open bare loop`);
console.log(row("bare undici dispatch, closed", bare));
console.log(row("bare undici dispatch, open", bareOpen));
console.log(row("harness, policy none", none));
console.log(row("harness, policy sre", sre));
