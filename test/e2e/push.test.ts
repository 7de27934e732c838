/** `--push` against endpoints that are real, and that fail in all the ways that endpoints do. */

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { otlpValue } from "../support/otlp-check.ts";
import { Workplace } from "../support/run-cli.ts";
import { deadUrl } from "../support/servers.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

interface Push {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly token: string | undefined;
  readonly body: string;
}

const RUN = ["--rps", "100", "--duration", "3s", "--policy", "none"];

let workplace: Workplace;
let server: Server | undefined;

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
  await workplace.close();
});

async function listen(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly pushes: Push[] }> {
  const pushes: Push[] = [];
  server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const { "content-type": type, authorization: token } = request.headers;
      pushes.push({ method: request.method, type, token, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pushes };
}

describe("--push", { timeout: 60_000 }, () => {
  it("tells an OTLP endpoint each second what is known, and at the end what the result says", async () => {
    const { url, pushes } = await listen((response) => response.end("{}"));
    const args = ["--push", `${url.replace("//", "//user:hush@")}/v1/metrics`];
    const { exitCode, stderr } = await workplace.run([...RUN, ...args]);
    expect([0, 4]).toContain(exitCode);
    expect(stderr).not.toMatch(/hush|endpoint of --push/);
    // The first moment, three seconds, the end; some may be one.
    expect(pushes.length).toBeGreaterThanOrEqual(3);
    expect(pushes.length).toBeLessThanOrEqual(8);
    for (const { method, type, token, body } of pushes) {
      expect([method, type, token]).toEqual(["POST", "application/json", "Basic dXNlcjpodXNo"]);
      expect(otlpValue(body, "overload_bench.calls.planned")).toBeGreaterThanOrEqual(0);
    }
    const [result] = Object.values(await workplace.results());
    expect(JSON.stringify(result)).not.toContain("hush");
    const { calls, attempts } = result!.trials[0]!;
    const last = pushes.at(-1)?.body ?? "";
    expect(otlpValue(last, "overload_bench.calls.planned")).toBe(calls.planned);
    expect(otlpValue(last, "overload_bench.calls", { outcome: "ok" })).toBe(calls.ok);
    expect(otlpValue(last, "overload_bench.attempts.sent")).toBe(attempts.sent);
    expect(otlpValue(last, "overload_bench.calls.in_flight")).toBe(0);
  });

  it.runIf(IS_THOROUGH)("puts OpenMetrics text to a Pushgateway", async () => {
    const { url, pushes } = await listen((response) => response.writeHead(202).end());
    await workplace.run([...RUN, "--push", `${url}/metrics/job/bench`, "--push-header", "Authorization: Bearer t"]);
    expect(pushes.length).toBeGreaterThanOrEqual(3);
    for (const { method, type, token, body } of pushes) {
      expect([method, token]).toEqual(["PUT", "Bearer t"]);
      expect(type).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
      expect(body).toMatch(/overload_bench_calls_planned_total\{.*\} \d+\n[\s\S]*# EOF\n$/);
    }
  });

  it.runIf(IS_THOROUGH).each<[string, () => Promise<string>, RegExp]>([
    ["answers 500", async () => (await listen((response) => response.writeHead(500).end())).url, /answered 500/],
    ["never answers", async () => (await listen(() => {})).url, /did not answer within 2 s/],
    ["is not there", deadUrl, /could not be reached/],
  ])("costs a run nothing when the endpoint %s, and is told once", async (_how, endpoint, why) => {
    const url = new URL("/v1/metrics", await endpoint()).href;
    const { exitCode, stderr } = await workplace.run([...RUN, "--push", url]);
    expect([0, 4]).toContain(exitCode);
    expect(stderr.match(/The endpoint of --push/g)).toHaveLength(1);
    expect(stderr).toMatch(why);
    expect(stderr).toMatch(/\d+ of \d+ pushes of metrics failed: the result is whole all the same/);
    const [result] = Object.values(await workplace.results());
    expect(result?.trials[0]?.interrupted).toBe(false);
    expect(result?.trials[0]?.calls.planned).toBeGreaterThan(200);
  });
});
