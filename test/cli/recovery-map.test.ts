/** `recovery --map`: from which load on what the trigger does outlives it. */

import { describe, expect, it } from "vitest";
import type { Recovery } from "../../src/result/recovery-schema.ts";
import { resultSchema } from "../../src/result/schema.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";

/** A capacity of 160/s: retries survive up to 40/s. */
const SIM = ["recovery", "--sim", "fifo:workers=4,service=25ms", "--timeout", "200ms", "--rps", "50", "--repeats", "1"];
const RETRIES = ["--policy", "retry,maxAttempts=4", "--settle", "1s", "--horizon", "5s", "--age", "none"];
/** One seed and a coarse tolerance: some seconds. */
const MAP = ["--map", "--map-range", "30..60", "--map-tolerance", "20%", "--map-seeds", "1"];

function mapOf({ saved }: FakeRunOutcome): NonNullable<Recovery["map"]> | undefined {
  return saved.at(-1)?.result.recovery?.map;
}

describe("recovery --map", () => {
  it("finds the threshold of retries, tells of it, and saves it with the result", async () => {
    const run = await runFake([...SIM, ...RETRIES, ...MAP]);
    expect(run.exitCode, run.stderr).toBe(0);
    const map = mapOf(run);
    expect(map).toMatchObject({ lowRps: 30, highRps: 60, tolerance: 0.2, seeds: 1, horizonSeconds: 240 });
    const [arm] = map?.arms ?? [];
    expect(arm?.survives).toBeGreaterThanOrEqual(30);
    expect(arm?.survivesUpTo).toBeLessThanOrEqual(60);
    expect(arm).toMatchObject({ arm: "retry", served: 60, servedUpTo: null });
    expect(arm?.points.length).toBe(run.specs.length - 1);
    expect(run.stdout.replaceAll(/\s+/gu, " ")).toContain(arm?.sentence.slice(0, 60));
    expect(resultSchema.safeParse(JSON.parse(JSON.stringify(run.saved.at(-1)?.result))).success).toBe(true);
    // Its trials are those of no pair.
    expect(run.saved.at(-1)?.result.trials).toHaveLength(1);
  });

  it("looks from a quarter of the base load to four times of it, with ten seeds in simulation and three on a target", async () => {
    const simulated = await runFake([...SIM, ...RETRIES, "--map", "--dry-run"]);
    const words = simulated.stdout.replaceAll(/\s+/gu, " ");
    // ln 16 / ln 1.02 = 140 widths: eight halvings.
    expect(words).toContain("between 12.5/s and 200/s, down to 2.0 %");
    expect(words).toContain("at most 200 trials (10 a load, each 4 min long after the trigger)");
    const real = await runFake([
      "recovery",
      "--policy",
      "retry",
      "--map",
      "--rps",
      "50",
      "--horizon",
      "30s",
      "--dry-run",
    ]);
    expect(real.stdout.replaceAll(/\s+/gu, " ")).toContain(
      "at most 60 trials (3 a load, each 30 s long after the trigger), 43 min",
    );
    expect(real.specs).toEqual([]);
  });

  it("looks no higher by itself than a guard or a plan allows", async () => {
    const guarded = await runFake([...SIM, ...RETRIES, "--map", "--max-rps", "80", "--dry-run"]);
    expect(guarded.stdout.replaceAll(/\s+/gu, " ")).toContain("between 12.5/s and 80.0/s");
    const spiked = await runFake([
      ...SIM,
      ...RETRIES,
      "--map",
      "--trigger",
      "spike=4:5s",
      "--max-rps",
      "240",
      "--dry-run",
    ]);
    expect(spiked.stdout.replaceAll(/\s+/gu, " ")).toContain("between 12.5/s and 60.0/s");
    const much = await runFake([...SIM, ...RETRIES, "--map", "--rps", "300000", "--dry-run"]);
    expect(much.exitCode, much.stderr).toBe(0);
    expect(much.stdout.replaceAll(/\s+/gu, " ")).toContain("and 1,000,000/s");
  });

  it("plans the map of a multiple once the capacity is known, and refuses it before any trial", async () => {
    const flags = ["--rps", "0.5x-capacity", ...MAP.slice(0, 1), "--map-tolerance", "90%", "--map-seeds", "1"];
    const base = ["recovery", "--sim", "shed:capacity=100", "--repeats", "1", ...RETRIES, ...flags];
    const found = await runFake(base);
    expect(found.exitCode, found.stderr).toBe(0);
    const rps = found.saved.at(-1)?.result.recovery?.rps ?? 0;
    expect(rps).toBeGreaterThan(20);
    expect(mapOf(found)).toMatchObject({ lowRps: rps / 4, highRps: 4 * rps });
    const guarded = await runFake([...base, "--max-rps", "150"]);
    expect(guarded.exitCode, guarded.stderr).toBe(0);
    expect(mapOf(guarded)?.highRps).toBe(150);
    const refused = await runFake([...base, "--trigger", "spike=9:1s", "--max-rps", "200"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("--max-rps 200 is the most");
    expect(refused.specs.filter(({ governor }) => governor === undefined)).toEqual([]);
  });

  it("calls its trials by the load and by whether the trigger comes", async () => {
    const args = [
      "recovery",
      "--policy",
      "retry",
      "--rps",
      "50",
      "--settle",
      "1s",
      "--horizon",
      "5s",
      "--repeats",
      "1",
    ];
    const map = ["--map", "--map-range", "40..80", "--map-tolerance", "90%", "--map-seeds", "2"];
    const { stderr } = await runFake([...args, ...map]);
    expect(stderr).toContain("map of retry: 40.0/s with the trigger, 1 of 2");
    expect(stderr).toContain("map of retry: 80.0/s without the trigger, 2 of 2");
  });

  it("ends at Ctrl-C with what it has found so far, in a result that is marked as partial", async () => {
    let trials = 0;
    const run = await runFake([...SIM, ...RETRIES, ...MAP, "--workers", "1"], {
      onTrial(_spec, send) {
        trials += 1;
        // The trial of the experiment, the four ends, and one of the first halves.
        if (trials === 6) send("SIGINT");
      },
    });
    expect(run.exitCode).toBe(130);
    const { result } = run.saved.at(-1) ?? {};
    expect(result?.partial).toBe(true);
    expect(result?.trials).toHaveLength(1);
    const [arm] = mapOf(run)?.arms ?? [];
    expect(arm).toMatchObject({ survives: 30, survivesUpTo: 60, gap: null });
    expect(arm?.sentence).toContain("stopped before it was done");
  });

  it("is carried out when a run that was stopped in it is continued, and no trial of the experiment is run again", async () => {
    let trials = 0;
    const stopped = await runFake([...SIM, ...RETRIES, ...MAP], {
      onTrial: (_spec, send) => void (++trials === 4 && send("SIGINT")),
    });
    const files = { "r.partial.json": JSON.stringify(stopped.saved.at(-1)?.result) };
    const run = await runFake(["recovery", "--resume", "r.partial.json"], { files });
    expect(run.exitCode, run.stderr).toBe(0);
    expect(run.saved.at(-1)?.result.partial).toBe(false);
    expect(mapOf(run)?.arms[0]?.survivesUpTo).toBeLessThanOrEqual(60);
    expect(run.specs.map(({ plan }) => plan.durationSeconds)).not.toContain(9);
  });

  it("tells a real target of the trigger in the trials that have one, and lets it rest before each", async () => {
    const args = [
      "recovery",
      "--policy",
      "retry",
      "--rps",
      "50",
      "--settle",
      "1s",
      "--horizon",
      "5s",
      "--repeats",
      "1",
    ];
    const run = await runFake([
      ...args,
      "--map",
      "--map-range",
      "40..80",
      "--map-tolerance",
      "90%",
      "--map-seeds",
      "1",
    ]);
    expect(run.stderr).toContain("at most 6 trials (1 a load, each 5 s long after the trigger)");
    const arm = mapOf(run)?.arms[0];
    expect(arm?.points.map(({ rps, triggered }) => [rps, triggered])).toEqual(
      expect.arrayContaining([
        [40, true],
        [80, true],
        [40, false],
        [80, false],
      ]),
    );
    expect(run.events.filter((event) => event === "idle").length).toBeGreaterThanOrEqual(4);
  });

  it.each<[claim: string, args: readonly string[], message: string]>([
    ["a range that is none", ["--map", "--map-range", "200..20"], "--map-range must be two loads, the lower one first"],
    ["a range without its dots", ["--map", "--map-range", "20-200"], "--map-range must be two loads, as in 20..200"],
    [
      "a tolerance that is too fine",
      ["--map", "--map-tolerance", "0.01%"],
      "--map-tolerance must be a share from 0.001",
    ],
    ["seeds that are none", ["--map", "--map-seeds", "0"], "--map-seeds must be a positive whole number"],
    ["options of a map that is not wanted", ["--map-seeds", "3"], "--map-seeds is for --map"],
    [
      "a range above the guard",
      ["--map", "--map-range", "20..200", "--max-rps", "150"],
      "--max-rps 150 is the most, and the load comes to 200/s",
    ],
    [
      "a range whose spike no plan can hold",
      ["--map", "--map-range", "1..500000", "--trigger", "spike=4:5s"],
      "--map-range, with its spike,",
    ],
    [
      "a spike above the guard",
      ["--map", "--map-range", "20..60", "--trigger", "spike=4:5s", "--max-rps", "220"],
      "--max-rps 220 is the most, and the load comes to 240/s",
    ],
  ])("refuses %s", async (_claim, args, message) => {
    const { exitCode, stderr, specs } = await runFake([...SIM, ...RETRIES, ...args]);
    expect(stderr).toContain(message);
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });
});
