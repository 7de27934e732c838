import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type PushFlags, pushEndpoint } from "../../src/cli/flags/push-options.ts";
import { type PushRequest, sendPush } from "../../src/cli/push/push-request.ts";
import { renderOtlp } from "../../src/report/push/otlp.ts";
import { runFake } from "../support/fake-host.ts";
import { otlpValue } from "../support/otlp-check.ts";
import { pushSample } from "../support/push-sample.ts";

const flags = (change: Partial<PushFlags>): PushFlags => ({ pushHeader: [], ...change });

describe("--push", () => {
  it.each([
    ["http://c:4318/v1/metrics", "otlp", "POST"],
    ["https://c/otlp/v1/metrics/", "otlp", "POST"],
    ["http://g:9091/metrics/job/overload/instance/a", "openmetrics", "PUT"],
    ["http://g:9091/metrics/job@base64/bG9hZA", "openmetrics", "PUT"],
    ["http://v:8428/api/v1/import/prometheus", "openmetrics", "POST"],
  ])("takes %s for an endpoint of %s by %s", (push, format, method) => {
    expect(pushEndpoint(flags({ push }))).toMatchObject({ url: push, format, method });
  });

  it("does as --push-format says, whatever the URL looks like", () => {
    expect(pushEndpoint(flags({ push: "http://c/v1/metrics", pushFormat: "openmetrics" }))?.format).toBe("openmetrics");
    expect(pushEndpoint(flags({ push: "http://c/x", pushFormat: "otlp" }))?.format).toBe("otlp");
  });

  it("sends credentials of the URL as a header, and nowhere else", () => {
    const endpoint = pushEndpoint(
      flags({ push: "https://%C3%BCser:p%40ss@c/v1/metrics", pushHeader: [["X-Scope", "a"]] }),
    );
    expect(endpoint?.url).toBe("https://c/v1/metrics");
    expect(endpoint?.headers).toEqual([
      ["Authorization", `Basic ${Buffer.from("üser:p@ss").toString("base64")}`],
      ["X-Scope", "a"],
    ]);
  });

  it.each([
    [["--push", "http://c/x", "--sim", "shed:capacity=50"], "excludes --sim"],
    [["--push-format", "otlp"], "--push-format needs --push"],
    [["--push-header", "A: b"], "--push-header needs --push"],
    [["--push", "ftp://c/x"], "--push must be an http or https URL"],
    [["--push", "http://c/x", "--push-format", "statsd"], "--push-format must be one of otlp, openmetrics"],
  ])("refuses %j", async (args, message) => {
    const { exitCode, stderr, specs } = await runFake(["--rps", "10", "--duration", "1s", ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(message);
    expect(specs).toHaveLength(0);
  });

  it("is neither in the result, which does not depend on it, nor on a stream", async () => {
    const args = [
      "--rps",
      "10",
      "--duration",
      "1s",
      "--push",
      "http://u:hush@c/v1/metrics",
      "--push-header",
      "X-A: hush",
    ];
    const { exitCode, stdout, stderr, saved } = await runFake([...args, "--json"]);
    expect(exitCode).not.toBe(2);
    expect(saved.at(-1)?.result.config).not.toHaveProperty("push");
    expect(stdout + stderr + JSON.stringify(saved)).not.toContain("hush");
  });
});

describe("sendPush()", () => {
  let server: Server | undefined;
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
    server = undefined;
  });

  async function listen(
    handler: (request: IncomingMessage, body: string, response: ServerResponse) => void,
  ): Promise<string> {
    server = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => {
        body += chunk;
      });
      request.on("end", () => handler(request, body, response));
    });
    await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`;
  }

  const request = (url: string, change: Partial<PushRequest> = {}): PushRequest => ({
    url,
    method: "POST",
    headers: [["Content-Type", "application/json"]],
    body: renderOtlp(pushSample()),
    timeoutMs: 2000,
    ...change,
  });

  it("delivers body, method and headers", async () => {
    let heard: { method?: string | undefined; type?: string | undefined; token?: unknown; body: string } | undefined;
    const url = await listen(({ method, headers }, body, response) => {
      heard = { method, type: headers["content-type"], token: headers.authorization, body };
      response.end("{}");
    });
    const headers = [
      ["Content-Type", "application/json"],
      ["Authorization", "Bearer t"],
    ] as const;
    expect(await sendPush(request(url, { method: "PUT", headers }))).toBeUndefined();
    expect(heard).toMatchObject({ method: "PUT", type: "application/json", token: "Bearer t" });
    expect(otlpValue(heard?.body ?? "", "overload_bench.calls.planned")).toBe(1412);
  });

  it("takes any 2xx for success and nothing else, and follows no redirection", async () => {
    let status = 202;
    let asked = 0;
    const url = await listen((_request, _body, response) => {
      asked += 1;
      response.writeHead(status, { location: "/elsewhere" }).end("x");
    });
    expect(await sendPush(request(url))).toBeUndefined();
    for (status of [302, 400, 429, 500]) expect(await sendPush(request(url))).toBe(`answered ${status}`);
    expect(asked).toBe(5);
  });

  it("gives up on a server that does not answer", async () => {
    const url = await listen(() => {});
    expect(await sendPush(request(url, { timeoutMs: 100 }))).toBe("did not answer within 0.1 s");
  });

  it("gives up on a server that does not end its answer", async () => {
    const url = await listen((_request, _body, response) => {
      response.writeHead(200);
      response.write("{");
    });
    expect(await sendPush(request(url, { timeoutMs: 100 }))).toBeUndefined();
  });

  it("says that a server cannot be reached, and not where it is", async () => {
    const url = await listen(() => {});
    await new Promise((resolve) => server?.close(resolve));
    server = undefined;
    const why = await sendPush(request(url));
    expect(why).toMatch(/^could not be reached/);
    expect(why).not.toContain("127.0.0.1");
  });
});
