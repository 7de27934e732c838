import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { BODY_BYTES_MAX } from "../../targets/overloadable/server.ts";
import { readStats, send, sendRaw, startTarget, statsWhen, stopTargets, TargetProcess } from "./target-process.ts";

const TIMEOUT_MS = 30_000;
const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";

afterEach(stopTargets);

describe("the overloadable target", { timeout: TIMEOUT_MS }, () => {
  test("prints one ready line with where it listens, on the runtime of the tests", async () => {
    const { target, ready, url, port, pid, runtime: targetRuntime } = await startTarget();
    expect({ ready, url, runtime: targetRuntime }).toEqual({ ready: true, url: `http://127.0.0.1:${port}`, runtime });
    expect(pid).toBe(target.child.pid);
    expect(await send(`${url}/__health`)).toMatchObject({ status: 200 });
    target.signal("SIGTERM");
    const { code, stdout, stderr } = await target.ended;
    expect({ code, stderr, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 1 });
  });

  test("rejects what finds the queue full, and its counters add up to the requests", async () => {
    const { url } = await startTarget("--accept-ms", "20", "--reject-ms", "1", "--queue", "2");
    const replies = await Promise.all(Array.from({ length: 20 }, () => send(url)));
    const ok = replies.filter(({ status }) => status === 200).length;
    const overloaded = replies.filter(({ status }) => status === 503).length;
    const stats = await readStats(url);
    expect(ok).toBeGreaterThan(0);
    expect(overloaded).toBeGreaterThan(0);
    expect(ok + overloaded).toBe(20);
    expect(stats).toMatchObject({ kind: "overloadable", mode: "shed", accepted: ok, rejected: overloaded });
    expect(stats).toMatchObject({ abandoned: 0, queue: 0, queueMax: 2, inFlight: 0, oversized: 0, runtime });
    expect(stats.cpuAcceptSeconds).toBeGreaterThanOrEqual(0.019 * ok);
    expect(stats.cpuRejectSeconds).toBeGreaterThanOrEqual(0.0009 * overloaded);
    expect(stats.cpuTotalSeconds).toBeGreaterThan(0);
    expect(stats.uptimeSeconds).toBeGreaterThan(0.02 * ok);
    expect(replies.some(({ headers }) => "retry-after" in headers)).toBe(false);
  });

  test("sends --status and --retry-after with rejections only", async () => {
    const { url } = await startTarget("shed:acceptMs=20,queue=1,status=429,retryAfter=7");
    const replies = await Promise.all(Array.from({ length: 10 }, () => send(url)));
    const retryAfterOf = new Map(replies.map(({ status, headers }) => [status, headers["retry-after"]]));
    expect(retryAfterOf).toEqual(
      new Map<number, string | undefined>([
        [200, undefined],
        [429, "7"],
      ]),
    );
  });

  test.each(["fifo", "shed"])("counts what the client gave up as abandoned in mode %s", async (mode) => {
    const { url, port } = await startTarget("--mode", mode, "--accept-ms", "100");
    const waiting = Array.from({ length: 5 }, () => send(url));
    await statsWhen(url, ({ accepted, queue }) => accepted + queue === 5);
    for (const socket of await Promise.all([sendRaw(port), sendRaw(port)])) socket.destroy();
    const replies = await Promise.all(waiting);
    const stats = await statsWhen(url, ({ queue, accepted, abandoned }) => queue === 0 && accepted + abandoned === 7);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(stats).toMatchObject({ accepted: 5, abandoned: 2, rejected: 0 });
    expect(stats.cpuAcceptSeconds).toBeGreaterThanOrEqual(mode === "fifo" ? 0.69 : 0.49);
  });

  test("answers for its counters and stops in time while rejections keep it busy", async () => {
    const { url, port, target } = await startTarget("--accept-ms", "5", "--reject-ms", "5", "--queue", "1");
    const sockets = await Promise.all(Array.from({ length: 300 }, () => sendRaw(port)));
    for (const socket of sockets) {
      socket.on("error", () => {});
      socket.on("data", () => socket.write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"));
    }
    await statsWhen(url, ({ inFlight }) => inFlight > 200);
    const startMs = performance.now();
    await readStats(url);
    expect(performance.now() - startMs).toBeLessThan(1000);
    target.signal("SIGTERM");
    expect(await target.ended).toMatchObject({ code: 0, stderr: "" });
    expect(performance.now() - startMs).toBeLessThan(5000);
    for (const socket of sockets) socket.destroy();
  });

  test("burns nothing while it has no work", async () => {
    const { url } = await startTarget();
    await send(url);
    const before = await readStats(url);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const after = await readStats(url);
    expect(after.cpuTotalSeconds - before.cpuTotalSeconds).toBeLessThan(0.5);
  });

  test("takes any method and path as work and forgets the body", async () => {
    const { url } = await startTarget();
    const body = Buffer.alloc(300_000);
    const replies = [
      await send(`${url}/orders/1?x=y`, { method: "POST", body }),
      await send(`${url}/__stats`, { method: "PUT", body }),
      await send(url, { method: "DELETE" }),
    ];
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await readStats(url)).toMatchObject({ accepted: 3, oversized: 0 });
  });

  test("refuses a body that declares more than its bound, as no work", async () => {
    const { url, port } = await startTarget();
    const socket = connect(port, "127.0.0.1");
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: ${BODY_BYTES_MAX + 1}\r\n\r\n`);
    const [chunk] = await new Promise<Buffer[]>((resolve) => socket.once("data", (...data) => resolve(data)));
    socket.destroy();
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 413 /);
    expect(await readStats(url)).toMatchObject({ accepted: 0, oversized: 1 });
  });

  test.each(["SIGTERM", "SIGINT"] as const)(
    "stops with exit code 0 on %s, open connections and work or not",
    async (signal) => {
      const { target, port } = await startTarget("--mode", "fifo", "--accept-ms", "20");
      const sockets = await Promise.all(Array.from({ length: 200 }, () => sendRaw(port)));
      for (const socket of sockets) socket.on("error", () => {});
      target.signal(signal);
      expect(await target.ended).toMatchObject({ code: 0, stderr: "" });
      for (const socket of sockets) socket.destroy();
    },
  );

  test("stops when standard input closes only with --exit-with-parent", async () => {
    const [leaving, staying] = [
      new TargetProcess(["--port", "0", "--exit-with-parent"]),
      new TargetProcess(["--port", "0"]),
    ];
    const [, { url }] = await Promise.all([leaving.ready(), staying.ready()]);
    for (const { child } of [staying, leaving]) child.stdin.end();
    expect(await leaving.ended).toMatchObject({ code: 0, stderr: "" });
    expect(await send(`${url}/__health`)).toMatchObject({ status: 200 });
  });

  test("says in one line that the port is in use, exit code 1", async () => {
    const { port } = await startTarget();
    const { code, stdout, stderr } = await new TargetProcess(["--port", String(port)]).ended;
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toBe(`overloadable: Cannot listen on 127.0.0.1 port ${port}: the port is in use (EADDRINUSE)\n`);
  });

  test("says in one line what is wrong with its flags, exit code 2", async () => {
    const { code, stdout, stderr } = await new TargetProcess(["--accept-ms", "fast"]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^overloadable: Cannot use --accept-ms .* 'fast' \(see --help\)\n$/);
  });

  test("prints its flags on --help, exit code 0", async () => {
    const { code, stdout, stderr } = await new TargetProcess(["--help"]).ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/--exit-with-parent/);
  });

  test("listens on 127.0.0.1 alone unless told otherwise", async () => {
    const { port } = await startTarget();
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect({ host: "127.0.0.2", port, timeout: 1000 });
      const settle = (value: boolean): void => {
        socket.destroy();
        resolve(value);
      };
      socket
        .on("connect", () => settle(true))
        .on("error", () => settle(false))
        .on("timeout", () => settle(false));
    });
    expect(isOpen).toBe(false);
  });

  test("does not start a server when it is imported", async () => {
    const listeners = process.listenerCount("SIGTERM");
    await import("../../targets/overloadable.ts");
    expect(process.listenerCount("SIGTERM")).toBe(listeners);
  });
});
