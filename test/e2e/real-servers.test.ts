/** The harness against real servers, as a user runs them: two programs, real sockets. Bounds are coarse. */

import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { HAS_OPENSSL, type ServerName, whyNot } from "../targets/real-server-process.ts";

let workplace: Workplace;
const started: Running[] = [];

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    if (child.pid !== undefined && child.exitCode === null) process.kill(child.pid, "SIGTERM");
    await ended;
  }
  await workplace.close();
});

/** Starts a target through the command line. @returns its URL. */
async function target(name: ServerName, ...flags: string[]): Promise<string> {
  const running = workplace.start(["target", name, "--port", "0", ...flags]);
  started.push(running);
  await running.said('"ready":true');
  return (JSON.parse(running.output().split("\n", 1)[0] ?? "") as { url: string }).url;
}

/** Sends two seconds at five times what the target lets through. */
async function load(url: string, ...flags: string[]): Promise<Result["trials"][number]> {
  const args = ["--url", url, "--rps", "200", "-d", "2s", "--policy", "none", ...flags];
  const { exitCode, stderr } = await workplace.run(args);
  expect([0, 4], stderr).toContain(exitCode);
  const [result] = Object.values(await workplace.results());
  const trial = result?.trials[0];
  if (trial === undefined) throw new Error("no trial was saved");
  return trial;
}

type Protocol = readonly [name: string, server: readonly string[], client: readonly string[]];

/** Without openssl there is no TLS to test. */
function testable(...protocols: Protocol[]): Protocol[] {
  return protocols.filter(([, server]) => HAS_OPENSSL || !server.includes("--tls"));
}

const NGINX_PROTOCOLS = testable(
  ["HTTP/1.1", [], []],
  ["HTTP/2 over TLS", ["--tls", "--http2"], ["--insecure", "--http2"]],
);

const HAPROXY_PROTOCOLS = testable(
  ["HTTP/1.1 over TLS", ["--tls"], ["--insecure"]],
  ["HTTP/2 with prior knowledge", ["--http2"], ["--http2"]],
);

describe.runIf(IS_THOROUGH && whyNot("nginx") === "")(`overload-bench against nginx${whyNot("nginx")}`, () => {
  it.each(NGINX_PROTOCOLS)(
    "tells what limit_req lets through from what it rejects, in %s",
    async (_, server, client) => {
      const url = await target("nginx", "--rate", "40/s", "--burst", "10", "--status", "429", ...server);
      const { calls, statuses, attempts } = await load(url, ...client);
      expect(attempts.clientFault + attempts.failed).toBe(0);
      expect(calls.ok).toBe(statuses["200"]);
      // 40/s for 2 s and the burst, had the target and this machine all the time they need.
      expect(calls.ok).toBeGreaterThan(20);
      expect(calls.ok).toBeLessThan(200);
      expect(statuses["429"]).toBeGreaterThan(100);
    },
  );

  it.runIf(HAS_OPENSSL)("resumes TLS sessions on its further connections", async () => {
    const url = await target("nginx", "--rate", "1000", "--burst", "1000", "--tls");
    const { attempts, connections } = await load(url, "--insecure", "--max-requests-per-connection", "5");
    expect(attempts.clientFault + attempts.failed).toBe(0);
    // All but those that were opened before the first session came, all at once.
    const { opened = 0, peak = 0, resumed = 0 } = connections ?? {};
    expect(opened).toBeGreaterThan(50);
    expect(resumed).toBeGreaterThanOrEqual(opened - peak);
  });
});

describe.runIf(IS_THOROUGH && whyNot("haproxy") === "")(`overload-bench against HAProxy${whyNot("haproxy")}`, () => {
  it.each(HAPROXY_PROTOCOLS)(
    "tells what maxconn lets through from what waits too long, in %s",
    async (_, server, client) => {
      const url = await target(
        "haproxy",
        "--maxconn",
        "2",
        "--upstream-ms",
        "50",
        "--queue-timeout-ms",
        "200",
        ...server,
      );
      const { calls, statuses, attempts } = await load(url, ...client);
      expect(attempts.clientFault + attempts.failed).toBe(0);
      expect(calls.ok).toBe(statuses["200"]);
      expect(calls.ok).toBeGreaterThan(10);
      expect(calls.ok).toBeLessThan(200);
      expect(statuses["503"]).toBeGreaterThan(100);
    },
  );
});
