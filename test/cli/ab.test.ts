import { describe, expect, it } from "vitest";
import { resultSchema } from "../../src/result/schema.ts";
import { runFake } from "../support/fake-host.ts";

const SIM = ["ab", "--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "10s", "--window", "5s"];

describe("ab", () => {
  it("runs off-on, on-off, off-on, the same arrivals in a pair and others in the next", async () => {
    const { specs, saved } = await runFake(SIM);
    expect(specs.map(({ arm, pair }) => `${arm}${pair}`)).toEqual(["off0", "on0", "on1", "off1", "off2", "on2"]);
    const hashes = saved.at(-1)?.result.trials.map((trial) => trial.plan.hash) ?? [];
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[2]).toBe(hashes[3]);
    expect(new Set(hashes).size).toBe(3);
  });

  it("takes for off a plain client with as many attempts", async () => {
    const { specs } = await runFake([...SIM, "--repeats", "1", "--policy", "sre,maxAttempts=5,k=1.1"]);
    expect(specs[0]?.policy).toEqual({ name: "retry", options: { maxAttempts: 5 } });
    expect(specs[1]?.policy).toMatchObject({ name: "sre", options: { k: 1.1, maxAttempts: 5, window: 5 } });
  });

  it("saves after each trial, and the comparison in the end", async () => {
    const { saved, stdout, exitCode } = await runFake([...SIM, "--repeats", "2"]);
    expect(saved.map(({ final, result }) => [final, result.trials.length, result.partial])).toEqual([
      [false, 1, true],
      [false, 2, true],
      [false, 3, true],
      [true, 4, false],
    ]);
    for (const { result } of saved) expect(() => resultSchema.parse(result)).not.toThrow();
    const comparison = saved.at(-1)?.result.comparison;
    expect(comparison?.arms.map((arm) => arm.arm)).toEqual(["off", "on"]);
    expect(comparison?.arms[1]?.goodput).toBeGreaterThan(50);
    expect(stdout).toContain(comparison?.conclusion.slice(0, 30));
    expect(exitCode).toBe(0);
  });

  it("lets the target come to rest before each further trial", async () => {
    const { events } = await runFake(["ab", "--duration", "2s", "--repeats", "1"]);
    expect(events).toEqual([
      "target shed:acceptMs=5,rejectMs=1.5,queue=50",
      "trial off 0",
      "idle",
      "trial on 0",
      "target stopped",
    ]);
  });

  it("keeps the trials that ended when it is interrupted", async () => {
    let trials = 0;
    const { exitCode, saved } = await runFake(SIM, {
      onTrial(_spec, send) {
        trials += 1;
        if (trials === 3) send("SIGINT");
      },
    });
    expect(exitCode).toBe(130);
    expect(saved.at(-1)).toMatchObject({ final: true, result: { partial: true } });
    expect(saved.at(-1)?.result.trials.length).toBe(3);
  });

  it("shows at least five times the goodput with control in the model of the built-in target", async () => {
    const { saved } = await runFake([
      ...["ab", "--sim", "shed:capacity=1000,burst=50,rejectCost=0.3", "--rps", "2000", "--duration", "20s"],
      ...["--window", "10s", "--repeats", "2"],
    ]);
    const [off, on] = saved.at(-1)?.result.comparison?.arms ?? [];
    expect(on?.goodput).toBeGreaterThan(650);
    expect(on?.goodput).toBeGreaterThan(5 * (off?.goodput as number));
  });
});

describe("demo", () => {
  it("runs ab on the built-in target at about twice its capacity", async () => {
    const { saved, specs, stdout } = await runFake(["demo"]);
    expect(specs).toHaveLength(4);
    expect(saved.at(-1)?.result).toMatchObject({ command: "demo", plan: { rps: 400, users: 100 } });
    expect(stdout).toContain("Goodput");
  });
});
