/** Trials in threads of their own, over real sockets. */

import { afterEach, describe, expect, it } from "vitest";
import { PartRecovery } from "../../src/engine/recovered-part.ts";
import type { TrialGain } from "../../src/engine/trial-gain.ts";
import type { TrialPart } from "../../src/engine/trial-part.ts";
import { trialRecord } from "../../src/engine/trial-record.ts";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { createPlan } from "../../src/plan/plan.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { resultSchema } from "../../src/result/schema.ts";
import type * as WorkerExecutor from "../../src/world/worker-executor.ts";
import { httpServer, type TestServer } from "../support/servers.ts";
import { PLAIN_CONNECTIONS, PLAN_LABEL, trialSpec } from "../support/trial-spec.ts";

/** A thread on Node takes what `tsc` has put into `dist`, as the program does; Bun and Deno take the source. */
const SOURCE = "Bun" in globalThis || "Deno" in globalThis;
const { startTrial } = (await import(
  new URL(SOURCE ? "../../src/world/worker-executor.ts" : "../../dist/src/world/worker-executor.js", import.meta.url)
    .href
)) as typeof WorkerExecutor;

const servers: TestServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Counting {
  readonly url: string;
  readonly requests: () => number;
}

async function countingServer(answers = true): Promise<Counting> {
  let requests = 0;
  const server = await httpServer((_request, response) => {
    requests += 1;
    if (answers) response.end();
  });
  servers.push(server);
  return { url: server.url, requests: () => requests };
}

function realSpec(url: string, change: Partial<TrialSpec> = {}, plan: Partial<TrialSpec["plan"]> = {}): TrialSpec {
  return trialSpec({
    plan: {
      seed: 7,
      arrival: { law: "poisson", rate: { kind: "constant", rps: 200 } },
      warmupSeconds: 0,
      durationSeconds: 1,
      users: 9,
      ...plan,
    },
    policy: { name: "none", options: {} },
    workers: 2,
    world: {
      kind: "real",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      sentinelUrl: undefined,
      connections: PLAIN_CONNECTIONS,
    },
    ...change,
  });
}

async function run(spec: TrialSpec, aboutToStart: () => Promise<void> = async () => {}): Promise<TrialResult> {
  const trial = await startTrial(spec, () => {}, aboutToStart).result;
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  return trial;
}

/** The calls that the plan has for each second, and how many users have any. */
function planned({ plan }: TrialSpec): { bySecond: number[]; users: number } {
  const bySecond: number[] = [];
  const users = new Set<number>();
  const arrivals = createPlan(plan).arrivals();
  while (arrivals.next()) {
    const second = Math.floor(arrivals.timeSeconds);
    bySecond[second] = (bySecond[second] ?? 0) + 1;
    users.add(arrivals.user);
  }
  return { bySecond, users: users.size };
}

