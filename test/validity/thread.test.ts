/** Each check of the generator's own thread, made to fire by doing to it what the check is there for. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { httpServer, type TestServer } from "../support/servers.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";

let server: TestServer | undefined;
let disturbance: NodeJS.Timeout | undefined;
const spinners: ChildProcess[] = [];

afterEach(async () => {
  clearInterval(disturbance);
  if (ALLOWED !== undefined) pin(ALLOWED);
  for (const { pid } of spinners.splice(0)) if (pid !== undefined) process.kill(pid, "SIGKILL");
  vi.restoreAllMocks();
  await server?.close();
});

/** Three seconds of real load from this thread, and what is done to it from the beginning of the measured window on. */
async function trialWith(disturb: () => void, change: Partial<TrialSpec["plan"]> = {}): Promise<TrialResult> {
  server = await httpServer((_request, response) => response.end());
  const plan: TrialSpec["plan"] = {
    seed: 5,
    arrival: { law: "poisson", rate: { kind: "constant", rps: 300 } },
    warmupSeconds: 0,
    durationSeconds: 3,
    users: 10,
    ...change,
  };
  const world: TrialSpec["world"] = {
    kind: "real",
    url: server.url,
    method: "GET",
    headers: [],
    body: undefined,
    pacing: "precise",
    sentinelUrl: undefined,
    connections: PLAIN_CONNECTIONS,
  };
  const spec = trialSpec({ plan, policy: { name: "none", options: {} }, drainSeconds: 1, world });
  return await executeTrial(spec, { ...UNWATCHED, measuring: disturb });
}

function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

/** Blocks the thread for part of each period. */
function blockAgainAndAgain(milliseconds: number, periodMs: number): void {
  disturbance = setInterval(() => block(milliseconds), periodMs);
}

/** The processors on which this thread may run, as taskset(1) lists them; undefined where there is no taskset. */
const ALLOWED = /: *(\S+)\s*$/.exec(
  spawnSync("taskset", ["-pc", String(process.pid)], { encoding: "utf8" }).stdout ?? "",
)?.[1];

function firstOf(list: string): string {
  return /^\d+/.exec(list)?.[0] as string;
}

/** One processor is fought for, and others' tests have the rest. */
function pin(processors: string): void {
  spawnSync("taskset", ["-pc", processors, String(process.pid)]);
}

function codesOf(trial: TrialResult): string[] {
  return trial.validity.reasons.map(({ code }) => code);
}

describe("a trial", () => {
  it("is invalid when its thread was held up: stall and lateness say so", async () => {
    const trial = await trialWith(() => setTimeout(() => block(700), 500));
    expect(trial.validity.verdict).toBe("invalid");
    expect(codesOf(trial)).toEqual(expect.arrayContaining(["lateness", "stall"]));
    expect(trial.generator?.stallMaxMs).toBeGreaterThanOrEqual(679);
  });

  it("shows a stall between arrivals, of which lateness knows nothing", async () => {
    const rare = {
      kind: "stages",
      stages: [100, 0, 0, 100].map((rps) => ({ seconds: 0.75, fromRps: rps, toRps: rps })),
    };
    const arrival = { law: "constant", rate: rare } as TrialSpec["plan"]["arrival"];
    const trial = await trialWith(() => setTimeout(() => block(500), 900), { arrival });
    expect(codesOf(trial)).toContain("stall");
    expect(trial.latency.lateness.maxMs).toBeLessThan(400);
  });

  it("says that calls went out in bunches", async () => {
    const trial = await trialWith(() => blockAgainAndAgain(25, 30));
    expect(["suspect", "invalid"]).toContain(trial.validity.verdict);
    expect(codesOf(trial)).toContain("gaps");
    expect(trial.generator?.gaps?.law?.distance).toBeGreaterThan(0.1);
  });

  it.skipIf(process.platform !== "linux")("says that its thread had no time left", async () => {
    const trial = await trialWith(() => blockAgainAndAgain(48, 50));
    const { busyRatio = 0, waitRatio = 0 } = trial.generator ?? {};
    // What others on this machine take away shows as waiting.
    expect(busyRatio + waitRatio).toBeGreaterThan(0.9);
    expect(codesOf(trial).filter((code) => code.startsWith("cpu-"))).not.toEqual([]);
  });

  it.skipIf(ALLOWED === undefined)("says that its thread had to wait for a processor", async () => {
    const one = firstOf(ALLOWED as string);
    const trial = await trialWith(() => {
      pin(one);
      for (let i = 0; i < 3; i += 1) {
        spinners.push(spawn("taskset", ["-c", one, "sh", "-c", "while :; do :; done"], { stdio: "ignore" }));
      }
    });
    expect(["suspect", "invalid"]).toContain(trial.validity.verdict);
    expect(codesOf(trial)).toContain("cpu-contention");
  });

  it("says that the wall clock stepped", async () => {
    const { now } = Date;
    const trial = await trialWith(() => {
      setTimeout(() => vi.spyOn(Date, "now").mockImplementation(() => now() - 60_000), 500);
    });
    expect(codesOf(trial)).toContain("clock-jump");
    expect(trial.validity.verdict).not.toBe("valid");
    expect(trial.generator?.clockJumpMs).toBeGreaterThan(50_000);
  });

  it("knows what its thread did, and finds no step in clocks that are left alone", async () => {
    const { generator } = await trialWith(() => {});
    expect(generator?.clockJumpMs).toBeLessThan(100);
    expect(generator?.gaps).toMatchObject({ calls: 1 });
    expect(generator?.gaps?.count).toBeGreaterThan(500);
    if (process.platform !== "linux") return;
    expect(generator?.busyRatio).toBeGreaterThan(0);
    // Spinning for the next arrival is not being busy.
    expect(generator?.busyRatio).toBeLessThan(0.9);
  });
});
