import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { HookClock } from "../../src/cli/commands/recovery/hook-clock.ts";
import { TriggerHook, type TriggerHookOptions } from "../../src/cli/commands/recovery/trigger-hook.ts";
import { type HookPhase, type HookShell, hookShell } from "../../src/cli/hook-shell.ts";
import type { TrialResult } from "../../src/result/schema.ts";
import { inFolder } from "../support/journal-fixture.ts";
import { startingModule } from "../support/run-program.ts";
import { trialFixture } from "../support/trial-fixture.ts";

interface Watched {
  readonly hook: TriggerHook;
  readonly events: string[];
}

/** A hook of 0.1 s from 0.1 s of the trial on, whose commands take as long and fail as the test says. */
function watched(change: Partial<TriggerHookOptions> = {}, run: HookShell["run"] = async () => undefined): Watched {
  const events: string[] = [];
  const hook = new TriggerHook({
    command: "cmd",
    trigger: { kind: "hook", text: "hook:100ms" },
    fromSeconds: 0.1,
    toSeconds: 0.2,
    shell: {
      async run(command, phase, said) {
        events.push(phase);
        return await run(command, phase, said);
      },
      leave: (_command, phase) => void events.push(`left ${phase}`),
    },
    note: (text) => void events.push(`note ${text}`),
    failed: () => void events.push("failed"),
    ...change,
  });
  return { hook, events };
}

