/**
 * The rows of the conformance table for this tool alone, at small rates: what it counts is what the server counted, and each
 * attempt is of the class that it should be. `run.ts` compares latency, and other tools.
 */

import process from "node:process";
import { afterEach, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { byTransport, TRANSPORT } from "../support/transports.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../support/trial-spec.ts";
import { imbalances } from "./ledger.ts";
import { startPathologicalProcess } from "./pathological-process.ts";
import { type PathologicalServer, startPathological } from "./pathological-server.ts";
import type { PathologyName } from "./pathologies.ts";
import type { Truth } from "./truth.ts";

const CALLS = 20;
const CALLS_PER_SECOND = 40;
const PREOPENED = 3;

const servers: PathologicalServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

interface Encounter {
  readonly trial: TrialResult;
  readonly truth: Truth;
}

async function load(url: string, change: Partial<TrialSpec> = {}): Promise<TrialResult> {
  return await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "constant", rate: { kind: "constant", rps: CALLS_PER_SECOND } },
        warmupSeconds: 0,
        durationSeconds: CALLS / CALLS_PER_SECOND,
        users: 5,
      },
      policy: { name: "none", options: {} },
      timeoutSeconds: 1,
      world: {
        kind: "real",
        url,
        method: "GET",
        headers: [],
        body: undefined,
        pacing: "timer",
        transport: TRANSPORT,
        sentinelUrl: undefined,
        connections: { ...PLAIN_CONNECTIONS, preopen: PREOPENED },
      },
      ...change,
    }),
    UNWATCHED,
  );
}

async function settled(server: PathologicalServer): Promise<Truth> {
  await expect.poll(async () => (await server.truth()).open, { timeout: 5000 }).toBe(0);
  return await server.truth();
}

async function meet(name: PathologyName): Promise<Encounter> {
  const server = await startPathological(name);
  servers.push(server);
  const trial = await load(server.url);
  return { trial, truth: await settled(server) };
}

function expectAllOk(met: Encounter): void {
  expectTruth(met);
  expect(met.trial.calls).toMatchObject({ planned: CALLS, ok: CALLS });
  expect(met.trial.errors).toEqual({});
}

/** What holds of every row in which no answer comes for which nobody waits any more. */
function expectTruth(met: Encounter): void {
  expectRequests(met);
  expect(met.trial.statuses).toEqual(met.truth.answered);
  expect(met.trial.calls.ok).toBe(met.truth.answered["200"] ?? 0);
}

/** What holds of every row. */
function expectRequests({ trial, truth }: Encounter): void {
  expect(imbalances({ trials: [trial] } as unknown as Result)).toEqual([]);
  const { sent, staleConnection, inFlight } = trial.attempts;
  expect(inFlight).toBe(0);
  // What met a connection that was closed may not have been read; all else was.
  expect(truth.requests).toBeLessThanOrEqual(sent);
  expect(truth.requests).toBeGreaterThanOrEqual(sent - staleConnection);
  expect(truth.waiting).toBe(0);
}

/** Half of the requests, by chances that have a fixed seed. */
const SOME = expect.toSatisfy((count: number) => count > 3 && count < CALLS - 3);

