/** The governor over real sockets. The server shares the generator's thread, so bounds are coarse. */

import { afterEach, describe, expect, it } from "vitest";
import { gainOfLine, lineOfGain } from "../../../src/engine/journal-line.ts";
import { PartRecovery } from "../../../src/engine/recovered-part.ts";
import type { TrialGain } from "../../../src/engine/trial-gain.ts";
import type { TrialPart } from "../../../src/engine/trial-part.ts";
import { trialRecord } from "../../../src/engine/trial-record.ts";
import type { GovernorSpec, TrialSpec } from "../../../src/engine/trial-spec.ts";
import type { Governed } from "../../../src/result/governor-schema.ts";
import { type JournalSecond, journalLineSchema } from "../../../src/result/journal-schema.ts";
import { resultSchema, type TrialResult } from "../../../src/result/schema.ts";
import { executeTrial } from "../../../src/world/execute-trial.ts";
import { httpServer, type TestServer } from "../../support/servers.ts";
import { TRANSPORT } from "../../support/transports.ts";
import { PLAIN_CONNECTIONS, PLAN_LABEL, trialSpec } from "../../support/trial-spec.ts";

let server: TestServer | undefined;

afterEach(async () => {
  await server?.close();
});

const GOVERNOR: GovernorSpec = {
  control: "rate",
  high: 0.1,
  low: 0.02,
  floor: 5,
  ceiling: 400,
  start: 20,
  windowSeconds: 0.25,
  holdWindows: 4,
  holdBand: 0.3,
};
const DURATION_SECONDS = 6;
/** What the server accepts, per second and at once. */
const CAPACITY = 80;
const BURST = 8;

interface Governing {
  readonly spec: TrialSpec;
  readonly trial: TrialResult;
  readonly governed: Governed;
  readonly gains: readonly TrialGain[];
}

async function govern(url: string, change: Partial<GovernorSpec>): Promise<Governing> {
  const spec = trialSpec({
    policy: { name: "none", options: {} },
    governor: { ...GOVERNOR, ...change },
    plan: {
      seed: 1,
      arrival: { law: "constant", rate: { kind: "constant", rps: 20 } },
      warmupSeconds: 0,
      durationSeconds: DURATION_SECONDS,
      users: 32,
    },
    world: {
      kind: "real",
      url,
      method: "GET",
      headers: [],
      body: undefined,
      pacing: "timer",
      transport: TRANSPORT,
      sentinelUrl: undefined,
      connections: PLAIN_CONNECTIONS,
    },
  });
  const gains: TrialGain[] = [];
  const trial = await executeTrial(spec, {
    stopRequested: () => false,
    progress() {},
    gained: (gain) => gains.push(structuredClone(gain)),
  });
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  if (trial.governor === undefined) throw new Error("the trial has no governor");
  return { spec, trial, governed: trial.governor, gains };
}

async function sheddingServer(): Promise<string> {
  let tokens = BURST;
  let lastMs = performance.now();
  server = await httpServer((_request, response) => {
    const nowMs = performance.now();
    tokens = Math.min(BURST, tokens + ((nowMs - lastMs) * CAPACITY) / 1000);
    lastMs = nowMs;
    if (tokens >= 1) tokens -= 1;
    else response.statusCode = 503;
    response.end();
  });
  return server.url;
}

describe("a real trial under the governor", () => {
  it("climbs until the server sheds, cuts, and tells the same of it while it runs as in the end", async () => {
    const { spec, trial, governed, gains } = await govern(await sheddingServer(), {});
    const { windows, events, ended } = governed;
    expect(windows[0]?.offer).toBe(20);
    expect(events[0]?.kind).toBe("started");
    expect(events.some(({ kind }) => kind === "up")).toBe(true);
    expect(events.some(({ kind }) => kind === "down")).toBe(true);
    // However busy this machine is: more is not accepted.
    for (const { successes, fromSeconds, toSeconds } of windows) {
      expect(successes).toBeLessThanOrEqual(1.5 * (CAPACITY * (toSeconds - fromSeconds) + BURST) + 2);
    }
    windows.forEach(({ fromSeconds, toSeconds }, index) => {
      expect(toSeconds - fromSeconds).toBeGreaterThanOrEqual(0.25);
      if (index > 0) expect(fromSeconds).toBe(windows[index - 1]?.toSeconds);
    });
    expect(trial.interrupted).toBe(false);
    if (ended === "held") expect(trial.durationSeconds).toBeLessThan(DURATION_SECONDS);
    else expect(trial.durationSeconds).toBe(DURATION_SECONDS);
    expect(trial.generator?.gaps).toBeUndefined();

    expect(gains.flatMap(({ governed: told }) => told?.windows ?? [])).toEqual(windows);
    expect(gains.flatMap(({ governed: told }) => told?.events ?? [])).toEqual(events);

    const recovery = new PartRecovery(0, DURATION_SECONDS);
    for (const gain of gains) {
      const line = journalLineSchema.parse(JSON.parse(JSON.stringify(lineOfGain(gain))));
      recovery.add(gainOfLine(line as JournalSecond));
    }
    const recovered = trialRecord(spec, PLAN_LABEL, recovery.part() as TrialPart);
    expect(recovered.governor).toEqual({ ...governed, ended: "interrupted" });
    expect(recovered.calls).toEqual(trial.calls);
  });

  it("has as many calls at once as fibres, and is never late with one", async () => {
    let underWay = 0;
    let most = 0;
    server = await httpServer((_request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay > 6) response.statusCode = 503;
      setTimeout(() => {
        underWay -= 1;
        response.end();
      }, 10);
    });
    const { trial, governed } = await govern(server.url, {
      control: "concurrency",
      floor: 2,
      start: 2,
      ceiling: 32,
      holdWindows: 1000,
    });
    expect(governed.ended).toBe("duration");
    const cuts = governed.windows.filter(({ decision }) => decision === "down");
    expect(cuts.length).toBeGreaterThan(0);
    expect(Math.max(...cuts.map(({ offer }) => offer))).toBeLessThanOrEqual(16);
    expect(most).toBeLessThanOrEqual(17);
    expect(trial.latency.lateness.maxMs).toBe(0);
    expect(trial.late.sent + trial.late.dropped).toBe(0);
    const codes = trial.validity.reasons.map(({ code }) => code);
    expect(codes).toContain("capacity-not-held");
    for (const code of ["lateness", "gaps", "achieved-rate", "late-drops"]) expect(codes).not.toContain(code);
  });
});
