/** The program as a user meets it: a process, real sockets, real files. Bounds are coarse. */

import type { ChildProcess } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { whyUnreachable } from "../../src/world/real/reach.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { deadUrl, httpServer } from "../support/servers.ts";
import { PLAIN_CONNECTIONS } from "../support/trial-spec.ts";

let workplace: Workplace;
const started: Running[] = [];

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    signal(child, "SIGKILL");
    await ended;
  }
  await workplace.close();
});

function start(args: readonly string[]): Running {
  const running = workplace.start(args);
  started.push(running);
  return running;
}

function sumOfOutcomes(calls: Result["trials"][number]["calls"]): number {
  const { planned: _, ...outcomes } = calls;
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

/** By process id: Deno reports a child that was told through its handle as killed, whatever its exit code. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(child.pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** Starts the built-in target as a program of its own. */
async function target(): Promise<{ url: string; pid: number }> {
  const running = start(["target", "--port", "0"]);
  await running.said('"ready":true');
  const { url, pid } = JSON.parse(running.output().split("\n", 1)[0] ?? "") as { url: string; pid: number };
  return { url, pid };
}

async function reachable(url: string): Promise<boolean> {
  return (await whyUnreachable(url, PLAIN_CONNECTIONS)) === undefined;
}

describe("overload-bench", () => {
  it("loads the built-in target, prints the table and saves a result that adds up", async () => {
    const { exitCode, stdout, stderr } = await workplace.run(["--rps", "300", "--duration", "2s", "--vus", "20"]);
    expect(stderr).toContain("Built-in target at http://127.0.0.1:");
    expect([0, 4]).toContain(exitCode); // 4 when this machine is too busy: the program says so itself.
    expect(stdout).toContain("ok (goodput)");
    const [[name, result] = []] = Object.entries(await workplace.results());
    expect(stdout).toContain(`Result: ${join("results", name ?? "")}`);
    const trial = result?.trials[0];
    expect(trial?.calls.planned).toBe(sumOfOutcomes(trial?.calls as never));
    expect(trial?.calls.planned).toBeGreaterThan(500);
    // What the target worked on for nothing, because the client had given up, is accepted by the target alone.
    expect(trial?.target?.accepted).toBeGreaterThanOrEqual(trial?.attempts.accepted as number);
  });

  it("simulates, and gives the document alone on stdout with --json", async () => {
    const args = ["--sim", "shed:capacity=100", "--rps", "1000", "--duration", "20s", "--json"];
    const { exitCode, stdout } = await workplace.run(args);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 2, trials: [{ world: "virtual" }] });
  });

  it("compares off and on with the same arrivals", async () => {
    const { url } = await target();
    const args = ["ab", "--url", url, "--rps", "200", "--duration", "1s", "--repeats", "1", "--policy", "sre,k=1.5"];
    const { exitCode, stdout } = await workplace.run(args);
    expect([0, 4]).toContain(exitCode);
    expect(stdout).toContain("Goodput, pair by pair");
    const [result] = Object.values(await workplace.results());
    expect(result?.trials.map((trial) => trial.arm)).toEqual(["off", "on"]);
    expect(result?.trials[0]?.plan).toEqual(result?.trials[1]?.plan);
    expect(result?.partial).toBe(false);
  });

  it.each([
    [["--bogus"], 2, "unknown option '--bogus'"],
    [["--rps", "-5"], 2, "--rps must be a positive rate"],
    [["--url", "nonsense", "--rps", "5"], 2, "--url must be an http or https URL"],
    [["--target", "shed:color=red", "--rps", "5"], 2, "--target: "],
  ])("answers %j with exit code %d and one line", async (args, code, text) => {
    const { exitCode, stdout, stderr } = await workplace.run(args);
    expect(exitCode).toBe(code);
    expect(stderr).toContain(text);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).toBe("");
    expect(await workplace.results()).toEqual({});
  });

  it("fails before the run when nobody listens", async () => {
    const { exitCode, stderr } = await workplace.run(["--url", await deadUrl(), "--rps", "10", "-d", "1s"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^overload-bench: Cannot reach the target of --url .*: ECONNREFUSED\n$/);
  });

  it("counts every call as overload when the target never answers", async () => {
    const server = await httpServer(() => {});
    const args = ["--url", server.url, "--no-stats", "--rps", "50", "-d", "1s", "-t", "200ms", "--policy", "none"];
    const { stdout } = await workplace.run(args);
    await server.close();
    expect(stdout).toContain("timeout: ");
    const [result] = Object.values(await workplace.results());
    const trial = result?.trials[0];
    expect(trial?.calls.failed).toBe(trial?.calls.planned);
    expect(trial?.attempts.overloaded).toBe(trial?.attempts.sent);
  });

  it("calls the trial invalid when the target is killed half-way, and keeps what it measured", async () => {
    const { url, pid } = await target();
    const running = start(["--url", url, "--rps", "200", "--duration", "8s"]);
    await running.said("5/8 s");
    process.kill(pid, "SIGKILL");
    const { exitCode, stdout } = await running.ended;
    expect(exitCode).toBe(4);
    expect(stdout).toContain("The target was gone when the trial ended");
    const [result] = Object.values(await workplace.results());
    const trial = result?.trials[0];
    expect(trial?.calls.ok).toBeGreaterThan(0);
    expect(trial?.errors.ECONNREFUSED).toBeGreaterThan(0);
    expect(trial?.calls.planned).toBe(sumOfOutcomes(trial?.calls as never));
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends in order at %s: the part that ran is saved and adds up", async (name, code) => {
    const running = start(["--rps", "200", "--duration", "60s"]);
    await running.said("5/60 s");
    signal(running.child, name);
    const { exitCode, stderr, stdout } = await running.ended;
    expect(exitCode).toBe(code);
    expect(stderr).toContain("Stopping");
    expect(stdout).toContain("[interrupted]");
    const [result] = Object.values(await workplace.results());
    expect(result?.partial).toBe(true);
    const trial = result?.trials[0];
    expect(trial).toMatchObject({ interrupted: true });
    expect(trial?.calls.planned).toBeGreaterThan(500);
    expect(trial?.calls.planned).toBe(sumOfOutcomes(trial?.calls as never));
  });

  it("ends at once at the second signal", async () => {
    const server = await httpServer(() => {});
    const args = ["--url", server.url, "--no-stats", "--rps", "50", "-d", "60s", "-t", "60s", "--drain", "60s"];
    const running = start(args);
    await running.said("5/60 s");
    signal(running.child, "SIGINT");
    await running.said("Stopping");
    signal(running.child, "SIGINT");
    const { exitCode } = await running.ended;
    await server.close();
    expect(exitCode).toBe(130);
  });

  it("leaves no target behind when it is killed itself", async () => {
    const running = start(["--rps", "50", "--duration", "60s", "--json"]);
    await running.said("5/60 s");
    const url = /Built-in target at (http:[^,\s]+)/.exec(running.output())?.[1] ?? "";
    expect(await reachable(url)).toBe(true);
    signal(running.child, "SIGKILL");
    await running.ended;
    await expect.poll(() => reachable(url), { timeout: 5000, interval: 100 }).toBe(false);
  });

  it("refuses to overwrite a file, and to start where it cannot write", async () => {
    const file = join(workplace.path, "mine.json");
    await writeFile(file, "{}");
    const exists = await workplace.run(["--sim", "shed:capacity=1", "--rps", "10", "-o", file]);
    expect(exists.exitCode).toBe(2);
    expect(exists.stderr).toContain("never overwritten");
    await writeFile(join(workplace.path, "results"), "a file in the folder's place");
    const blocked = await workplace.run(["--sim", "shed:capacity=1", "--rps", "10"]);
    expect(blocked.exitCode).toBe(2);
    expect(blocked.stderr).toContain("Cannot write results to 'results'");
  });

  it.skipIf(process.platform !== "linux")("blames itself, not the target, when it may open too few files", async () => {
    const server = await httpServer(() => {});
    const args = ["--url", server.url, "--no-stats", "--rps", "400", "-d", "1s", "-t", "2s", "--policy", "none"];
    const { exitCode, stdout } = await workplace.start([...args, "--drain", "100ms"], { filesMax: 200 }).ended;
    await server.close();
    expect(exitCode).toBe(4);
    expect(stdout).toContain("ulimit -n");
    const [result] = Object.values(await workplace.results());
    const trial = result?.trials[0];
    expect(trial?.attempts.clientFault).toBeGreaterThan(0);
    expect(trial?.attempts.overloaded).toBe(0);
    expect(trial?.calls.planned).toBe(sumOfOutcomes(trial?.calls as never));
  });

  it.skipIf(process.getuid?.() === 0)("refuses to start in a folder that is read-only", async () => {
    await mkdir(join(workplace.path, "results"));
    await chmod(join(workplace.path, "results"), 0o500);
    const { exitCode, stderr } = await workplace.run(["--sim", "shed:capacity=1", "--rps", "10"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("permission denied");
  });

  it("saves its result also when nobody reads its output", async () => {
    const running = start(["--sim", "shed:capacity=100", "--rps", "1000", "--duration", "20s", "--json"]);
    running.child.stdout?.destroy();
    await running.ended;
    expect(Object.keys(await workplace.results())).toHaveLength(1);
  });
});
