import { afterEach, describe, expect, it } from "vitest";
import { type EndpointOptions, EndpointTarget } from "../../../src/world/real/endpoint-target.ts";
import { readTarget } from "../../../src/world/real/target-stats.ts";
import { deadUrl, httpServer, type TestServer } from "../../support/servers.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

const servers: TestServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const READING = {
  kind: "overloadable",
  accepted: 10,
  rejected: 5,
  abandoned: 1,
  queue: 0,
  queueMax: 7,
  inFlight: 0,
  script: null,
  cpuAcceptSeconds: 1,
  cpuRejectSeconds: 0.5,
  cpuTotalSeconds: 2,
  uptimeSeconds: 100,
};

/** A target whose counters are, reading by reading, what the test says. The last one stays. */
async function targetWith(readings: readonly object[]): Promise<TestServer> {
  const left = [...readings];
  const server = await httpServer((_request, response) => {
    const reading = left.length > 1 ? left.shift() : left[0];
    response.end(JSON.stringify(reading));
  });
  servers.push(server);
  return server;
}

const SCRIPT = "1s..2s:outage";

/** A target with a script. @param answer what it says to whoever starts it. */
async function targetWithScript(answer: { readonly status: number; readonly afterMs?: number }, more: object = {}) {
  const told: string[] = [];
  const script = { text: SCRIPT, secondsIn: null as number | null };
  const server = await httpServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    if (asked === "GET /__stats") {
      response.end(JSON.stringify({ ...READING, script, ...more }));
      return;
    }
    told.push(asked);
    const starts = request.method === "POST";
    if (starts && answer.status === 204) script.secondsIn = 0;
    if (!starts) script.secondsIn = null;
    response.statusCode = starts ? answer.status : 204;
    setTimeout(() => response.end(), starts ? answer.afterMs : 0);
  });
  servers.push(server);
  return { url: server.url, told, script };
}

function optionsOf(url: string, died: string | undefined = undefined): EndpointOptions {
  return {
    url,
    connections: PLAIN_CONNECTIONS,
    pauseSeconds: 0,
    stats: true,
    scripted: false,
    died: () => died,
    stopRequested: () => false,
  };
}

function endpoint(url: string, died: string | undefined = undefined): EndpointTarget {
  return new EndpointTarget(optionsOf(url, died));
}

