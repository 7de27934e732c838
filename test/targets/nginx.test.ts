import { afterEach, describe, expect, test } from "vitest";
import { nginxConfiguration } from "../../targets/nginx/configuration.ts";
import { NGINX_FLAGS } from "../../targets/nginx/options.ts";
import { NGINX } from "../../targets/nginx/server.ts";
import { UsageError } from "../../targets/program/arguments.ts";
import { parseFlags } from "../../targets/program/flags.ts";
import { H2Client } from "../support/h2-client.ts";
import { HAS_OPENSSL, type RealServerProcess, sendSecurely, startReal, whyNot } from "./real-server-process.ts";
import { send, stopTargets } from "./target-process.ts";

const started: RealServerProcess[] = [];

afterEach(async () => {
  await stopTargets();
  for (const target of started.splice(0)) await target.forget();
});

async function start(...flags: string[]) {
  const ready = await startReal("nginx", ...flags);
  started.push(ready.target);
  return ready;
}

function optionsOf(...flags: string[]) {
  const options = parseFlags(NGINX_FLAGS, flags);
  if (options === "help") throw new Error("not asked for help");
  return options;
}

describe.skipIf(whyNot("nginx") !== "")(`target nginx${whyNot("nginx")}`, () => {
  test("lets rate and burst through, and answers what is beyond with --status and --retry-after", async () => {
    const { url } = await start("--rate", "1/m", "--burst", "2", "--nodelay", "--status", "429", "--retry-after", "7");
    const replies = await Promise.all(Array.from({ length: 8 }, () => send(url)));
    const seen = replies.map(({ status, headers, body }) => `${status} ${headers["retry-after"]} ${body.trim()}`);
    expect(seen.toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => "200 undefined ok"),
      ...Array.from({ length: 5 }, () => "429 7 overloaded"),
    ]);
    expect(JSON.parse((await send(`${url}/__stats`)).body)).toMatchObject({ served: 3 });
  });

  test("rejects with 503 and without a Retry-After unless told otherwise", async () => {
    const { url } = await start("--rate", "1/m", "--burst", "0");
    const replies = [await send(url), await send(url)];
    expect(replies.map(({ status }) => status)).toEqual([200, 503]);
    expect(replies[1]?.headers).not.toHaveProperty("retry-after");
  });

  test("holds the burst back to the rate without --nodelay", async () => {
    const { url, waitMsMax } = await start("--rate", "10/s", "--burst", "3", "--upstream-ms", "1");
    const startMs = performance.now();
    const replies = await Promise.all(Array.from({ length: 4 }, () => send(url)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(performance.now() - startMs).toBeGreaterThan(250);
    expect(waitMsMax).toBe(300);
  });

  test.skipIf(!HAS_OPENSSL)("speaks TLS with a certificate that can be trusted", async () => {
    const { url, port, certificate } = await start("--tls");
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect(await sendSecurely(url, certificate)).toMatchObject({ status: 200, body: "ok\n" });
    expect(await sendSecurely(`https://localhost:${port}`, certificate)).toMatchObject({ status: 200 });
  });

  test.each([...(HAS_OPENSSL ? [[["--tls", "--http2"]]] : []), [["--http2"]]])(
    "speaks HTTP/2 with %j, rejections included",
    async (flags) => {
      const { url } = await start(...flags, "--rate", "1/m", "--burst", "4", "--nodelay");
      const client = new H2Client(url);
      const ended = await client.many(8);
      expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
      await client.transport.close();
    },
  );
});

describe.skipIf(whyNot("nginx") !== "")(`target nginx with --keepalive-requests${whyNot("nginx")}`, () => {
  test("closes a connection of HTTP/2 after so many requests, and none is lost", async () => {
    const { url } = await start("--http2", "--rate", "1000000/s", "--burst", "1000", "--keepalive-requests", "10");
    const client = new H2Client(url);
    const statuses = new Set<number>();
    for (let request = 0; request < 50; request += 1) statuses.add((await client.get()).status);
    expect([...statuses]).toEqual([200]);
    await client.transport.close();
  });
});

describe("the theory of target nginx", () => {
  test.each([
    [[], 200, 100],
    [["--nodelay"], 200, 0],
    [["--rate", "90/m", "--burst", "3"], 1.5, 2000],
    [["--rate", "5000", "--upstream-ms", "10", "--upstream-workers", "4"], 400, 4],
  ])("of %j: capacity %d/s, a wait of at most %d ms", (flags, capacityRps, waitMsMax) => {
    expect(NGINX.theory(optionsOf(...flags))).toEqual({ capacityRps, waitMsMax });
  });

  test.each(["0", "x", "5/h", "1.5/s", "/s", "1000001"])("--rate refuses %j", (text) => {
    expect(() => optionsOf("--rate", text)).toThrow(UsageError);
  });
});

describe("nginxConfiguration()", () => {
  test("keeps everything that nginx writes in the folder, and names one bucket for all clients", () => {
    const text = nginxConfiguration(optionsOf("--rate", "90/m"), {
      folder: "/folder",
      port: 8080,
      upstreamSocket: "/folder/upstream.sock",
      ownSocket: "/folder/own.sock",
      certificate: undefined,
      connectionsMax: 100,
    });
    expect(text).toContain("limit_req_zone $server_name zone=all:64k rate=90r/m;");
    expect(text).toContain("limit_req zone=all burst=20;");
    expect(text).toContain("worker_connections 200;");
    const paths = [...text.matchAll(/(?:_path|pid) "([^"]*)"/g)].map(([, path]) => path);
    expect(paths).toHaveLength(6);
    for (const path of paths) expect(path).toMatch(/^\/folder\//);
  });
});
