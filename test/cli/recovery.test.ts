import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { HookShell } from "../../src/cli/hook-shell.ts";
import type { StopSignal } from "../../src/cli/host.ts";
import type { Services } from "../../src/cli/services.ts";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { meanRps } from "../../src/plan/describe.ts";
import { type Result, resultSchema } from "../../src/result/schema.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";
import { UNWATCHED } from "../support/trial-spec.ts";

/** Short, and still with retries that get stuck: three attempts of 80 calls a second are more than 200. */
const SIM = ["recovery", "--sim", "fifo:workers=1,service=5ms", "--rps", "80", "-t", "200ms", "--vus", "20"];
const SHORT = ["--settle", "3s", "--horizon", "20s", "--age", "20s"];
const ARMS = ["--arm", "retries:policy=retry", "--arm", "budget:policy=sre-budget,window=10"];

function resultOf({ saved }: FakeRunOutcome): Result {
  const last = saved.at(-1);
  if (last === undefined) throw new Error("nothing was saved");
  return resultSchema.parse(last.result);
}

/** An option that one trial's world has and the others may not. */
function worldOf(spec: TrialSpec | undefined): TrialSpec["world"] & { readonly kind: "virtual" } {
  if (spec?.world.kind !== "virtual") throw new Error("not virtual");
  return spec.world;
}

