/** The same script in both worlds: what it does to the built-in target and to a server model is the same in kind. */

import { afterEach, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { parseScript } from "../../src/plan/script.ts";
import type { ColdStart } from "../../src/plan/warmth.ts";
import type { SeriesRow } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { EndpointTarget } from "../../src/world/real/endpoint-target.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
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

/** Of a backend that is always warm unless it is told otherwise. */
type SeriesOf = (script: string, cold?: ColdStart) => Promise<readonly SeriesRow[]>;

const virtualSeries: SeriesOf = async (script, cold) => {
  const model = {
    name: "shed",
    capacity: 500,
    burst: 5,
    rejectCost: 0.3,
    latencySeconds: 0,
    ...(cold === undefined ? {} : { cold }),
  } as const;
  const world = { kind: "virtual", model, script: parseScript(script) } as const;
  const trial = await executeTrial(trialSpec({ ...LOAD, world }), UNWATCHED);
  expect(trial.script).toBe(script);
  return trial.series;
};

const realSeries: SeriesOf = async (script, cold) => {
  const coldSpec =
    cold === undefined ? "" : `,coldCost=${cold.coldCost},warmJobs=${cold.warmJobs},warmth=${cold.warmth}`;
  const { url } = await startTarget(`shed:acceptMs=2,rejectMs=0.6,queue=5${coldSpec}`, "--script", script);
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
  const after = await readStats(url);
  expect(after.script?.secondsIn).toBeNull();
  expect(after.warmth?.jobs).toBe(cold === undefined ? undefined : cold.warmth * cold.warmJobs);
  return trial.series;
};

describe.runIf(IS_THOROUGH).each([
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

  it("heals in a ramp from a five-hundredth of the capacity on", async () => {
    const series = await seriesOf("0s..4s:capacity=0.002..0.08");
    const ok = series.slice(0, 5).map((row) => row.ok);
    expect(ok[0]).toBeLessThan(0.75 * RPS);
    // At that capacity it would be one a second.
    expect((ok[3] as number) + (ok[4] as number)).toBeGreaterThan(5);
  });

  it("comes back from an outage that it was warm before as cold as can be", async () => {
    const cold = { coldCost: 500, warmJobs: 1_000_000, warmth: 1 };
    const series = await seriesOf("1.5s..1.6s:outage", cold);
    const ok = series.slice(0, 5).map((row) => row.ok);
    expect((ok[0] as number) + (ok[1] as number)).toBeGreaterThan(0);
    expect((ok[3] as number) + (ok[4] as number)).toBeLessThan(RPS);
  });
});

afterEach(stopTargets);
