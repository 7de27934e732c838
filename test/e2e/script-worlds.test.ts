/** The same script in both worlds: what it does to the built-in target and to a server model is the same in kind. */

import { afterEach, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { parseScript } from "../../src/plan/script.ts";
import type { SeriesRow } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { EndpointTarget } from "../../src/world/real/endpoint-target.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";
import { readStats, startTarget, stopTargets } from "../targets/target-process.ts";

const RPS = 20;

/** A load that a backend of 500/s can take as long as nothing happens, also on a machine that has a lot else to do. */
const LOAD: Partial<TrialSpec> = {
  plan: {
    seed: 1,
    arrival: { law: "constant", rate: { kind: "constant", rps: RPS } },
    warmupSeconds: 0,
    durationSeconds: 5,
    users: 10,
  },
  policy: { name: "none", options: {} },
};

async function virtualSeries(script: string): Promise<readonly SeriesRow[]> {
  const model = { name: "shed", capacity: 500, burst: 5, rejectCost: 0.3, latencySeconds: 0 } as const;
  const world = { kind: "virtual", model, script: parseScript(script) } as const;
  const trial = await executeTrial(trialSpec({ ...LOAD, world }), UNWATCHED);
  expect(trial.script).toBe(script);
  return trial.series;
}

async function realSeries(script: string): Promise<readonly SeriesRow[]> {
  const { url } = await startTarget("shed:acceptMs=2,rejectMs=0.6,queue=5", "--script", script);
  const target = new EndpointTarget({
    url,
    connections: PLAIN_CONNECTIONS,
    pauseSeconds: 0,
    stats: true,
    scripted: true,
    died: () => undefined,
    stopRequested: () => false,
  });
  const world: TrialSpec["world"] = {
    kind: "real",
    url,
    method: "GET",
    headers: [],
    body: undefined,
    pacing: "timer",
    sentinelUrl: undefined,
    connections: PLAIN_CONNECTIONS,
  };
  let watch: Awaited<ReturnType<EndpointTarget["watch"]>> | undefined;
  const trial = await executeTrial(trialSpec({ ...LOAD, world }), {
    ...UNWATCHED,
    async aboutToStart() {
      watch = await target.watch();
    },
  });
  expect((await readStats(url)).script?.secondsIn).toBeGreaterThan(4);
  expect(await watch?.end()).toMatchObject({ script });
  expect((await readStats(url)).script?.secondsIn).toBeNull();
  return trial.series;
}

describe.each([
  ["the server model", virtualSeries],
  ["the built-in target", realSeries],
])("a script on %s", { timeout: 30_000 }, (_name, seriesOf) => {
  it("has an outage in which nothing is ok, and it is over when it says so", async () => {
    const series = await seriesOf("700ms..3.3s:outage");
    const ok = series.slice(0, 5).map((row) => row.ok);
    expect(ok.slice(1, 3)).toEqual([0, 0]);
    expect(ok[0]).toBeGreaterThan(0);
    expect(ok[4]).toBeGreaterThan(RPS / 3);
  });

  it("loses most of its goodput at a two-hundred-and-fiftieth of the capacity, and has it back when that is over", async () => {
    const series = await seriesOf("700ms..3.3s:capacity=0.004");
    const ok = series.slice(0, 5).map((row) => row.ok);
    expect(ok[2]).toBeLessThan(RPS / 2);
    expect(ok[4]).toBeGreaterThan(RPS / 3);
  });
});

afterEach(stopTargets);
