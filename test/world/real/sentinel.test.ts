/** Trials with a sentinel, and a null server in a process of its own that is stopped, or gone. Bounds are coarse. */

import process from "node:process";
import { afterEach, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../../src/engine/trial-spec.ts";
import { resultSchema, type TrialResult } from "../../../src/result/schema.ts";
import { executePart, executeTrial, type TrialHooks } from "../../../src/world/execute-trial.ts";
import { deadUrl, httpServer, type TestServer } from "../../support/servers.ts";
import { TRANSPORT } from "../../support/transports.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../../support/trial-spec.ts";
import { stopTargets, TargetProcess } from "../../targets/target-process.ts";

const servers: TestServer[] = [];

afterEach(async () => {
  await stopTargets();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function target(): Promise<string> {
  const server = await httpServer((_request, response) => response.end("hello"));
  servers.push(server);
  return server.url;
}

async function nullServer(): Promise<{ url: string; pid: number }> {
  return await new TargetProcess(["--port", "0", "--exit-with-parent"], "targets/null-server").ready();
}

/** Of the seconds in which anything was offered: a call of the last moment is sent in the next second, which has a row too. */
function offeredRows(series: TrialResult["series"]): readonly { readonly offered: number; readonly ok: number }[] {
  return series.filter(({ offered }) => offered > 0).map(({ offered, ok }) => ({ offered, ok }));
}

interface Load {
  readonly durationSeconds?: number;
  readonly warmupSeconds?: number;
  readonly workers?: number;
  readonly hooks?: TrialHooks;
}

function specOf(url: string, sentinelUrl: string | undefined, load: Load): TrialSpec {
  return trialSpec({
    plan: {
      seed: 3,
      arrival: { law: "poisson", rate: { kind: "constant", rps: 100 } },
      warmupSeconds: load.warmupSeconds ?? 0,
      durationSeconds: load.durationSeconds ?? 2,
      users: 5,
    },
    policy: { name: "none", options: {} },
    timeoutSeconds: 5,
    workers: load.workers ?? 1,
    world: {
      kind: "real",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      transport: TRANSPORT,
      sentinelUrl,
      connections: { ...PLAIN_CONNECTIONS, preopen: 2 },
    },
  });
}

async function run(sentinelUrl: string | undefined, load: Load = {}): Promise<TrialResult> {
  const trial = await executeTrial(specOf(await target(), sentinelUrl, load), load.hooks ?? UNWATCHED);
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  return trial;
}

function codesOf(trial: TrialResult): string[] {
  return trial.validity.reasons.map(({ code }) => code);
}

/** Does something once, this long after the start. */
function once(afterSeconds: number, act: () => void): TrialHooks {
  let done = false;
  return {
    stopRequested: () => false,
    progress({ elapsedSeconds }) {
      if (done || elapsedSeconds < afterSeconds) return;
      done = true;
      act();
    },
  };
}

describe("the sentinel", () => {
  it("probes beside the load, and leaves the load as it is", async () => {
    const { url } = await nullServer();
    const watched = await run(url);
    const alone = await run(undefined);
    expect(watched.generator?.sentinel).toMatchObject({ rps: 10, response: { censored: 0 } });
    expect(watched.generator?.sentinel?.planned).toBeGreaterThan(8);
    expect(watched.generator?.sentinel?.ok).toBe(watched.generator?.sentinel?.planned);
    expect(alone.generator?.sentinel).toBeUndefined();
    for (const { calls, attempts, statuses, errors, series, users, plan, connections, latency } of [watched, alone]) {
      expect({ calls, statuses, errors, plan, users }).toEqual({
        calls: alone.calls,
        statuses: { 200: alone.calls.planned },
        errors: {},
        plan: alone.plan,
        users: alone.users,
      });
      expect(attempts).toEqual(alone.attempts);
      expect(offeredRows(series)).toEqual(offeredRows(alone.series));
      expect(latency.lateness.count).toBe(alone.calls.planned);
      expect(Object.keys(connections?.addresses ?? {})).toEqual(["127.0.0.1"]);
      expect(connections?.preopened).toBe(2);
      expect(connections?.reused).toBeLessThanOrEqual(alone.calls.planned);
    }
  });

  it("probes at the same moments for the same seed, at others in each worker, and counts the measured window alone", async () => {
    const { url } = await nullServer();
    const spec = specOf(await target(), url, { durationSeconds: 1, warmupSeconds: 1, workers: 4 });
    const plannedBy = async (worker: number): Promise<number | undefined> => {
      const hooks = { ...UNWATCHED, aboutToStart: async () => undefined };
      return (await executePart(spec, worker, hooks)).facts.sentinel?.planned;
    };
    const planned = await Promise.all([0, 1, 2, 3].map(plannedBy));
    expect(new Set(planned).size).toBeGreaterThan(1);
    expect(await plannedBy(1)).toBe(planned[1]);
    // Ten are planned in a second on average: in both seconds together there would be twice as many.
    expect(planned.reduce<number>((sum, count) => sum + (count ?? 0), 0)).toBeLessThan(65);
  });

  it("finds out a thread that is busy three quarters of the time", async () => {
    const { url } = await nullServer();
    const timer = setInterval(() => {
      const endMs = performance.now() + 30;
      while (performance.now() < endMs);
    }, 40);
    const trial = await run(url, { durationSeconds: 3 });
    clearInterval(timer);
    expect(trial.generator?.sentinel?.response.p90Ms).toBeGreaterThan(10);
    expect(codesOf(trial)).toContain("sentinel");
    expect(trial.validity.verdict).not.toBe("valid");
  });

  it("tells of probes that a stopped server does not answer, and ends without their answers", async () => {
    const { url, pid } = await nullServer();
    const trial = await run(url, { hooks: once(0.5, () => process.kill(pid, "SIGSTOP")) });
    const { planned = 0, ok = 0 } = trial.generator?.sentinel ?? {};
    expect(ok).toBeLessThan(planned);
    expect(codesOf(trial)).toContain("sentinel-unanswered");
    expect(trial.calls.ok).toBe(trial.calls.planned);
  });

  it("says that it was lost when its server is killed, and the load goes on", async () => {
    const { url, pid } = await nullServer();
    const trial = await run(url, { hooks: once(0.5, () => process.kill(pid, "SIGKILL")) });
    expect(trial.validity.reasons).toContainEqual(
      expect.objectContaining({ code: "no-sentinel", severity: "suspect" }),
    );
    expect(codesOf(trial)).not.toContain("sentinel-unanswered");
    expect(trial.calls.ok).toBe(trial.calls.planned);
  });

  it("says that it was lost when there never was a server", async () => {
    const trial = await run(await deadUrl());
    expect(codesOf(trial)).toContain("no-sentinel");
    expect(trial.generator?.sentinel).toMatchObject({ planned: 0, ok: 0 });
    expect(trial.calls.ok).toBe(trial.calls.planned);
  });

  it("ends with a trial that is stopped", async () => {
    const { url } = await nullServer();
    let asked = false;
    const hooks = once(0.6, () => {
      asked = true;
    });
    const trial = await run(url, { durationSeconds: 30, hooks: { ...hooks, stopRequested: () => asked } });
    expect(trial.interrupted).toBe(true);
    expect(trial.generator?.sentinel?.planned).toBeLessThan(100);
    expect(trial.generator?.sentinel?.ok).toBe(trial.generator?.sentinel?.planned);
  });
});
