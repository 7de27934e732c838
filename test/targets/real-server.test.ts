/** What nginx and HAProxy have in common as targets: how they start, complain and end. */

import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { whyUnreachable } from "../../src/world/real/reach.ts";
import { findProgram } from "../../targets/real-server/find-program.ts";
import { PLAIN_CONNECTIONS } from "../support/trial-spec.ts";
import {
  groupIdOf,
  membersOf,
  RealServerProcess,
  type ServerName,
  signal,
  startReal,
  whyNot,
} from "./real-server-process.ts";
import { send, stopTargets } from "./target-process.ts";

const SERVERS: readonly ServerName[] = ["nginx", "haproxy"];
const runtime = "Bun" in globalThis ? "bun" : "Deno" in globalThis ? "deno" : "node";
const started: RealServerProcess[] = [];

afterEach(async () => {
  await stopTargets();
  for (const target of started.splice(0)) await target.forget();
});

async function start(name: ServerName, ...flags: string[]) {
  const ready = await startReal(name, ...flags);
  started.push(ready.target);
  return ready;
}

function launch(name: ServerName, flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const target = new RealServerProcess(name, flags, env);
  started.push(target);
  return target;
}

async function untilGone(group: number, target: RealServerProcess): Promise<void> {
  await expect.poll(() => membersOf(group), { timeout: 10_000 }).toEqual([]);
  await expect.poll(() => target.leftovers(), { timeout: 10_000 }).toEqual([]);
}