describe("recovery in simulation", () => {
  it("finds plain retries metastable and a budget stable after the same slow-down", async () => {
    const run = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "3"]);
    const { recovery, trials, command, comparison } = resultOf(run);
    expect(command).toBe("recovery");
    expect(recovery).toMatchObject({
      trigger: "slowdown=0.05:3s",
      rps: 80,
      settleSeconds: 3,
      horizonSeconds: 20,
      withinSeconds: 10,
      ageSeconds: 20,
    });
    expect(recovery?.arms.map(({ arm, verdict }) => `${arm} ${verdict}`)).toEqual([
      "retries metastable",
      "budget stable",
    ]);
    expect(trials.map(({ recovery: took }) => took?.stuck)).toEqual(
      trials.map(({ arm }) => (arm === "retries" ? 1 : 0)),
    );
    expect(trials[0]?.recovery?.trigger).toEqual({
      kind: "slowdown",
      text: "slowdown=0.05:3s",
      fromSeconds: 3,
      toSeconds: 6,
    });
    expect(trials[0]?.script).toBe("3s..6s:capacity=0.05");
    expect(trials[0]?.age?.seconds).toBe(20);
    expect(comparison).toBeUndefined();
    expect(run.stdout.replace(/\s+/gu, " ")).toContain(recovery?.conclusion ?? "nothing");
    expect(run.exitCode).toBe(0);
  });

  it("gives the arms of a seed the same arrivals, and each seed its own", async () => {
    const { specs } = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "2"]);
    expect(specs.map(({ arm, pair }) => `${arm}${pair}`).toSorted()).toEqual([
      "budget0",
      "budget1",
      "retries0",
      "retries1",
    ]);
    const seeds = new Set(specs.map(({ pair, plan }) => `${pair} ${plan.seed}`));
    expect(seeds.size).toBe(2);
  });

  it("makes a spike part of the plan, whose peak the guards see", async () => {
    const spike = [...SIM, ...SHORT, ...ARMS, "--repeats", "1", "--trigger", "spike=4:5s"];
    const run = await runFake(spike);
    expect(resultOf(run).plan).toMatchObject({ rate: "3s@80,5s@320,20s@80", durationSeconds: 28 });
    expect(resultOf(run).recovery?.rps).toBe(80);
    expect(worldOf(run.specs[0])).not.toHaveProperty("script");
    const refused = await runFake([...spike, "--max-rps", "300"]);
    expect(refused).toMatchObject({ exitCode: 2, specs: [] });
    expect(refused.stderr).toContain("--max-rps");
  });

  it("tells the probes of an outage", async () => {
    const { stdout, saved } = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "1", "--trigger", "outage:10s"]);
    const arms = saved.at(-1)?.result.recovery?.arms ?? [];
    expect(stdout).toContain("Probes in the last half of the outage: retries ");
    // All attempts of the one, a tenth more than the calls of the other.
    expect(arms[0]?.sentDuring.median).toBeGreaterThan(200);
    expect(arms[1]?.sentDuring.median).toBeLessThan(100);
  });

  it("takes one policy with -p, and three that tell without", async () => {
    const only = await runFake([...SIM, ...SHORT, "--repeats", "1", "-p", "retry,maxAttempts=2"]);
    expect(resultOf(only).design.arms).toEqual(["retry"]);
    const short = await runFake([...SIM, ...SHORT, "--repeats", "1", "--k", "1.5"]);
    expect(resultOf(short).trials[0]?.policy).toMatchObject({ name: "sre", options: { k: 1.5 } });
    const three = await runFake([...SIM, ...SHORT, "--repeats", "1"]);
    expect(resultOf(three).design.arms).toEqual(["retries", "budget", "throttle"]);
  });

  it("ages clients by 120 s or their longest window, unless it is told otherwise", async () => {
    const aged = async (...more: string[]) =>
      (await runFake([...SIM, "--settle", "1s", "--horizon", "5s", "--repeats", "1", ...more])).specs[0]?.age?.seconds;
    expect(await aged("-p", "sre,window=10")).toBe(120);
    expect(await aged("-p", "sre,window=300")).toBe(300);
    expect(await aged("-p", "sre,window=300", "--age", "60s")).toBe(60);
    expect(await aged("-p", "sre", "--age", "none")).toBeUndefined();
  });

  it("says of few seeds how little they show, and of ten nothing", async () => {
    const few = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "2", "--dry-run"]);
    expect(few.stdout).toContain(
      "With --repeats 2 there are too few seeds for a share: where none is stuck, up to 66 %",
    );
    const ten = await runFake([...SIM, ...SHORT, ...ARMS, "--dry-run"]);
    expect(ten.stdout).not.toContain("too few seeds");
  });

  it("shows in a dry run what each trial is, and how long all take", async () => {
    const { stdout, specs } = await runFake(["recovery", ...ARMS, "--dry-run"]);
    expect(specs).toEqual([]);
    expect(stdout.replace(/\s+/gu, " ")).toContain(
      "Each trial: 10 s of base load, a slow-down to 5 % of the capacity for 3 s, 1 min of base load.",
    );
    expect(stdout).toContain("20 trials");
    expect(stdout).toMatch(/2\d min/u);
  });

  it("goes on with --resume where it was cut short, and refuses another trigger", async () => {
    const whole = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "2"]);
    const cut = { ...resultOf(whole), partial: true, trials: resultOf(whole).trials.slice(0, 3) };
    const files = { "cut.partial.json": JSON.stringify(cut) };
    const again = await runFake(["recovery", "--resume", "cut.partial.json"], { files });
    expect(again.specs).toHaveLength(1);
    expect(resultOf(again).recovery).toEqual(resultOf(whole).recovery);
    const other = await runFake(["recovery", "--resume", "cut.partial.json", "--trigger", "outage:3s"], { files });
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain("of another experiment");
  });

  it("gives the document with --json", async () => {
    const { stdout } = await runFake([...SIM, ...SHORT, ...ARMS, "--repeats", "1", "--json"]);
    expect(resultSchema.parse(JSON.parse(stdout)).recovery?.arms).toHaveLength(2);
  });

  it("maps the loads between which it works until something happens", { timeout: 120_000 }, async () => {
    const run = await runFake([
      ...[...SIM, ...SHORT, "--arm", "retries:policy=retry", "--repeats", "1"],
      ...["--map", "--map-range", "40..250", "--map-tolerance", "30%", "--map-seeds", "2"],
    ]);
    const [map] = resultOf(run).recovery?.map?.arms ?? [];
    // 200 calls/s, and three attempts of 66.7 calls/s.
    expect(map?.survives).toBeLessThan(67);
    expect(map?.survivesUpTo).toBeGreaterThan(66);
    expect(map?.served).toBeGreaterThan(140);
    expect(map?.gap).toBeGreaterThan(0.5);
  });
});

