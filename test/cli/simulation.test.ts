/** `--sim`: several trials at a time, the script, and what the result says of both. */

import { describe, expect, it } from "vitest";
import type { Result } from "../../src/result/schema.ts";
import { resultSchema } from "../../src/result/schema.ts";
import { runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "400", "--duration", "5s", "--window", "2s"];
const AB = ["ab", ...SIM, "--repeats", "2"];

/** What does not depend on when it ran. */
function timeless({ trials, config, invocation: _asked, ...result }: Result): unknown {
  const { workers: _, ...rest } = config;
  return { ...result, config: rest, trials: trials.map((trial) => ({ ...trial, startedAt: "" })) };
}

async function resultOf(args: readonly string[]): Promise<Result> {
  const { saved, exitCode, stderr } = await runFake(args);
  expect(exitCode, stderr).toBe(0);
  return saved.at(-1)?.result as Result;
}

describe("--sim with --workers", () => {
  it("gives the same document whatever their number, but for the option itself and the times", async () => {
    const results = await Promise.all([1, 2, 3].map((workers) => resultOf([...AB, "--workers", `${workers}`])));
    expect(results.map(({ config }) => config.workers)).toEqual([1, 2, 3]);
    const [first, ...others] = results.map(timeless);
    for (const other of others) expect(other).toEqual(first);
    expect(results[0]?.trials.map(({ arm, pair }) => `${arm}${pair}`)).toEqual(["off0", "on0", "on1", "off1"]);
  });

  it("means trials at a time: more of them than users or processors are no mistake", async () => {
    const { specs, stderr, exitCode } = await runFake([...AB, "--workers", "64", "--vus", "2"]);
    expect(specs.map(({ workers }) => workers)).toEqual([1, 1, 1, 1]);
    expect(stderr).toContain("4 trials, 4 at a time");
    expect(exitCode).toBe(0);
  });

  it("are as many as processors unless it says otherwise; real trials have one thread", async () => {
    const services = { defaultWorkers: () => 3 };
    expect((await runFake(AB, { services })).saved.at(-1)?.result.config.workers).toBe(3);
    const real = await runFake(["--url", "http://127.0.0.1:1/", "--rps", "50", "-d", "1s"], { services });
    expect(real.saved.at(-1)?.result.config.workers).toBe(1);
    expect(real.specs[0]?.workers).toBe(1);
  });

  it("come from the environment and from a file as well", async () => {
    const env = await runFake(AB, { env: { OVERLOAD_BENCH_WORKERS: "2" } });
    expect(env.stderr).toContain("4 trials, 2 at a time");
    const file = await runFake([...AB, "--config", "c.yaml"], { files: { "c.yaml": "workers: 3\n" } });
    expect(file.stderr).toContain("4 trials, 3 at a time");
  });

  it("says nothing of lateness while it runs: a simulation has none", async () => {
    expect((await runFake(AB)).stderr).not.toContain("lateness");
  });
});

describe("--sim, interrupted", () => {
  it("has the trials that ended and those under way as far as they came, and none that had not begun", async () => {
    let begun = 0;
    const { saved, exitCode, stdout } = await runFake([...AB, "--duration", "1h", "--workers", "2"], {
      onTrial(_spec, send) {
        begun += 1;
        if (begun === 2) send("SIGTERM");
      },
    });
    expect(exitCode).toBe(143);
    const result = saved.at(-1)?.result;
    expect(result?.partial).toBe(true);
    expect(result?.trials.map(({ arm, interrupted }) => [arm, interrupted])).toEqual([
      ["off", true],
      ["on", true],
    ]);
    expect(stdout).toContain("PARTIAL");
  });

  it("has no result when it comes before the first trial began", async () => {
    const { saved, exitCode, stderr } = await runFake(AB, {
      services: {
        startTrials: () => ({ result: Promise.resolve([]), stop() {}, kill() {} }),
      },
      signals: (send) => void setTimeout(() => send("SIGINT"), 0),
    });
    expect(saved).toEqual([]);
    expect(stderr).toContain("Nothing was measured");
    expect([1, 130]).toContain(exitCode);
  });

  it("quits at the second signal, with the code of the first", async () => {
    const { exitCode, events, stderr } = await runFake(AB, {
      onTrial(spec, send) {
        if (spec.arm !== "on") return;
        send("SIGINT");
        send("SIGTERM");
      },
    });
    expect(exitCode).toBe(130);
    expect(events).toContain("kill");
    expect(events).toContain("exit 130");
    expect(stderr).not.toContain("internal error");
  });
});