describe("startTrial()", () => {
  it.each([1, 3])("carries the same plan out, each call once: workers %d", async (workers) => {
    const { url, requests } = await countingServer();
    const spec = realSpec(url, { workers });
    const trial = await run(spec);
    const { bySecond, users } = planned(spec);
    expect(trial.series.map((row) => row.offered)).toEqual(bySecond);
    expect(trial.calls.ok).toBe(bySecond.reduce((sum, count) => sum + count, 0));
    expect(requests()).toBe(trial.calls.ok);
    expect(trial.plan.hash).toBe(createPlan(spec.plan).hash);
    expect(trial.users).toMatchObject({ count: 9, active: users });
    expect(trial.generator).toMatchObject({ workers });
    expect(trial.latency.service.accepted?.count).toBe(trial.calls.ok);
    expect(trial.connections?.opened).toBeGreaterThanOrEqual(workers);
  });

  it("asks once before the start, when all workers are ready, and the first arrival waits for the answer", async () => {
    const { url, requests } = await countingServer();
    let asked = 0;
    await run(realSpec(url), async () => {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(requests()).toBe(0);
    });
    expect(asked).toBe(1);
    expect(requests()).toBeGreaterThan(100);
  });

  it("asks when the warm-up ends if there is one, and the load does not wait", async () => {
    const { url, requests } = await countingServer();
    const seen: number[] = [];
    const spec = realSpec(url, {}, { warmupSeconds: 1, durationSeconds: 1 });
    const trial = await run(spec, async () => {
      seen.push(requests());
      await new Promise((resolve) => setTimeout(resolve, 300));
      seen.push(requests());
    });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBeGreaterThan(0);
    expect(seen[1]).toBeGreaterThan(seen[0] as number);
    const { bySecond } = planned(spec);
    expect([trial.warmup?.calls.planned, trial.calls.planned]).toEqual(bySecond);
  });

  it("splits the bound on calls under way over the workers", async () => {
    const { url } = await countingServer(false);
    const trial = await run(realSpec(url, { maxInFlight: 5, timeoutSeconds: 30, drainSeconds: 0.1 }));
    expect(trial.calls.unfinished).toBe(5);
    expect(trial.calls.dropped).toBe(trial.calls.planned - 5);
    expect(trial.generator?.inFlightMax).toBe(5);
  });

  it("stop() ends the arrivals of all workers, and what came so far adds up", async () => {
    const { url, requests } = await countingServer();
    const seen: number[] = [];
    const running = startTrial(
      realSpec(url, {}, { durationSeconds: 60 }),
      (progress) => {
        seen.push(progress.planned);
        if (progress.planned > 30) running.stop();
      },
      async () => {},
    );
    const trial = await running.result;
    expect(trial.interrupted).toBe(true);
    expect(trial.durationSeconds).toBeLessThan(30);
    expect(trial.calls.planned).toBeGreaterThan(30);
    expect(trial.calls.ok).toBe(trial.calls.planned);
    expect(requests()).toBe(trial.calls.ok);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  it("ends the arrivals of all workers when the guard of one is broken", async () => {
    let failing: unknown;
    const server = await httpServer((request, response) => {
      failing ??= request.socket;
      // Of the two workers only one has this connection.
      if (request.socket === failing) response.statusCode = 503;
      response.end();
    });
    servers.push(server);
    const spec = realSpec(
      server.url,
      { abortOn: [{ kind: "errors", share: 0.02, forSeconds: 1 }] },
      { durationSeconds: 60 },
    );
    const gains: TrialGain[] = [];
    const running = startTrial(
      spec,
      () => {},
      async () => {},
      (gain) => gains.push(gain),
    );
    const trial = await running.result;
    expect(trial.aborted?.text).toMatch(/^errors>2%:1s/);
    expect(trial.interrupted).toBe(true);
    expect(trial.durationSeconds).toBeLessThan(30);
    expect(trial.attempts.accepted).toBeGreaterThan(0);
    expect(trial.attempts.overloaded).toBeGreaterThan(0);
    expect(trial.validity.verdict).toBe("invalid");
    expect(gains.at(-1)?.aborted).toEqual(trial.aborted);
  });

  it.each([1, 2])("tells what it gains while it runs, and all of that is the trial: workers %d", async (workers) => {
    const { url } = await countingServer();
    const spec = realSpec(url, { workers }, { warmupSeconds: 1, durationSeconds: 1 });
    const recovery = new PartRecovery(1, 1);
    const elapsed: number[] = [];
    const gained = (gain: TrialGain): void => {
      recovery.add(gain);
      elapsed.push(gain.elapsedSeconds);
    };
    const trial = await startTrial(
      spec,
      () => {},
      async () => {},
      gained,
    ).result;
    expect(elapsed.length).toBeGreaterThanOrEqual(3);
    expect(elapsed[0]).toBeLessThan(1);
    const recovered = trialRecord(spec, PLAN_LABEL, recovery.part() as TrialPart);
    expect(recovered.calls).toEqual(trial.calls);
    expect(recovered.warmup).toEqual(trial.warmup);
    expect(recovered.series).toEqual(trial.series);
    expect(recovered.connections).toEqual(trial.connections);
    expect(recovered.generator?.workers).toBe(workers);
    expect(recovered.latency.response.ok?.p99Ms).toBe(trial.latency.response.ok?.p99Ms);
  });

  it("kill() ends all workers at once, and the trial is lost", async () => {
    const { url } = await countingServer();
    const running = startTrial(
      realSpec(url, {}, { durationSeconds: 60 }),
      () => running.kill(),
      async () => {},
    );
    await expect(running.result).rejects.toThrow("The generator's thread was ended");
  });

  it("fails with the error of a worker, and with that of the question before the start", async () => {
    const { url, requests } = await countingServer();
    const unknown = startTrial(
      realSpec(url, { policy: { name: "unheard-of", options: {} } }),
      () => {},
      async () => {},
    );
    await expect(unknown.result).rejects.toMatchObject({ name: "RangeError" });
    const unanswered = startTrial(
      realSpec(url),
      () => {},
      async () => {
        throw new Error("no answer");
      },
    );
    await expect(unanswered.result).rejects.toThrow("no answer");
    expect(requests()).toBe(0);
  });

  it("refuses more workers than users, and several in a simulation", () => {
    const start = (spec: TrialSpec) => () =>
      startTrial(
        spec,
        () => {},
        async () => {},
      );
    expect(start(realSpec("http://127.0.0.1:1/", { workers: 10 }))).toThrow(
      "Cannot execute as 'workers' must be at most the number of users (9), who are split over them: current value is 10",
    );
    expect(start(trialSpec({ workers: 2 }))).toThrow(RangeError);
  });

  it("runs a simulation in a thread", async () => {
    const trial = await run(trialSpec());
    expect(trial).toMatchObject({ world: "virtual", calls: { dropped: 0 } });
    expect(trial.calls.planned).toBeGreaterThan(9000);
  });
});