/** Ten calls a second for 20 s, all ok. */
function trial(change: Partial<TrialResult> = {}): TrialResult {
  const fixture = trialFixture({ durationSeconds: 20 });
  const [row] = fixture.series;
  if (row === undefined) throw new Error("no series");
  const series = Array.from({ length: 20 }, (_, second) => ({ ...row, second, offered: 10, ok: 10, sent: 10 }));
  return { ...fixture, series, ...change };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

const failing =
  (phase: HookPhase): HookShell["run"] =>
  async (_command, asked) =>
    asked === phase ? "failed with exit code 3" : undefined;

describe("TriggerHook", () => {
  it("runs start and end in their order, and tells when that was in seconds of the measured window", async () => {
    const { hook, events } = watched();
    hook.progress(0.01);
    await until(() => events.includes("end"));
    await hook.ended();
    expect(events).toEqual(["start", "end"]);
    const { recovery, validity } = hook.judged(trial());
    // Its calls came back ok all the time.
    expect(validity.reasons.map(({ code }) => code)).toEqual(["trigger-without-effect"]);
    expect(recovery?.trigger).toMatchObject({ kind: "hook", text: "hook:100ms", hook: "cmd" });
    expect(recovery?.trigger.fromSeconds).toBeGreaterThanOrEqual(0.09);
    expect(recovery?.trigger.toSeconds).toBeGreaterThanOrEqual(0.19);
    expect(recovery?.seconds).not.toBeNull();
  });

  it("counts the time that start and end take as the disturbance", async () => {
    const { hook } = watched({}, async (_command, phase) => void (await sleep(phase === "start" ? 150 : 100)));
    hook.progress(0.01);
    await until(() => hook.span !== undefined);
    expect((hook.span?.toSeconds ?? 0) - (hook.span?.fromSeconds ?? 0)).toBeGreaterThan(0.24);
  });

  it("leaves the warm-up out of its times", async () => {
    const { hook, events } = watched();
    hook.progress(0.01);
    await until(() => events.includes("end"));
    await hook.ended();
    const warmed = trial({ warmup: { seconds: 5, calls: trial().calls, attempts: trial().attempts } });
    expect(hook.judged(warmed).recovery?.trigger.fromSeconds).toBeLessThan(-4);
  });

  it("runs the end at once when the trial is stopped in the middle of it, and waits for it", async () => {
    const { hook, events } = watched({ toSeconds: 60 });
    hook.progress(0.01);
    await until(() => events.includes("start"));
    hook.stop();
    await hook.ended();
    expect(events).toEqual(["start", "end"]);
    expect(hook.judged(trial({ interrupted: true }))).not.toHaveProperty("recovery");
  });

  it("waits for a start under way before it runs the end", async () => {
    const order: string[] = [];
    const { hook, events } = watched({ toSeconds: 60 }, async (_command, phase) => {
      await sleep(60);
      order.push(`${phase} done`);
      return undefined;
    });
    hook.progress(0.09);
    await until(() => events.includes("start"));
    const ended = hook.ended();
    expect(order).toEqual([]);
    await ended;
    expect(order).toEqual(["start done", "end done"]);
  });

  it("runs nothing for a trial that was over before its time, which is then worth nothing", async () => {
    const { hook, events } = watched({ fromSeconds: 60, toSeconds: 70 });
    hook.progress(0.01);
    await hook.ended();
    expect(events).toEqual([]);
    const { validity, recovery } = hook.judged(trial());
    expect(validity.reasons.map(({ code }) => code)).toEqual(["hook-unseen"]);
    expect(recovery).toBeUndefined();
    expect(hook.judged(trial({ interrupted: true })).validity.verdict).toBe("valid");
  });

  it("gives up when the start fails, runs the end all the same, and makes the trial invalid", async () => {
    const { hook, events } = watched({ toSeconds: 60 }, failing("start"));
    hook.progress(0.01);
    await until(() => events.includes("end"));
    await hook.ended();
    expect(events).toEqual(["start", "note The hook's start failed with exit code 3", "failed", "end"]);
    expect(hook.judged(trial({ interrupted: true })).validity).toMatchObject({
      verdict: "invalid",
      reasons: [{ code: "hook-failed", message: "The hook's start failed with exit code 3" }],
    });
  });

  it("says that the target may still be disturbed when the end fails", async () => {
    const { hook, events } = watched({}, failing("end"));
    hook.progress(0.01);
    await until(() => events.includes("failed"));
    expect(events).toContain("note The hook's end failed with exit code 3: the target may still be disturbed");
    await hook.ended();
    expect(hook.judged(trial()).validity.verdict).toBe("invalid");
  });

  it("says what is waited for when it is to stop while its start is at work", async () => {
    const { hook, events } = watched({}, async () => {
      await sleep(100);
      return undefined;
    });
    hook.progress(0.01);
    await until(() => events.includes("start"));
    await hook.ended();
    expect(events).toEqual(["start", expect.stringContaining("note Waiting for the hook's start"), "end"]);
  });

  it("makes a trial invalid of which too little is left after its end", async () => {
    const { hook, events } = watched();
    hook.progress(0.01);
    await until(() => events.includes("end"));
    await hook.ended();
    const short = trial({ durationSeconds: 3 });
    expect(hook.judged(short).validity.reasons.map(({ code }) => code)).toEqual([
      "hook-late",
      "trigger-without-effect",
    ]);
  });

  it("leaves the end to itself when the process ends at once, once", async () => {
    const { hook, events } = watched({ toSeconds: 60 });
    hook.kill();
    hook.progress(0.01);
    await sleep(150);
    expect(events).toEqual([]);
    const other = watched({ toSeconds: 60 });
    other.hook.progress(0.01);
    await until(() => other.events.includes("start"));
    await sleep(20);
    other.hook.kill();
    expect(other.events).toEqual(["start", "left end"]);
    await other.hook.ended();
    expect(other.events).toEqual(["start", "left end"]);
  });
});

describe("HookClock", () => {
  it("goes by the word that came fastest", () => {
    const clock = new HookClock();
    expect(clock.startedSeconds).toBeUndefined();
    expect(clock.heard(0, 99)).toBe(false);
    expect(clock.heard(0.2, 100.25)).toBe(true);
    expect(clock.heard(0.4, 100.9)).toBe(false);
    expect(clock.heard(0.6, 100.61)).toBe(true);
    expect(clock.startedSeconds).toBeCloseTo(100.01, 9);
  });
});

describe("hookShell()", { timeout: 20_000 }, () => {
  it("passes on so much of a line, and so many lines, as somebody may read", async () => {
    const said: string[] = [];
    const write = "process.stdout.write('x'.repeat(3_000_000) + '\\n' + 'y\\n'.repeat(5000))";
    const command = `'${process.execPath}' ${process.execPath.includes("deno") ? "eval" : "-e"} "${write}" #`;
    expect(await hookShell().run(command, "start", (line) => said.push(line))).toBeUndefined();
    expect(said).toHaveLength(201);
    expect(said[0]).toBe(`${"x".repeat(500)}...`);
    expect(said.at(-1)).toContain("left out");
  });

  it("hands the phase to the command as its last word, and tells both its outputs", async () => {
    const said: string[] = [];
    const why = await hookShell().run("echo out; echo >&2 err; echo", "start", (line) => said.push(line));
    expect(why).toBeUndefined();
    await until(() => said.length === 3);
    expect(said.toSorted()).toEqual(["err", "out", "start"]);
  });

  it.each([
    ["exit 3; echo", "failed with exit code 3"],
    ["no-such-command-at-all", "failed with exit code 127: the shell did not find it"],
    ["kill -TERM $$; echo", "was ended by SIGTERM"],
  ])("says how '%s' failed", async (command, why) => {
    expect(await hookShell().run(command, "end", () => {})).toBe(why);
  });

  it("ends a command that takes too long, with all that it started", async () => {
    await inFolder(async (folder) => {
      const file = `${folder}/still-alive`;
      const why = await hookShell(0.2).run(`(sleep 1; touch '${file}') & sleep 30; echo`, "start", () => {});
      expect(why).toBe("took longer than 0.2 s");
      await sleep(1500);
      expect(await hookShell().run(`test ! -e '${file}'; exit $?; echo`, "start", () => {})).toBeUndefined();
    });
  });

  it("does not wait for what the command left in the background", async () => {
    const before = performance.now();
    expect(await hookShell().run("sleep 20 & echo", "start", () => {})).toBeUndefined();
    expect(performance.now() - before).toBeLessThan(15_000);
  });

  it("does not keep this process for what the command left in the background, and hears its last lines", async () => {
    await inFolder(async (folder) => {
      const file = `${folder}/program.mjs`;
      await writeFile(
        file,
        `import { hookShell } from ${JSON.stringify(startingModule("cli/hook-shell"))};
        await hookShell().run("echo last words; sleep 18 & echo", "start", (line) => console.log(line));`,
      );
      const before = performance.now();
      const args = "Deno" in globalThis ? ["run", "-A", file] : [file];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      expect(stdout).toContain("last words");
      expect(performance.now() - before).toBeLessThan(15_000);
    });
  });

  it("ends a start under way before it leaves the end to itself", async () => {
    await inFolder(async (folder) => {
      const file = `${folder}/order`;
      const shell = hookShell();
      const started = shell.run(`sleep 1; echo >> '${file}'`, "start", () => {});
      await sleep(200);
      shell.leave(`echo >> '${file}'`, "end");
      expect(await started).toBe("was ended by SIGKILL");
      await sleep(1500);
      const lines: string[] = [];
      await shell.run(`cat '${file}'; echo`, "start", (line) => lines.push(line));
      await until(() => lines.includes("start"));
      expect(lines).toEqual(["end", "start"]);
    });
  });
});
