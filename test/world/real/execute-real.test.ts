/** The real world over real sockets. Bounds are coarse: what is tested is what happens, not how fast. */

import type http from "node:http";
import type net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { RealWorldSpec, TrialSpec } from "../../../src/engine/trial-spec.ts";
import { resultSchema, type TrialResult } from "../../../src/result/schema.ts";
import { executeTrial, type TrialHooks } from "../../../src/world/execute-trial.ts";
import { openH2NullServer } from "../../../src/world/real/http2/null-server.ts";
import { deadUrl, httpServer, httpsServer, rawServer, type TestServer } from "../../support/servers.ts";
import { TRANSPORT } from "../../support/transports.ts";
import { PLAIN_CONNECTIONS, trialSpec, UNWATCHED } from "../../support/trial-spec.ts";

const servers: TestServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

function opened(server: TestServer): TestServer {
  servers.push(server);
  return server;
}

interface Load {
  readonly rps?: number;
  readonly warmupSeconds?: number;
  readonly late?: TrialSpec["late"];
  readonly durationSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly drainSeconds?: number;
  readonly policy?: { name: string; options: Record<string, number> };
  readonly world?: Partial<RealWorldSpec>;
  readonly hooks?: TrialHooks;
}

async function load(url: string, change: Load = {}): Promise<TrialResult> {
  const trial = await executeTrial(
    trialSpec({
      plan: {
        seed: 1,
        arrival: { law: "constant", rate: { kind: "constant", rps: change.rps ?? 50 } },
        warmupSeconds: change.warmupSeconds ?? 0,
        durationSeconds: change.durationSeconds ?? 0.6,
        users: 5,
      },
      policy: change.policy ?? { name: "none", options: {} },
      timeoutSeconds: change.timeoutSeconds ?? 2,
      drainSeconds: change.drainSeconds ?? 5,
      late: change.late ?? { kind: "send" },
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
        ...change.world,
      },
    }),
    change.hooks ?? UNWATCHED,
  );
  expect(() => resultSchema.shape.trials.element.parse(trial)).not.toThrow();
  return trial;
}

/** Blocks this thread, and so the generator, for a third of a second in the middle of a trial. */
function blockOnce(): TrialHooks {
  let blocked = false;
  return {
    stopRequested: () => false,
    progress({ elapsedSeconds }) {
      if (blocked || elapsedSeconds < 0.3) return;
      blocked = true;
      const endMs = performance.now() + 330;
      while (performance.now() < endMs);
    },
  };
}