describe.runIf(IS_THOROUGH)("against a server that misbehaves, the counts are the server's own, and", () => {
  it.each(["instant", "fixed", "exponential"] as const)("all calls are ok: %s", async (name) => {
    const met = await meet(name);
    expectTruth(met);
    expect(met.trial.calls).toMatchObject({ planned: CALLS, ok: CALLS });
    expect(met.trial.errors).toEqual({});
  });

  it("times whole answers, not their first byte: trickle", async () => {
    const met = await meet("trickle");
    expectAllOk(met);
    expect(met.trial.latency.service.accepted?.minMs).toBeGreaterThan(200);
  });

  it("times the final answer, not the interim one: interim-103", async () => {
    const met = await meet("interim-103");
    expectAllOk(met);
    expect(met.trial.latency.service.accepted?.minMs).toBeGreaterThan(15);
  });

  it("a 503 is overload, and no part of the latency of ok calls: half-503", async () => {
    const met = await meet("half-503");
    expectTruth(met);
    expect(met.trial.attempts).toMatchObject({ overloaded: SOME, failed: 0, clientFault: 0, staleConnection: 0 });
    expect(met.trial.calls.ok + met.trial.attempts.overloaded).toBe(CALLS);
    expect(met.trial.latency.response.ok?.minMs).toBeGreaterThanOrEqual(9);
  });

  it.each(["black-hole", "endless-body"] as const)("all calls time out: %s", async (name) => {
    const met = await meet(name);
    expectTruth(met);
    expect(met.trial.errors).toEqual({ timeout: CALLS });
    expect(met.trial.attempts).toMatchObject({ sent: CALLS, overloaded: CALLS });
    expect(met.truth).toMatchObject({ requests: CALLS, left: CALLS });
  });

  it("headers without end are a failure, not overload: endless-headers", async () => {
    const met = await meet("endless-headers");
    expectTruth(met);
    expect(met.trial.errors).toEqual({
      [byTransport({ wire: "H1_HEAD_SIZE", undici: "UND_ERR_HEADERS_OVERFLOW" })]: CALLS,
    });
    expect(met.trial.attempts).toMatchObject({ sent: CALLS, failed: CALLS, staleConnection: 0 });
  });

  it("what is no HTTP is a failure, never a stale connection: garbage", async () => {
    const met = await meet("garbage");
    expectTruth(met);
    expect(met.trial.attempts).toMatchObject({ sent: CALLS, failed: SOME, overloaded: 0, staleConnection: 0 });
    const code = byTransport({ wire: "H1_STATUS_LINE", undici: "HTTPParserError" });
    expect(met.trial.errors).toEqual({ [code]: met.trial.attempts.failed });
  });

  it("a reset in the middle of a body is overload, though its status was 200: reset", async () => {
    const met = await meet("reset");
    expectTruth(met);
    expect(met.trial.attempts).toMatchObject({ sent: CALLS, overloaded: SOME, failed: 0, staleConnection: 0 });
    expect(met.truth.brokenOff).toBe(met.trial.attempts.overloaded);
  });

  it("a FIN in the place of an answer is a reset or, on a connection that lay idle, a repetition: half-close", async () => {
    const met = await meet("half-close");
    expectTruth(met);
    const { sent, overloaded, failed, staleConnection } = met.trial.attempts;
    expect({ sent, failed }).toEqual({ sent: CALLS + staleConnection, failed: 0 });
    expect(overloaded + staleConnection).toEqual(SOME);
    expect(met.truth.brokenOff).toBe(overloaded + staleConnection);
  });

  it("a connection closed for idleness costs no call its answer, but for the unlucky: idle-close", async () => {
    const met = await meet("idle-close");
    expectTruth(met);
    const { sent, accepted, staleConnection, overloaded } = met.trial.attempts;
    expect(sent).toBe(accepted + staleConnection + overloaded);
    // On a machine that stands still for a moment, a close may show too late to be told from a reset.
    expect(accepted).toBeGreaterThanOrEqual(CALLS - 3);
    expect(met.trial.connections?.closedByPeer).toBeGreaterThanOrEqual(PREOPENED - 1);
  });

  it.runIf(TRANSPORT === "wire")("a 100 that nobody asked for is passed over: interim-100", async () => {
    const met = await meet("interim-100");
    expectAllOk(met);
    expect(met.trial.latency.service.accepted?.minMs).toBeGreaterThan(15);
  });

  it.runIf(TRANSPORT === "undici")(
    "a 100 that nobody asked for is a failure, as undici has it: interim-100",
    async () => {
      const met = await meet("interim-100");
      expectRequests(met);
      expect(met.trial.attempts).toMatchObject({ sent: CALLS, failed: CALLS });
      expect(met.trial.validity.verdict).toBe("invalid");
    },
  );
});

describe.runIf(IS_THOROUGH)("against a process that stands still", () => {
  it("all calls are ok, and those that came in the stop have waited for its end: stall", async () => {
    const server = await startPathologicalProcess("instant");
    servers.push(server);
    const trial = load(server.url, { timeoutSeconds: 10 });
    await expect.poll(async () => (await server.truth()).requests, { timeout: 10_000 }).toBeGreaterThan(2);
    const stalledSeconds = await server.stall(1);
    const met = { trial: await trial, truth: await settled(server) };
    expectTruth(met);
    expect(stalledSeconds).toBeGreaterThan(0.9);
    expect(met.trial.calls.ok).toBe(CALLS);
    // The plan goes on for 0.5 s, so most of its calls come in the stop and wait for at least half of it.
    expect(met.trial.latency.response.ok?.maxMs).toBeGreaterThan(500);
  });

  it.skipIf(process.platform !== "linux")(
    "all calls are ok, however often connecting takes: connect-delay",
    async () => {
      const server = await startPathologicalProcess("connect-delay");
      servers.push(server);
      const trial = await load(server.url, { timeoutSeconds: 10, drainSeconds: 15 });
      const met = { trial, truth: await settled(server) };
      expectTruth(met);
      expect(met.trial.calls.ok).toBe(CALLS);
    },
  );
});