describe.each(SERVERS)("target %s without its program", (name) => {
  test("says which package to install", async () => {
    const { code, stdout, stderr } = await launch(name, ["--port", "0"], { PATH: "" }).ended;
    expect(stderr).toBe(`${name}: ${name} is not installed: apt-get install ${name}\n`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });

  test.each([
    [["--bad"], "Unknown option '--bad'"],
    [["--port", "65536"], "--port as it must be a whole number from 0 to 65535: current value is '65536'"],
    [
      ["--upstream-ms", "0"],
      "--upstream-ms as it must be a number of milliseconds from 1 to 10000: current value is '0'",
    ],
    [["--upstream-workers", "1.5"], "--upstream-workers as it must be a whole number of workers"],
    [["--host", "a;b"], "--host as it must be an address: current value is 'a;b'"],
    [["--status", "200"], "--status as it must be a whole status from 400 to 599"],
    [["--retry-after", "soon"], "--retry-after as it must be a whole number of seconds"],
    [["stray"], "Unexpected argument 'stray'"],
  ])("answers %j with one line and exit code 2", async (flags, message) => {
    const { code, stdout, stderr } = await launch(name, flags, { PATH: "" }).ended;
    expect(stderr.startsWith(`${name}: `)).toBe(true);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  test("tells its flags with --help", async () => {
    const { code, stdout, stderr } = await launch(name, ["--help"], { PATH: "" }).ended;
    expect(stdout).toContain(`Usage: overload-bench target ${name} [options]`);
    expect(stdout).toContain("--upstream-ms MS");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(120);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});

for (const name of SERVERS) {
  describe.skipIf(whyNot(name) !== "")(`target ${name}${whyNot(name)}`, () => {
    test("prints one ready line in the form of the built-in target, with the theory", async () => {
      const { target, ready, url, port, pid, runtime: its, ...rest } = await start(name, "--upstream-ms", "50");
      expect({ ready, url, runtime: its }).toEqual({ ready: true, url: `http://127.0.0.1:${port}`, runtime });
      expect(pid).toBe(target.child.pid);
      expect(rest).toEqual({
        server: name,
        serverPid: expect.any(Number),
        ...(name === "nginx" ? { capacityRps: 200, waitMsMax: 100 } : { capacityRps: 160, waitMsMax: 500 }),
      });
      expect(await send(`${url}/__health`)).toMatchObject({ status: 200, body: "healthy\n" });
      expect(await send(url)).toMatchObject({ status: 200, body: "ok\n" });
      expect(JSON.parse((await send(`${url}/__stats`)).body)).toMatchObject({ kind: "upstream", served: 1, queue: 0 });
    });

    test.each(["SIGTERM", "SIGINT"] as const)("ends in order at %s and leaves nothing behind", async (how) => {
      const { target, serverPid, url } = await start(name);
      const group = groupIdOf(serverPid);
      expect(membersOf(group).length).toBeGreaterThan(1);
      target.signal(how);
      const { code, stdout, stderr } = await target.ended;
      expect({ code, stderr, lines: stdout.trimEnd().split("\n").length }).toEqual({ code: 0, stderr: "", lines: 1 });
      await untilGone(group, target);
      expect(await whyUnreachable(url, PLAIN_CONNECTIONS)).toBe("ECONNREFUSED");
    });

    test("ends when its standard input closes", async () => {
      const { target, serverPid } = await start(name);
      const group = groupIdOf(serverPid);
      target.child.stdin.end();
      expect(await target.ended).toMatchObject({ code: 0, stderr: "" });
      await untilGone(group, target);
    });

    test("leaves nothing behind when it is killed itself", async () => {
      const { target, serverPid } = await start(name);
      const group = groupIdOf(serverPid);
      target.signal("SIGKILL");
      await target.ended;
      await untilGone(group, target);
    });

    test("fails when the server is killed, and leaves nothing of it", async () => {
      const { target, serverPid } = await start(name);
      const group = groupIdOf(serverPid);
      signal(serverPid, "SIGKILL");
      const { code, stderr } = await target.ended;
      expect(stderr).toBe(`${name}: The server has gone by itself (ended by signal 9)\n`);
      expect(code).toBe(1);
      await untilGone(group, target);
    });

    test("leaves nothing behind when the shell between them is killed", async () => {
      const { target, serverPid } = await start(name);
      const group = groupIdOf(serverPid);
      signal(group, "SIGKILL");
      expect(await target.ended).toMatchObject({ code: 1 });
      await untilGone(group, target);
    });

    test("says in one line that its port is taken, and takes no part of it", async () => {
      const { port, url } = await start(name);
      const target = launch(name, ["--port", String(port)]);
      const { code, stdout, stderr } = await target.ended;
      expect(stderr).toMatch(new RegExp(`^${name}: It did not start: .*address already in use.*\\n$`, "i"));
      expect({ code, stdout, leftovers: target.leftovers() }).toEqual({ code: 1, stdout: "", leftovers: [] });
      expect(await send(url)).toMatchObject({ status: 200 });
    });

    test("can be told to stop before it is ready", async () => {
      const { port } = await start(name);
      const target = launch(name, ["--port", String(port)]);
      await expect.poll(() => target.leftovers(), { timeout: 10_000, interval: 5 }).not.toEqual([]);
      target.child.stdin.end();
      const { code, stdout } = await target.ended;
      expect(stdout).toBe("");
      // 1 when the server had already given up on the port.
      expect([0, 1]).toContain(code);
      expect(target.leftovers()).toEqual([]);
    });

    test("says which package --tls needs", async () => {
      const bin = mkdtempSync(join(tmpdir(), "ob-test-"));
      symlinkSync(findProgram(name) as string, join(bin, name));
      const target = launch(name, ["--port", "0", "--tls"], { PATH: bin });
      const { code, stdout, stderr } = await target.ended;
      rmSync(bin, { recursive: true });
      expect(stderr).toBe(`${name}: openssl is not installed, and --tls needs it: apt-get install openssl\n`);
      expect({ code, stdout, leftovers: target.leftovers() }).toEqual({ code: 1, stdout: "", leftovers: [] });
    });

    test("listens where it is told to", async () => {
      const { url } = await start(name, "--host", "127.0.0.2");
      expect(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/);
      expect(await send(url)).toMatchObject({ status: 200 });
    });
  });
}