describe("--script", () => {
  const SCRIPT = "1s..2s:capacity=0.25,3s..:retryAfter=2s";

  it("goes into the virtual world, the record and the report", async () => {
    const { specs, saved, stdout } = await runFake([...SIM, "--script", SCRIPT]);
    expect(specs[0]?.world).toMatchObject({
      kind: "virtual",
      script: [
        { kind: "capacity", fromSeconds: 1, toSeconds: 2, factor: 0.25 },
        { kind: "retryAfter", fromSeconds: 3, seconds: 2 },
      ],
    });
    const result = saved.at(-1)?.result;
    expect(result?.config).toMatchObject({ world: { kind: "virtual", script: SCRIPT } });
    expect(result?.trials[0]).toMatchObject({ world: "virtual", script: SCRIPT });
    expect(() => resultSchema.parse(result)).not.toThrow();
    expect(stdout).toContain(`\nScript: ${SCRIPT}\n`);
    expect((await runFake([...AB, "--script", SCRIPT])).stdout).toContain(`\nScript: ${SCRIPT}\n`);
    expect((await runFake(SIM)).stdout).not.toContain("Script");
  });

  it("changes what is measured", async () => {
    const [usual, out] = await Promise.all([resultOf(SIM), resultOf([...SIM, "--script", "0s..:outage"])]);
    expect(usual.trials[0]?.attempts.accepted).toBeGreaterThan(100);
    expect(out.trials[0]?.attempts.accepted).toBe(0);
  });

  it("is handed to the built-in target, and stands in the record of what was asked for", async () => {
    const { events, saved } = await runFake(["--duration", "5s", "--script", SCRIPT]);
    expect(events[0]).toBe(`target shed:acceptMs=5,rejectMs=1.5,queue=50 --script ${SCRIPT}`);
    expect(saved.at(-1)?.result.config).toMatchObject({ world: { kind: "real", script: SCRIPT } });
  });

  it("may change each of several backends", async () => {
    const sim = ["--sim", "shed:capacity=50,backends=3,balance=least-loaded", "--rps", "400", "-d", "2s"];
    const result = await resultOf([...sim, "--script", "0s..1s:outage@3"]);
    expect(result.trials[0]).toMatchObject({
      script: "0s..1s:outage@3",
      model: expect.stringContaining("backends=3,balance=least-loaded"),
    });
    expect(result.config).toMatchObject({ world: { backends: { count: 3, balance: "least-loaded" } } });
  });

  it("comes from the environment, and from a file as text or as a list", async () => {
    const env = await runFake(SIM, { env: { OVERLOAD_BENCH_SCRIPT: SCRIPT } });
    expect(env.saved[0]?.result.trials[0]?.script).toBe(SCRIPT);
    const bad = await runFake(SIM, { env: { OVERLOAD_BENCH_SCRIPT: "soon" } });
    expect(bad.stderr).toMatch(/^overload-bench: OVERLOAD_BENCH_SCRIPT: --script must be changes/);
    expect(bad.exitCode).toBe(2);
    for (const yaml of [`script: ${SCRIPT}\n`, "script:\n  - 1s..2s:capacity=0.25\n  - 3s..:retryAfter=2s\n"]) {
      const { saved } = await runFake([...SIM, "--config", "c.yaml"], { files: { "c.yaml": yaml } });
      expect(saved[0]?.result.trials[0]?.script).toBe(SCRIPT);
    }
  });

  it("of a file gives way to a --url, which it cannot be played at", async () => {
    const { exitCode, specs } = await runFake(
      ["--config", "c.yaml", "--url", "http://127.0.0.1:1/", "--rps", "50", "-d", "1s"],
      { files: { "c.yaml": `script: ${SCRIPT}\n` } },
    );
    expect(exitCode).toBe(0);
    expect(specs).toHaveLength(1);
  });

  it("gets a remark, before the run and in each trial, for what the run does not see the begin or the end of", async () => {
    const script = "1s..2s:outage,4s..9s:capacity=0.5,5s..6s:latency=1s,6s..:retryAfter=1s";
    const { stderr, saved } = await runFake([...AB, "--script", script]);
    expect(stderr).toContain("The script's 4s..9s:capacity=0.5 does not end within the measured window of 5s");
    expect(stderr).toContain("The script's 5s..6s:latency=1s has no effect: it begins after the measured window of 5s");
    expect(stderr).toContain("The script's 6s..:retryAfter=1s has no effect");
    expect(stderr).not.toContain("1s..2s:outage");
    for (const { validity } of saved.at(-1)?.result.trials ?? []) {
      const codes = validity.reasons.map(({ code, severity }) => `${code} ${severity}`);
      expect(codes.filter((code) => code.startsWith("script"))).toEqual([
        "script-unended note",
        "script-unseen note",
        "script-unseen note",
      ]);
    }
    expect((await runFake([...SIM, "--script", "1s..:outage"])).stderr).not.toContain("The script");
  });
});