describe("EndpointTarget", () => {
  it("gives the difference of two readings around a trial", async () => {
    const later = { ...READING, accepted: 30, rejected: 9, cpuRejectSeconds: 0.9, uptimeSeconds: 103 };
    const { url } = await targetWith([READING, later]);
    const watch = await endpoint(url).watch();
    expect(await watch.end()).toMatchObject({ stats: { accepted: 20, rejected: 4, wallSeconds: 3, queueMax: 7 } });
  });

  it("calls a trial invalid in which the target was started anew, instead of counting backwards", async () => {
    const { url } = await targetWith([READING, { ...READING, accepted: 2, uptimeSeconds: 1 }]);
    const watch = await endpoint(url).watch();
    expect(await watch.end()).toMatchObject({ reason: { code: "target-restarted", severity: "invalid" } });
  });

  it("calls a target dead that refuses connections, or whose process ended", async () => {
    const gone = await endpoint(await deadUrl()).watch();
    expect(await gone.end()).toMatchObject({
      reason: { code: "target-died", message: expect.stringContaining("ECONNREFUSED") },
    });
    const crashed = await endpoint(await deadUrl(), "exit code 3").watch();
    expect(await crashed.end()).toMatchObject({ reason: { message: expect.stringContaining("exit code 3") } });
  });

  it("finds nothing to say about a server that is not the built-in target", async () => {
    const server = await httpServer((_request, response) => response.end("hello"));
    servers.push(server);
    expect(await readTarget(server.url)).toBeUndefined();
    expect(await (await endpoint(server.url).watch()).end()).toEqual({});
  });

  it("tells of a script that was given to the target, and of which it does not know whether it was started", async () => {
    const server = await httpServer((_request, response) => response.end("no counters"));
    servers.push(server);
    const watch = await new EndpointTarget({ ...optionsOf(server.url), scripted: true }).watch();
    expect(await watch.end()).toMatchObject({ reason: { code: "script-not-started", severity: "suspect" } });
  });

  it("waits until the queue is empty and the processor at rest", async () => {
    const busy = { ...READING, inFlight: 3, cpuTotalSeconds: 3, uptimeSeconds: 101 };
    const idle = { ...READING, cpuTotalSeconds: 3, uptimeSeconds: 102 };
    const { url } = await targetWith([READING, READING, busy, idle, { ...idle, uptimeSeconds: 103 }]);
    expect(await endpoint(url).untilIdle()).toBeUndefined();
  });

  it("starts the script of a target that has one, and ends it with the trial, whose record gets it", async () => {
    const { url, told } = await targetWithScript({ status: 204 });
    const watch = await endpoint(url).watch();
    expect(told).toEqual(["POST /__script"]);
    const end = await watch.end();
    expect(end).toMatchObject({ stats: { accepted: 0 }, script: SCRIPT });
    // On a machine that is too busy it may have begun late.
    expect([undefined, "script-late"]).toContain(end.reason?.code);
    expect(told).toEqual(["POST /__script", "DELETE /__script"]);
  });

  it("tells no script to a target without one, nor where its counters are not to be asked for", async () => {
    const { url, told } = await targetWithScript({ status: 204 });
    const unasked = new EndpointTarget({ ...optionsOf(url), stats: false });
    expect(await (await unasked.watch()).end()).toEqual({});
    expect(told).toEqual([]);
    const asked: string[] = [];
    const plain = await httpServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end(JSON.stringify(READING));
    });
    servers.push(plain);
    expect(await (await endpoint(plain.url).watch()).end()).not.toHaveProperty("script");
    expect(asked).toEqual(["GET /__stats", "GET /__stats"]);
  });

  it("has doubts about a trial whose script could not be started, and says of no script in its record", async () => {
    const { url, told } = await targetWithScript({ status: 500 });
    const end = await (await endpoint(url).watch()).end();
    expect(end).toMatchObject({
      stats: { accepted: 0 },
      reason: { code: "script-not-started", severity: "suspect", message: expect.stringContaining("500") },
    });
    expect(end).not.toHaveProperty("script");
    expect(told).toContain("DELETE /__script");
  });

  it("has doubts about a trial whose script began late, or ran before", async () => {
    const late = await targetWithScript({ status: 204, afterMs: 400 });
    expect(await (await endpoint(late.url).watch()).end()).toMatchObject({
      script: SCRIPT,
      reason: { code: "script-late", severity: "suspect", limit: 250 },
    });
    const running = await targetWithScript({ status: 204 });
    running.script.secondsIn = 7.4;
    expect(await (await endpoint(running.url).watch()).end()).toMatchObject({
      script: SCRIPT,
      reason: { code: "script-running", severity: "suspect", message: expect.stringContaining("7 s") },
    });
  });

  it("says of the script also when the target did not live to its end", async () => {
    const scripted = await targetWithScript({ status: 204 });
    const dying = await endpoint(scripted.url).watch();
    await servers.pop()?.close();
    expect(await dying.end()).toMatchObject({ script: SCRIPT, reason: { code: "target-died" } });
  });

  it("ends a script that still runs before it waits for the target to be idle", async () => {
    const { url, told, script } = await targetWithScript({ status: 204 });
    script.secondsIn = 12;
    await endpoint(url).untilIdle();
    expect(told).toEqual(["DELETE /__script"]);
  });

  it("makes a target that may be cold as warm as at its start, after a trial and once it is idle, and no other one", async () => {
    const cold = await targetWithScript({ status: 204 }, { warmth: { jobs: 5, cost: 2 } });
    const watch = await endpoint(cold.url).watch();
    expect(cold.told).toEqual(["POST /__script"]);
    await watch.end();
    expect(cold.told).toEqual(["POST /__script", "DELETE /__script", "DELETE /__warmth"]);
    await endpoint(cold.url).untilIdle();
    expect(cold.told.slice(3)).toEqual(["DELETE /__warmth"]);
    const warm = await targetWithScript({ status: 204 }, { warmth: null });
    await (await endpoint(warm.url).watch()).end();
    await endpoint(warm.url).untilIdle();
    expect(warm.told).toEqual(["POST /__script", "DELETE /__script"]);
  });
});
