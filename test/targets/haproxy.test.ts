import { afterEach, describe, expect, test } from "vitest";
import { HAPROXY_FLAGS } from "../../targets/haproxy/options.ts";
import { HAPROXY } from "../../targets/haproxy/server.ts";
import { parseFlags } from "../../targets/program/flags.ts";
import { H2Client } from "../support/h2-client.ts";
import { HAS_OPENSSL, type RealServerProcess, sendSecurely, startReal, whyNot } from "./real-server-process.ts";
import { send, sendRaw, stopTargets } from "./target-process.ts";

const started: RealServerProcess[] = [];

afterEach(async () => {
  await stopTargets();
  for (const target of started.splice(0)) await target.forget();
});

async function start(...flags: string[]) {
  const ready = await startReal("haproxy", ...flags);
  started.push(ready.target);
  return ready;
}

async function timed(url: string) {
  const startMs = performance.now();
  const reply = await send(url);
  return { ...reply, ms: performance.now() - startMs };
}

async function statsOf(url: string): Promise<Record<string, unknown>> {
  return JSON.parse((await send(`${url}/__stats`)).body);
}

describe.skipIf(whyNot("haproxy") !== "")(`target haproxy${whyNot("haproxy")}`, () => {
  test("gives the upstream maxconn requests at once, and answers what waits too long after the queue time-out", async () => {
    const { url } = await start("--maxconn", "2", "--upstream-ms", "1000", "--queue-timeout-ms", "200");
    const replies = await Promise.all(Array.from({ length: 6 }, () => timed(url)));
    const ok = replies.filter(({ status }) => status === 200);
    const rejected = replies.filter(({ status }) => status === 503);
    expect([ok.length, rejected.length]).toEqual([2, 4]);
    for (const { ms, headers, body } of rejected) {
      expect(ms).toBeGreaterThan(190);
      expect(headers).not.toHaveProperty("retry-after");
      expect(body).toBe("overloaded\n");
    }
    expect(await statsOf(url)).toMatchObject({ served: 2, busy: 0, queueMax: 0 });
  });

  test("answers from the queue in time, and rejects with --status and --retry-after", async () => {
    const { url } = await start(
      ...["--maxconn", "1", "--upstream-ms", "400", "--queue-timeout-ms", "600"],
      ...["--status", "429", "--retry-after", "7"],
    );
    const replies = await Promise.all(Array.from({ length: 5 }, () => timed(url)));
    const seen = replies.map(({ status, headers }) => `${status} ${headers["retry-after"]}`);
    expect(seen.toSorted()).toEqual(["200 undefined", "200 undefined", "429 7", "429 7", "429 7"]);
  });

  test.each([
    { flags: [], served: 3 },
    { flags: ["--abort-on-close"], served: 1 },
  ])(
    "gives the upstream what its client gave up in the queue, but not with --abort-on-close: $flags",
    async (given) => {
      const { url, port } = await start(
        "--maxconn",
        "1",
        "--upstream-ms",
        "400",
        "--queue-timeout-ms",
        "5000",
        ...given.flags,
      );
      const first = timed(url);
      await expect.poll(() => statsOf(url)).toMatchObject({ busy: 1 });
      for (const socket of await Promise.all([sendRaw(port), sendRaw(port)])) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        socket.destroy();
      }
      expect(await first).toMatchObject({ status: 200 });
      // The queue is in order: when this one is answered, all before it have had their turn.
      expect(await send(url)).toMatchObject({ status: 200 });
      expect(await statsOf(url)).toMatchObject({ served: given.served + 1, busy: 0 });
    },
  );

  test.skipIf(!HAS_OPENSSL)("speaks TLS with a certificate that can be trusted", async () => {
    const { url, port, certificate } = await start("--tls");
    expect(url).toBe(`https://127.0.0.1:${port}`);
    expect(await sendSecurely(url, certificate)).toMatchObject({ status: 200, body: "ok\n" });
    expect(await sendSecurely(`https://localhost:${port}`, certificate)).toMatchObject({ status: 200 });
  });

  test.each([...(HAS_OPENSSL ? [[["--tls", "--http2"]]] : []), [["--http2"]]])(
    "speaks HTTP/2 with %j, rejections included",
    async (flags) => {
      const { url } = await start(...flags, "--maxconn", "2", "--upstream-ms", "1000", "--queue-timeout-ms", "100");
      const client = new H2Client(url);
      const ended = await client.many(5);
      expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 200, 503, 503, 503]);
      await client.transport.close();
    },
  );
});

describe("the theory of target haproxy", () => {
  test.each([
    [[], 400, 500],
    [["--maxconn", "100", "--upstream-workers", "4", "--queue-timeout-ms", "50"], 200, 50],
  ])("of %j: capacity %d/s, a wait of at most %d ms", (flags, capacityRps, waitMsMax) => {
    const options = parseFlags(HAPROXY_FLAGS, flags);
    if (options === "help") throw new Error("not asked for help");
    expect(HAPROXY.theory(options)).toEqual({ capacityRps, waitMsMax });
  });
});