describe("executeTrial() in the real world", () => {
  it("shows its own stall in lateness and in response, not in service, and counts the calls that were late", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end()));
    const trial = await load(url, { rps: 100, durationSeconds: 1.5, hooks: blockOnce() });
    expect(trial.calls).toMatchObject({ planned: 150, ok: 150, dropped: 0 });
    expect(trial.late).toMatchObject({ boundMs: 10, dropped: 0 });
    // 33 calls fell due while it stood still, 31 of them more than 10 ms before it went on.
    expect(trial.late.sent).toBeGreaterThanOrEqual(30);
    expect(trial.series.reduce((sum, row) => sum + row.late, 0)).toBe(trial.late.sent);
    expect(trial.latency.lateness.count).toBe(150);
    expect(trial.latency.lateness.maxMs).toBeGreaterThan(300);
    expect(trial.latency.response.ok?.maxMs).toBeGreaterThan(300);
    expect(trial.latency.service.accepted?.p90Ms).toBeLessThan(150);
    expect(trial.validity.reasons.map(({ code }) => code)).toEqual(expect.arrayContaining(["lateness", "stall"]));
  });

  it("drops what it would start too late when told to, and calls the trial invalid for many", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end()));
    const late = { kind: "drop", afterSeconds: 0.05 } as const;
    const trial = await load(url, { rps: 100, durationSeconds: 1.5, hooks: blockOnce(), late });
    expect(trial.late).toMatchObject({ boundMs: 50, sent: 0 });
    expect(trial.late.dropped).toBeGreaterThanOrEqual(25);
    expect(trial.calls).toMatchObject({ planned: 150, dropped: trial.late.dropped, ok: 150 - trial.late.dropped });
    expect(trial.latency.lateness).toMatchObject({ count: 150, censored: trial.late.dropped });
    expect(trial.latency.lateness.maxMs).toBeGreaterThan(300);
    const codes = trial.validity.reasons.map(({ code }) => code);
    expect(codes).toContain("late-drops");
    expect(codes).not.toContain("in-flight-bound");
    expect(trial.validity.verdict).toBe("invalid");
  });

  it("keeps the warm-up out of every figure but in the series, and says when the measured window begins", async () => {
    let requests = 0;
    const seen: [hook: string, requests: number][] = [];
    const { url } = opened(
      await httpServer((_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    const startMs = performance.now();
    const trial = await load(url, {
      warmupSeconds: 1,
      hooks: {
        ...UNWATCHED,
        aboutToStart: async () => void seen.push(["aboutToStart", requests]),
        measuring: () => void seen.push(["measuring", requests]),
      },
    });
    const tookSeconds = (performance.now() - startMs) / 1000;
    expect(requests).toBe(80);
    expect(trial.durationSeconds).toBe(0.6);
    expect(trial.calls).toMatchObject({ planned: 30, ok: 30 });
    expect(trial.warmup).toMatchObject({ seconds: 1, calls: { planned: 50, ok: 50 }, attempts: { sent: 50 } });
    expect(trial.statuses).toEqual({ "200": 30 });
    expect(trial.latency.lateness.count).toBe(30);
    expect(trial.series.map((row) => row.offered)).toEqual([50, 30]);
    expect(trial.generator?.wallSeconds).toBeLessThan(tookSeconds - 1);
    expect(seen.map(([hook]) => hook)).toEqual(["aboutToStart", "measuring"]);
    expect(seen[0]?.[1]).toBe(0);
    expect(seen[1]?.[1]).toBeGreaterThan(0);
    expect(seen[1]?.[1]).toBeLessThan(80);
  });

  it("has nothing to show, and says so, when it is stopped in the warm-up", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end()));
    let began = false;
    let came = 0;
    const hooks: TrialHooks = {
      stopRequested: () => came > 0,
      progress({ planned }) {
        came = planned;
      },
      measuring() {
        began = true;
      },
    };
    const trial = await load(url, { warmupSeconds: 30, hooks });
    expect(began).toBe(false);
    expect(trial).toMatchObject({ interrupted: true, durationSeconds: 0, calls: { planned: 0 } });
    expect(trial.warmup?.calls.planned).toBeGreaterThan(0);
    expect(trial.rates).toEqual({ offered: 0, sent: 0, accepted: 0, goodput: 0 });
    expect(trial.validity.verdict).toBe("invalid");
    expect(trial.validity.reasons).toContainEqual(expect.objectContaining({ code: "interrupted" }));
  });

  it("has more than 256 calls under way at once, each on a connection of its own", async () => {
    let underWay = 0;
    let underWayMax = 0;
    const { url } = opened(
      await httpServer((_request, response) => {
        underWay += 1;
        underWayMax = Math.max(underWayMax, underWay);
        setTimeout(() => {
          underWay -= 1;
          response.end("ok");
        }, 1500);
      }),
    );
    const trial = await load(url, { rps: 400, durationSeconds: 1, timeoutSeconds: 20, drainSeconds: 20 });
    expect(trial.calls.ok).toBe(400);
    expect(underWayMax).toBeGreaterThan(256);
    expect(trial.connections?.peak).toBeGreaterThan(256);
  }, 30_000);

  it("sends the whole plan and counts each answer", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end("hello")));
    const trial = await load(url);
    expect(trial.calls).toMatchObject({ planned: 30, ok: 30 });
    expect(trial.statuses).toEqual({ "200": 30 });
    expect(trial.connections?.opened).toBeGreaterThanOrEqual(1);
    expect(trial.connections?.opened).toBeLessThan(30);
    expect(trial.generator?.cpuSeconds).toBeGreaterThan(0);
    expect(trial.latency.service.accepted?.count).toBe(30);
  });

  it("starts no call before its time, in both pacings", async () => {
    for (const pacing of ["timer", "precise"] as const) {
      const arrivals: number[] = [];
      const server = await httpServer((_request, response) => {
        arrivals.push(performance.now());
        response.end();
      });
      const { url } = opened(server);
      const { latency } = await load(url, { rps: 20, durationSeconds: 1, world: { pacing } });
      expect(latency.lateness.count).toBe(20);
      // Twenty calls, 50 ms apart: the last one comes 950 ms after the first, not sooner but for the connection's set-up.
      expect((arrivals.at(-1) as number) - (arrivals[0] as number)).toBeGreaterThan(850);
    }
  });

  it("speaks HTTP/2 when told to, on few connections", async () => {
    const server = await openH2NullServer();
    const trial = await load(server.url, { world: { connections: { ...PLAIN_CONNECTIONS, http2: true } } });
    server.close();
    expect(trial.calls.planned).toBe(30);
    expect(trial.statuses).toEqual({ "200": 15, "503": 15 });
    expect(trial.connections?.opened).toBeLessThan(5);
  });

  it("sends method, path, headers and body as told, and credentials of the URL as Basic authorization", async () => {
    const seen: { method?: string; url?: string; headers: http.IncomingHttpHeaders; body: string }[] = [];
    const server = await httpServer((request, response) => {
      let body = "";
      request.on("data", (chunk) => {
        body += chunk;
      });
      request.on("end", () => {
        seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
        response.end();
      });
    });
    const { url } = opened(server);
    await load(`${url.replace("//", "//me:pass%20word@")}a/b?c=d`, {
      rps: 10,
      durationSeconds: 0.2,
      world: { method: "PUT", headers: [["X-Load", "yes"]], body: new TextEncoder().encode("payload") },
    });
    expect(seen.length).toBe(2);
    expect(seen[0]).toMatchObject({ method: "PUT", url: "/a/b?c=d", body: "payload" });
    expect(seen[0]?.headers).toMatchObject({
      "x-load": "yes",
      "content-length": "7",
      authorization: `Basic ${btoa("me:pass word")}`,
    });
  });

  it("takes 503 for overload, retries it, and gives up", async () => {
    const { url } = opened(
      await httpServer((_request, response) => {
        response.writeHead(503).end("no");
      }),
    );
    const trial = await load(url, { policy: { name: "retry", options: { maxAttempts: 3 } } });
    expect(trial.calls.failed).toBe(30);
    expect(trial.attempts).toMatchObject({ sent: 90, overloaded: 90 });
    expect(trial.amplification).toBe(3);
  });

  it("times each attempt out at its deadline when there is no answer at all", async () => {
    const { url } = opened(await rawServer(() => {}));
    const trial = await load(url, { timeoutSeconds: 0.3, rps: 20, durationSeconds: 0.5 });
    expect(trial.errors).toEqual({ timeout: 10 });
    expect(trial.attempts.overloaded).toBe(10);
    expect(trial.latency.service.overloaded?.censored).toBe(10);
    expect(trial.latency.response.failed?.minMs).toBeGreaterThanOrEqual(299);
    expect(trial.latency.response.failed?.maxMs).toBeLessThan(2000);
  });

  it.each([
    ["headers that never end", "HTTP/1.1 200 OK\r\nX: "],
    ["a body that never ends", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\nx"],
  ])("holds the deadline also against %s", async (_name, text) => {
    const { url } = opened(await rawServer((socket) => socket.write(text)));
    const trial = await load(url, { timeoutSeconds: 0.3, rps: 20, durationSeconds: 0.3 });
    expect(trial.errors).toEqual({ timeout: 6 });
  });

  it("takes a refused connection for overload when nobody listens", async () => {
    const trial = await load(await deadUrl());
    expect(trial.attempts.overloaded).toBe(30);
    expect(trial.errors).toEqual({ ECONNREFUSED: 30 });
    expect(trial.calls.failed).toBe(30);
  });

  it("keeps its counts when every refused attempt is retried at once", async () => {
    const trial = await load(await deadUrl(), { rps: 500, policy: { name: "retry", options: { maxAttempts: 3 } } });
    expect(trial.attempts).toMatchObject({ sent: 900, overloaded: 900 });
  });

  it("takes a connection that breaks in the middle of an answer for a reset", async () => {
    const { url } = opened(
      await rawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        setTimeout(() => socket.destroy(), 20);
      }),
    );
    const trial = await load(url);
    expect(trial.attempts.overloaded).toBe(30);
    expect(trial.calls.ok).toBe(0);
  });

  it("takes an answer that is no HTTP for a failed attempt, not for overload", async () => {
    const { url } = opened(await rawServer((socket) => socket.end("garbage\r\n\r\n")));
    const trial = await load(url);
    expect(trial.attempts).toMatchObject({ failed: 30, overloaded: 0 });
  });

  it("takes a switch of protocols for a failed attempt, and such a trial for an invalid one", async () => {
    const { url } = opened(await rawServer((socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n")));
    const trial = await load(url);
    expect(trial.attempts).toMatchObject({ failed: 30, overloaded: 0 });
    expect(trial.validity.verdict).toBe("invalid");
    expect(trial.validity.reasons.map((reason) => reason.code)).toContain("nothing-understood");
  });

  it("sends again what met a connection that the server had closed for idleness", async () => {
    // The server closes each connection some time after its answer, without saying so, like many balancers do.
    const { url } = opened(
      await rawServer((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        setTimeout(() => socket.destroy(), 50);
      }),
    );
    const trial = await load(url, { rps: 20, durationSeconds: 2 });
    // On a machine that stands still for a moment, a break may show too late to be told from a reset: a few at most.
    expect(trial.calls.planned).toBe(40);
    expect(trial.calls.ok).toBeGreaterThanOrEqual(37);
    expect(trial.attempts.sent).toBe(40 + trial.attempts.staleConnection);
    expect(trial.connections?.peak).toBeLessThan(10);
    expect(trial.attempts.overloaded).toBe(0);
  });

  it("does not send twice what must not be: a POST on a connection that breaks counts against the target", async () => {
    let requests = 0;
    const { url } = opened(
      await rawServer((socket) => {
        requests += 1;
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        setTimeout(() => socket.destroy(), 50);
      }),
    );
    const trial = await load(url, { rps: 20, durationSeconds: 2, world: { method: "POST" } });
    expect(trial.attempts.staleConnection).toBe(0);
    expect(trial.attempts.sent).toBe(40);
    expect(requests).toBeLessThanOrEqual(40);
  });

  it("takes a request that the server read and dropped for a reset, not for a stale connection", async () => {
    const { url } = opened(
      await rawServer((socket) => {
        const seen = (socket as { seen?: number }).seen ?? 0;
        (socket as { seen?: number }).seen = seen + 1;
        if (seen % 2 === 0) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
        else setTimeout(() => socket.destroy(), 100);
      }),
    );
    const trial = await load(url, { rps: 10, durationSeconds: 2 });
    expect(trial.attempts.staleConnection).toBe(0);
    expect(trial.attempts.overloaded).toBeGreaterThan(0);
  });

  it("speaks TLS, and accepts a certificate that does not verify only when told to", async () => {
    const { url } = opened(await httpsServer((_request, response) => response.end("hello")));
    const trusting = await load(url, {
      world: {
        connections: { ...PLAIN_CONNECTIONS, tls: { ...PLAIN_CONNECTIONS.tls, insecure: true } },
      },
    });
    expect(trusting.calls.ok).toBe(30);
    const strict = await load(url);
    expect(strict.attempts).toMatchObject({ accepted: 0, clientFault: 30 });
    expect(strict.validity.verdict).toBe("invalid");
    expect(strict.validity.reasons.map((reason) => reason.hint).join()).toContain("--insecure");
  });

  it("ends a TLS handshake that hangs at the deadline", async () => {
    const sockets = new Set<net.Socket>();
    const { url } = opened(await rawServer(() => {}, { sockets }));
    const trial = await load(url.replace("http:", "https:"), { timeoutSeconds: 0.2, durationSeconds: 1 });
    expect(trial.errors).toEqual({ timeout: 50 });
    await expect.poll(() => sockets.size, { timeout: 5000 }).toBe(0);
  });

  it("leaves calls unfinished when the drain ends first, with their age as a lower bound", async () => {
    const { url } = opened(await rawServer(() => {}));
    const trial = await load(url, { timeoutSeconds: 30, drainSeconds: 0.2, rps: 20, durationSeconds: 0.5 });
    expect(trial.calls.unfinished).toBe(10);
    expect(trial.attempts.inFlight).toBe(10);
    expect(trial.latency.response.unfinished).toMatchObject({ count: 10, censored: 10 });
  });

  it("stops when asked, and what came so far adds up", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end()));
    let came = 0;
    const trial = await load(url, {
      durationSeconds: 30,
      hooks: {
        stopRequested: () => came > 0,
        progress({ planned }) {
          came = planned;
        },
      },
    });
    expect(trial.interrupted).toBe(true);
    expect(trial.calls.planned).toBeGreaterThan(0);
    expect(trial.durationSeconds).toBeLessThan(10);
    expect(trial.calls.ok).toBe(trial.calls.planned);
  });

  it("sends nothing when it is asked to stop before the first arrival", async () => {
    let requests = 0;
    const { url } = opened(
      await httpServer((_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    const trial = await load(url, { durationSeconds: 30, hooks: { stopRequested: () => true, progress() {} } });
    expect(trial).toMatchObject({ interrupted: true, calls: { planned: 0 } });
    expect(requests).toBe(0);
  });

  it("goes on counting when the server dies half-way", async () => {
    const server = await httpServer((_request, response) => response.end());
    const hooks: TrialHooks = {
      stopRequested: () => false,
      progress({ ok }) {
        if (ok > 20) void server.close();
      },
    };
    const trial = await load(server.url, { durationSeconds: 3, hooks });
    expect(trial.calls.planned).toBe(150);
    expect(trial.calls.ok).toBeGreaterThan(0);
    expect(trial.calls.failed).toBeGreaterThan(0);
    expect(trial.attempts.overloaded).toBeGreaterThan(0);
  });

  it("reaches localhost by whichever family the server listens on", async () => {
    const { url } = opened(await httpServer((_request, response) => response.end()));
    const trial = await load(url.replace("127.0.0.1", "localhost"));
    expect(trial.calls.ok).toBe(30);
  });
});
