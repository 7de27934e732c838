import { afterEach, describe, expect, it } from "vitest";
import { EndpointTarget } from "../../../src/world/real/endpoint-target.ts";
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

function endpoint(url: string, died: string | undefined = undefined): EndpointTarget {
  return new EndpointTarget({
    url,
    connections: PLAIN_CONNECTIONS,
    pauseSeconds: 0,
    stats: true,
    died: () => died,
    stopRequested: () => false,
  });
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

  it("waits until the queue is empty and the processor at rest", async () => {
    const busy = { ...READING, queue: 3, cpuTotalSeconds: 3, uptimeSeconds: 101 };
    const idle = { ...READING, cpuTotalSeconds: 3, uptimeSeconds: 102 };
    const { url } = await targetWith([READING, READING, busy, idle, { ...idle, uptimeSeconds: 103 }]);
    expect(await endpoint(url).untilIdle()).toBeUndefined();
  });
});
