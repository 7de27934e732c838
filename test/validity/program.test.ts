/** The program as a user meets it when the measurement is spoilt: verdict, reason and exit code. */

import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { httpServer, type TestServer } from "../support/servers.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

let workplace: Workplace;
let server: TestServer | undefined;
let running: Running | undefined;

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  if (running?.child.exitCode === null) process.kill(running.child.pid as number, "SIGKILL");
  await running?.ended;
  await server?.close();
  await workplace.close();
});

function start(args: readonly string[], limits?: { readonly filesMax?: number }): Running {
  running = workplace.start(["--no-stats", "--policy", "none", ...args], limits);
  return running;
}

async function theTrial(): Promise<TrialResult> {
  const [result] = Object.values(await workplace.results());
  return result?.trials[0] as TrialResult;
}

function codesOf(trial: TrialResult): string[] {
  return trial.validity.reasons.map(({ code }) => code);
}

const LINUX = process.platform === "linux";

describe.runIf(IS_THOROUGH)("overload-bench", () => {
  it("does not vouch for a run in which it was stopped for a while (SIGSTOP)", async () => {
    server = await httpServer((_request, response) => response.end());
    const { child, ended, said } = start(["--url", server.url, "--rps", "200", "-d", "8s"]);
    await said("5/8 s");
    process.kill(child.pid as number, "SIGSTOP");
    await sleep(600);
    process.kill(child.pid as number, "SIGCONT");
    const { exitCode, stdout } = await ended;
    expect(exitCode).toBe(EXIT.invalid);
    expect(stdout).toContain("INVALID measurement");
    const trial = await theTrial();
    expect(trial.validity.verdict).toBe("invalid");
    expect(codesOf(trial)).toEqual(expect.arrayContaining(["lateness", "stall"]));
  });

  it("does not vouch for a plan far beyond what it can send", async () => {
    server = await httpServer((_request, response) => response.end());
    const bounds = ["--max-in-flight", "300", "-t", "500ms", "--drain", "500ms"];
    const { exitCode } = await start(["--url", server.url, "--rps", "200000", "-d", "1s", ...bounds]).ended;
    expect(exitCode).toBe(EXIT.invalid);
    const trial = await theTrial();
    expect(trial.validity.verdict).toBe("invalid");
    // A machine that keeps up with the plan meets the bound instead.
    expect(codesOf(trial).filter((code) => ["lateness", "in-flight-bound"].includes(code))).not.toEqual([]);
  });

  it.skipIf(!LINUX)(
    "does not vouch for a run without files for its connections, or says that it cannot load",
    async () => {
      server = await httpServer(() => {});
      const args = ["--url", server.url, "--rps", "200", "-d", "1s", "-t", "2s", "--drain", "100ms"];
      const { exitCode, stdout, stderr } = await start(args, { filesMax: 64 }).ended;
      expect(stderr).not.toMatch(/^\s+at /m);
      if (exitCode === EXIT.failed) {
        expect(stderr).toMatch(/^overload-bench: Cannot load .*ulimit -n/m);
        return;
      }
      expect(exitCode).toBe(EXIT.invalid);
      expect(stdout).toContain("ulimit -n");
      expect(codesOf(await theTrial())).toContain("client-fault");
    },
  );

  it.skipIf(!LINUX)(
    "does not vouch for a run whose connections could not be opened ahead for lack of files",
    async () => {
      server = await httpServer((_request, response) => response.end());
      const args = ["--url", server.url, "--rps", "100", "-d", "1s", "--connections", "400"];
      const { exitCode } = await start(args, { filesMax: 300 }).ended;
      expect(exitCode).toBe(EXIT.invalid);
      const { verdict, reasons } = (await theTrial()).validity;
      expect(verdict).toBe("invalid");
      expect(reasons).toContainEqual(expect.objectContaining({ code: "connections-ahead", severity: "invalid" }));
    },
  );

  it.skipIf(!LINUX)("says in one line that a worker of several could not be loaded", async () => {
    server = await httpServer((_request, response) => response.end());
    const args = ["--url", server.url, "--rps", "100", "-d", "1s", "--workers", "3", "--connections", "30"];
    const { exitCode, stderr } = await start(args, { filesMax: 64 }).ended;
    expect([EXIT.ok, EXIT.failed, EXIT.invalid]).toContain(exitCode); // Some runtimes can do with few.
    expect(stderr).not.toMatch(/^\s+at |internal error|Uncaught/m);
    if (exitCode === EXIT.failed) expect(stderr).toMatch(/^overload-bench: Cannot load .*ulimit -n/m);
  });
});