describe("recovery of real targets", () => {
  it("starts a target that plain retries can wreck, tells it of the trigger, and loads it with half of what it takes", async () => {
    const { events, specs, saved } = await runFake(["recovery", ...ARMS, "--repeats", "1"]);
    expect(events[0]).toBe("target fifo:acceptMs=5,fifoQueue=500 --script 10s..13s:capacity=0.05");
    expect(specs[0]).toMatchObject({ timeoutSeconds: 0.2, plan: { durationSeconds: 73 } });
    expect(meanRps(specs[0]?.plan ?? fail())).toBe(80);
    expect(saved.at(-1)?.result.config).toMatchObject({
      recovery: { trigger: "slowdown=0.05:3s", settleSeconds: 10, horizonSeconds: 60, withinSeconds: 10 },
    });
  });

  it.each([
    [["--url", "http://127.0.0.1:1/", "--rps", "9", "--trigger", "outage:3s"], "cannot be told of --trigger outage"],
    [["--url", "http://127.0.0.1:1/", "--rps", "9"], "cannot be told of --trigger slowdown"],
    [["--url", "http://127.0.0.1:1/", "--trigger", "spike=2:3s"], "--rps is required with --url"],
    [["--target", "fifo:acceptMs=1"], "--rps is required with --target"],
    [["--sim", "shed:capacity=9", "--rps", "9", "--hook", "x"], "--hook is for real targets"],
    [["--hook", " "], "--hook must be a command"],
    [["--hook", "x", "--trigger", "spike=2:3s"], "not spike"],
    [["--hook", "x", "--trigger", "slowdown=0.5:3s"], "not slowdown"],
    [["--trigger", "hook:3s"], "needs --hook"],
    [["--no-stats"], "--no-stats excludes --trigger slowdown"],
    [["--trigger", "flood:3s"], "--trigger must be one of"],
    [["--settle", "0.5s"], "--settle must be at least 1s"],
    [["--horizon", "4s"], "--horizon must be at least 5s"],
    [["--horizon", "8s", "--within", "9s"], "--within must be at most --horizon (8s)"],
    [["--arm", "a:policy=retry", "--k", "2"], "--arm says what policy each arm has, so it excludes --k"],
    [["--trigger", "spike=999:3s", "--rps", "5000"], "The load is out of range"],
    [["--duration", "30s"], "--duration"],
    [["--script", "1s..2s:outage"], "--script"],
    [["--map-seeds", "3"], "--map-seeds is for --map"],
    [["--governor", "high=5%", "--rps", "9"], "--governor finds a capacity"],
  ])("refuses %j", async (flags, message) => {
    const { exitCode, stderr, specs } = await runFake(["recovery", ...flags]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });

  it("asks before it disturbs a host of somebody else's", async () => {
    const flags = ["recovery", "--url", "http://staging.example/", "--rps", "5", "--trigger", "spike=2:1s"];
    const refused = await runFake(flags);
    expect(refused).toMatchObject({ exitCode: 2, specs: [] });
    expect(refused.stderr).toContain("--allow staging.example:80");
    const short = ["--settle", "1s", "--horizon", "5s", "--repeats", "1", "-p", "retry"];
    const asked = await runFake([...flags, ...short], { answer: () => "y" });
    expect(asked.stderr).toContain("Send 5.00 calls/s, disturbed by a spike to 2 times the load for 1 s, to");
    expect(asked.specs).toHaveLength(1);
  });
});

const HOOKED = ["recovery", "--hook", "./hook.sh", "--trigger", "outage:3s", "-p", "retry", "--age", "none"];

/** A world in which trials say at once that the trigger is due, and then that it is over; then they are what they are in simulation. */
function hooked(
  shell: Partial<HookShell>,
  between: (send: (signal: StopSignal) => void) => Promise<void> = async () => {},
) {
  const events: string[] = [];
  let send: (signal: StopSignal) => void = () => {};
  const startTrial: Services["startTrial"] = (spec, progress, aboutToStart) => {
    let stopped = false;
    const said = (elapsedSeconds: number): void =>
      progress({
        elapsedSeconds,
        planned: 0,
        ok: 0,
        throttled: 0,
        failed: 0,
        attempts: 0,
        inFlight: 0,
        latenessP99Ms: 0,
      });
    const model = { name: "fifo", workers: 1, serviceSeconds: 0.005, latencySeconds: 0 } as const;
    const run = async () => {
      await aboutToStart();
      said(10);
      await sleep(40);
      await between(send);
      said(13.1);
      await sleep(40);
      const whole = await executeTrial({ ...spec, world: { kind: "virtual", model } }, UNWATCHED);
      return { ...whole, interrupted: stopped };
    };
    return {
      result: run(),
      stop() {
        stopped = true;
      },
      kill: () => void events.push("kill"),
    };
  };
  const setup: FakeSetup = {
    signals: (sender) => {
      send = sender;
    },
    services: {
      startTrial,
      hookShell: () => ({
        async run(command, phase, said) {
          events.push(`${command} ${phase}`);
          return await shell.run?.(command, phase, said);
        },
        leave: (command, phase) => void events.push(`left ${command} ${phase}`),
      }),
    },
  };
  return { setup, events };
}

describe("recovery --hook", () => {
  it("runs the command as start and as end in each trial, and records when it was", async () => {
    const { setup, events } = hooked({
      run: async (_command, phase, said) => void said(`${phase} it is`),
    });
    const run = await runFake([...HOOKED, "--repeats", "2"], setup);
    expect(events).toEqual(["./hook.sh start", "./hook.sh end", "./hook.sh start", "./hook.sh end"]);
    expect(run.stderr).toContain("hook start: start it is\n");
    const { recovery, trials } = resultOf(run);
    expect(recovery).toMatchObject({ hook: "./hook.sh", trigger: "outage:3s" });
    const trigger = trials[0]?.recovery?.trigger;
    expect(trigger).toMatchObject({ kind: "outage", text: "outage:3s", hook: "./hook.sh" });
    expect(trigger?.toSeconds).toBeGreaterThanOrEqual(13);
    expect(run.events).toContain("target fifo:acceptMs=5,fifoQueue=500");
    expect(run.exitCode).toBe(0);
  });

  it("has a trigger of its own without --trigger", async () => {
    const { stdout } = await runFake(["recovery", "--hook", "./hook.sh", "--dry-run"]);
    expect(stdout).toContain("the hook's disturbance of 10 s");
    expect(stdout).toContain("The trigger is run by a shell: ./hook.sh start, then ./hook.sh end.");
  });

  it("ends the experiment when a start fails: the trial is invalid, and the end was run", async () => {
    const { setup, events } = hooked({
      run: async (_command, phase) => (phase === "start" ? "failed with exit code 1" : undefined),
    });
    const run = await runFake([...HOOKED, "--repeats", "3"], setup);
    expect(events).toEqual(["./hook.sh start", "./hook.sh end"]);
    const { trials, partial, recovery } = resultOf(run);
    expect(trials).toHaveLength(1);
    expect(trials[0]?.validity.reasons.map(({ code }) => code)).toContain("hook-failed");
    expect(recovery?.arms[0]).toMatchObject({ verdict: "unknown", trials: 0 });
    expect(partial).toBe(true);
    expect(run.exitCode).toBe(4);
  });

  it("runs the end when Ctrl-C comes in the middle, and counts the trial for nothing", async () => {
    const { setup, events } = hooked({}, async (send) => {
      send("SIGINT");
      await sleep(20);
    });
    const run = await runFake([...HOOKED, "--repeats", "3"], setup);
    expect(events).toEqual(["./hook.sh start", "./hook.sh end"]);
    expect(run.exitCode).toBe(130);
    expect(resultOf(run).recovery?.arms[0]?.verdict).toBe("unknown");
  });

  it("starts the end and leaves it to itself when a second Ctrl-C comes", async () => {
    const { setup, events } = hooked(
      { run: async (_command, phase) => (phase === "start" ? await sleep(400, undefined) : undefined) },
      async (send) => {
        send("SIGINT");
        send("SIGINT");
      },
    );
    const run = await runFake([...HOOKED, "--repeats", "3"], setup);
    expect(events.slice(0, 2)).toEqual(["./hook.sh start", "left ./hook.sh end"]);
    expect(run.events).toContain("exit 130");
  });
});

function fail(): never {
  throw new Error("there is none");
}
