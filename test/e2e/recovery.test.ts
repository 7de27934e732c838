/** `recovery` with a real target, and hooks that are real commands. Bounds are coarse. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { commandFor } from "../../src/world/runtime.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { startTarget, stopTargets } from "../targets/target-process.ts";

/** So little that the machine may have a lot else to do. */
const LOAD = ["-p", "none", "--rps", "20", "--vus", "5", "-t", "1s", "--age", "none", "--no-sentinel"];
const TIMES = ["--settle", "2s", "--horizon", "8s"];

let workplace: Workplace;
let running: Running | undefined;

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  signal("SIGKILL");
  await running?.ended;
  running = undefined;
  await stopTargets();
  await workplace.close();
});

function start(args: readonly string[]): Running {
  running = workplace.start(args);
  return running;
}

/** By process id: Deno reports a child that was told through its handle as killed, whatever its exit code. */
function signal(name: NodeJS.Signals): void {
  const { pid, exitCode } = running?.child ?? {};
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

async function onlyResult(): Promise<Result> {
  const [result] = Object.values(await workplace.results());
  if (result === undefined) throw new Error("there is no result");
  return result;
}

/** A hook that writes down what it was run as, and starts and ends the target's script. @param slowSeconds that its start takes. */
async function hookFor(url: string, slowSeconds = 0): Promise<{ readonly command: string; calls(): Promise<string> }> {
  const file = join(workplace.path, "hook.mjs");
  const log = join(workplace.path, "hook.log");
  await writeFile(
    file,
    `import { appendFileSync } from "node:fs";
import process from "node:process";
const phase = process.argv[2];
appendFileSync(${JSON.stringify(log)}, phase + "\\n");
const { status } = await fetch(new URL("/__script", ${JSON.stringify(url)}), { method: phase === "start" ? "POST" : "DELETE" });
console.log("the target said " + status);
if (phase === "start") await new Promise((resolve) => setTimeout(resolve, ${1000 * slowSeconds}));
`,
  );
  const { command, args } = commandFor(file);
  return {
    command: [command, ...args].map((word) => `'${word}'`).join(" "),
    calls: () => readFile(log, "utf8").catch(() => ""),
  };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await condition()); waited += 50) {
    if (waited > 20_000) throw new Error("It did not come about");
    await sleep(50);
  }
}

describe.runIf(IS_THOROUGH)("overload-bench recovery", { timeout: 90_000 }, () => {
  it("lets the built-in target fail for a while in each trial, and tells when it was back", async () => {
    const args = [
      "recovery",
      ...LOAD,
      ...TIMES,
      "--target",
      "fifo:acceptMs=1",
      "--trigger",
      "outage:3s",
      "--repeats",
      "2",
    ];
    const { exitCode, stdout } = await start(args).ended;
    expect([0, 4]).toContain(exitCode); // 4 when this machine is too busy: the program says so itself.
    const { trials, recovery } = await onlyResult();
    expect(trials).toHaveLength(2);
    for (const trial of trials) {
      expect(trial.script).toBe("2s..5s:outage");
      expect(trial.recovery).toMatchObject({
        trigger: { kind: "outage", text: "outage:3s", fromSeconds: 2, toSeconds: 5 },
        stuck: 0,
      });
      expect(trial.recovery?.depth).toBeGreaterThan(0.3);
      expect(trial.recovery?.okBefore).toBeGreaterThan(0.3);
    }
    expect(stdout).toContain("After an outage of 3 s at 20.0/s: ");
    expect(recovery?.arms[0]?.arm).toBe("none");
  });

  it("has a command make the outage of somebody else's target, at the times that it records", async () => {
    const { url } = await startTarget("shed:acceptMs=1,rejectMs=0.1,queue=50", "--script", "0s..:outage");
    const hook = await hookFor(url);
    const args = [
      "recovery",
      "--url",
      url,
      "--no-stats",
      ...LOAD,
      "--settle",
      "2s",
      "--horizon",
      "20s",
      "--repeats",
      "1",
    ];
    const { exitCode, stderr } = await start([...args, "--hook", hook.command, "--trigger", "outage:3s"]).ended;
    expect([0, 4]).toContain(exitCode);
    expect(await hook.calls()).toBe("start\nend\n");
    expect(stderr).toMatch(/hook start: the target said 2\d\d/u);
    const [trial] = (await onlyResult()).trials;
    const { trigger, okBefore = 0, depth = 0, seconds } = trial?.recovery ?? {};
    expect(trigger).toMatchObject({ kind: "outage", hook: hook.command });
    expect(trigger?.fromSeconds).toBeGreaterThan(1.5);
    expect(trigger?.toSeconds).toBeGreaterThan(4.5);
    // What the command did shows in the load at the time that is told: it was up before, down in it, and up again.
    expect(okBefore).toBeGreaterThan(0.7);
    expect(depth).toBeGreaterThan(0.3);
    expect(seconds).not.toBeNull();
  });

  it("runs the hook's end after Ctrl-C in the middle of the trigger, and leaves the target as it was", async () => {
    const { url } = await startTarget("shed:acceptMs=1,rejectMs=0.1,queue=50", "--script", "0s..:outage");
    const hook = await hookFor(url);
    const args = ["recovery", "--url", url, "--no-stats", ...LOAD, ...TIMES, "--hook", hook.command];
    const run = start([...args, "--trigger", "hook:60s"]);
    await run.said("hook start:");
    signal("SIGINT");
    const { exitCode } = await run.ended;
    expect(exitCode).toBe(130);
    expect(await hook.calls()).toBe("start\nend\n");
    expect((await fetch(url)).status).toBe(200);
    const { partial, trials } = await onlyResult();
    expect(partial).toBe(true);
    expect(trials[0]).not.toHaveProperty("recovery");
  });

  it("runs it also when a second Ctrl-C ends the program while the hook's start is at work", async () => {
    const { url } = await startTarget("shed:acceptMs=1,rejectMs=0.1,queue=50", "--script", "0s..:outage");
    const hook = await hookFor(url, 20);
    const args = ["recovery", "--url", url, "--no-stats", ...LOAD, ...TIMES, "--hook", hook.command];
    const run = start([...args, "--trigger", "hook:60s"]);
    await until(async () => (await hook.calls()).includes("start"));
    signal("SIGINT");
    await run.said("Stopping");
    signal("SIGINT");
    expect((await run.ended).exitCode).toBe(130);
    await until(async () => (await hook.calls()) === "start\nend\n");
    await until(async () => (await fetch(url)).status === 200);
  });
});
