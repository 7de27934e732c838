import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { comparisonDocumentSchema } from "../../src/result/comparison-document.ts";
import { comparisonJsonSchema } from "../../src/result/json-schema.ts";
import type { Result } from "../../src/result/schema.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";
import { type JsonSchema, schemaIssues } from "../support/json-schema-check.ts";
import { compared, cure, spoiled, throttled } from "../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const VERSION_1 = await readFile(join(import.meta.dirname, "../golden/result/version-1-demo.json"), "utf8");
const GOLDEN = "../golden/report";

/** Eight pairs of a run of `sre`, with so many ok calls where the first file has 6,890. */
function release(factor: number, overrides: Parameters<typeof resultFixture>[1] = {}): string {
  const trials = Array.from({ length: 8 }, (_, pair) => {
    const ok = Math.round(6_890 * factor) + ((pair * 37) % 50);
    return { ...throttled(pair, ok), arm: "sre" };
  });
  return JSON.stringify(resultFixture(trials, overrides));
}

function stoppable(): Result {
  const result = compared(cure());
  const stopping = { rule: "sequential" as const, alpha: 0.05, smallestEffect: 0.05, looks: [6, 7, 8] };
  return { ...result, design: { ...result.design, pairs: 8, stopping } };
}

const FILES: Record<string, string> = {
  "results/ab.json": JSON.stringify(compared(cure())),
  "results/before.json": release(1),
  "results/after.json": release(0.9),
  "results/same.json": release(1),
  "results/faster.json": release(0.9, { plan: { ...resultFixture([throttled(0)]).plan, rate: "4000/s" } }),
  "results/invalid.json": JSON.stringify(resultFixture([{ ...spoiled(), arm: "sre" }])),
  "results/partial.json": JSON.stringify(resultFixture([{ ...throttled(9), arm: "sre" }], { partial: true })),
  "results/stopped.json": JSON.stringify(stoppable()),
  "results/old.json": VERSION_1,
  "results/newer.json": '{"schemaVersion":7}',
  "results/broken.json": "{",
  "results/hostile.json": JSON.stringify(
    resultFixture([trialFixture({ arm: "off" }), trialFixture({ arm: "\u001b[31m<b>" })]),
  ),
};

function compare(...args: string[]): Promise<FakeRunOutcome> {
  return runFake(["compare", ...args], { files: FILES });
}

describe("compare", () => {
  it("sets the arms of a file side by side, with the conclusion", async () => {
    const { stdout, stderr, exitCode } = await compare("results/ab.json");
    expect(exitCode).toBe(0);
    expect(stderr).toBe("");
    await expectGolden("compare-ab", stdout);
  });

  it("sets a file against the one before, with intervals, p-values and regressions", async () => {
    const { stdout, exitCode } = await compare("results/before.json", "results/after.json", "--tolerance", "5%");
    expect(exitCode).toBe(3);
    await expectGolden("compare-regression", stdout);
  });

  it("ends well when nothing is worse than its tolerance", async () => {
    const args = ["results/before.json", "results/same.json", "--tolerance"];
    const same = await compare(...args, "0%");
    expect(same.exitCode).toBe(0);
    expect(same.stdout).toContain("No metric is worse than its tolerance as far as these pairs can tell.");
    expect((await compare("results/before.json", "results/after.json", "--tolerance", "20%")).exitCode).toBe(0);
    expect((await compare("results/before.json", "results/after.json")).exitCode).toBe(0);
  });

  it("lets a later tolerance win over an earlier one", async () => {
    const args = ["results/before.json", "results/after.json", "--metric", "goodput", "--tolerance", "20%"];
    expect((await compare(...args)).exitCode).toBe(0);
    expect((await compare(...args, "--tolerance", "goodput=1%")).exitCode).toBe(3);
  });

  it("prints a document that keeps its schema", async () => {
    const args = ["results/before.json", "results/after.json", "--tolerance", "5%", "--assert", "goodput>=1", "--json"];
    const { stdout, exitCode } = await compare(...args);
    expect(exitCode).toBe(3);
    expect(stdout.split("\n")).toHaveLength(2);
    const document: unknown = JSON.parse(stdout);
    expect(schemaIssues(comparisonJsonSchema() as JsonSchema, document)).toEqual([]);
    expect(comparisonDocumentSchema.parse(document)).toMatchObject({
      schemaVersion: 1,
      files: [
        { name: "before", path: "results/before.json", arms: ["sre"] },
        { name: "after", path: "results/after.json", arms: ["sre"] },
      ],
      forced: [],
      comparison: { baseline: "before", contrasts: [{ arm: "after", pairs: [0, 1, 2, 3, 4, 5, 6, 7] }] },
    });
    expect((await compare("results/ab.json", "--json", "pretty")).stdout).toMatch(/^\{\n {2}"schemaVersion": 1,/u);
  });

  it("compares by the metrics that are asked for alone", async () => {
    const { stdout } = await compare(
      "results/before.json",
      "results/after.json",
      "--metric",
      "waste,goodput",
      "--json",
    );
    const { contrasts } = comparisonDocumentSchema.parse(JSON.parse(stdout)).comparison;
    expect(contrasts[0]?.metrics.map(({ metric }) => metric)).toEqual(["goodput", "waste"]);
  });

  it("takes another baseline, another alpha and another smallest effect", async () => {
    const args = ["results/before.json", "results/after.json", "--baseline", "after", "--json"];
    const { stdout } = await compare(...args, "--alpha", "1%", "--effect", "20%");
    const { comparison } = comparisonDocumentSchema.parse(JSON.parse(stdout));
    expect(comparison).toMatchObject({ baseline: "after", alpha: 0.01, smallestEffect: 0.2 });
    expect(comparison.contrasts[0]?.metrics[0]?.estimate).toBeGreaterThan(1);
  });

  it("refuses what cannot be compared, a line for each reason with both values", async () => {
    const { stdout, stderr, exitCode } = await compare("results/before.json", "results/faster.json");
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toBe(
      "overload-bench: Cannot compare before, faster as they stand; --force does it all the same:\n" +
        "  rate: 2000/s in before, 4000/s in faster\n",
    );
  });

  it("refuses invalid trials, and results without a common pair", async () => {
    const invalid = await compare("results/before.json", "results/invalid.json");
    expect(invalid.exitCode).toBe(2);
    expect(invalid.stderr).toContain("validity: 1 of 1 trials of invalid is invalid (in-flight-bound)");
    const partial = await compare("results/before.json", "results/partial.json");
    expect(partial.exitCode).toBe(2);
    expect(partial.stderr).toContain("pairs: before and partial have none in common; partial was cut short");
  });

  it("says first what was forced", async () => {
    const { stdout, exitCode } = await compare("results/before.json", "results/faster.json", "--force");
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^FORCED {2}rate: 2000\/s in before, 4000\/s in faster\n/u);
    const invalid = await compare("results/before.json", "results/invalid.json", "--force");
    expect(invalid.stdout).toMatch(/^FORCED {2}validity: /u);
    expect(invalid.stdout).toContain("Do not trust this comparison: 1 of 9 trials is invalid; they take part");
    const nothing = await compare("results/before.json", "results/partial.json", "--force");
    expect(nothing.exitCode).toBe(0);
    expect(nothing.stdout).toContain("No pair of trials was completed, so there is nothing to compare.");
  });

  it("ends with 4 where invalid trials were forced in, and with 3 where something regressed besides", async () => {
    const args = ["results/before.json", "results/invalid.json", "--force"];
    expect((await compare(...args)).exitCode).toBe(4);
    expect((await compare(...args, "--assert", "goodput>=1e9")).exitCode).toBe(3);
  });

  it("does not pass a metric that a tolerance names and that cannot be judged", async () => {
    const args = ["results/before.json", "results/partial.json", "--force", "--tolerance"];
    const named = await compare(...args, "goodput=5%");
    expect(named.exitCode).toBe(3);
    expect(named.stdout).toContain("NOT JUDGED  goodput");
    expect((await compare(...args, "5%")).exitCode).toBe(0);
  });

  it("refuses an alpha above that by which a file could stop early", async () => {
    const { exitCode, stderr } = await compare("results/stopped.json", "--alpha", "20%");
    expect(exitCode).toBe(2);
    expect(stderr).toBe(
      "overload-bench: --alpha must be at most 5 %, by which stopped could stop early: current value is 20 %\n",
    );
    expect((await compare("results/stopped.json", "--alpha", "1%")).exitCode).toBe(0);
  });

  it("reads files of version 1", async () => {
    const { stdout, exitCode } = await compare("results/old.json");
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Goodput with sre (K=2) was 24.9 times that of off");
  });

  it.each<[string, string[], RegExp]>([
    ["no such file", ["none.json"], /none\.json.*ENOENT/u],
    ["another version", ["results/newer.json"], /schemaVersion is 7/u],
    ["no JSON", ["results/broken.json"], /is not JSON/u],
    ["no file", [], /missing required argument 'files'/u],
    ["a file with one arm", ["results/before.json"], /^overload-bench: Cannot compare: before has the arm sre alone/u],
    ["an arm that there is not", ["results/ab.json", "--arm", "x"], /ab has no arm x: it has off, on/u],
    ["a metric that there is not", ["results/ab.json", "--metric", "x"], /^overload-bench: --metric must be a metric/u],
    [
      "a tolerance without a unit",
      ["results/ab.json", "--tolerance", "5"],
      /^overload-bench: --tolerance must be in percent/u,
    ],
    [
      "a tolerance of what is left out",
      ["results/ab.json", "--metric", "waste", "--tolerance", "goodput=1%"],
      /--tolerance must be of metrics that are compared, and --metric leaves out goodput/u,
    ],
  ])("refuses %s", async (_, args, message) => {
    const { exitCode, stdout, stderr } = await compare(...args);
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });

  it("lets nothing in a file steer the terminal", async () => {
    const { stdout } = await compare("results/hostile.json");
    expect(stdout).toContain("?[31m<b>");
    expect(stdout).not.toContain("\u001b");
  });

  it("keeps every line within 100 columns, however long the names are", async () => {
    const long = `results/${"a-very-long-name-of-a-release-candidate-".repeat(2)}`;
    const files = { [`${long}1.json`]: release(1), [`${long}2.json`]: release(0.9) };
    const { stdout } = await runFake(["compare", ...Object.keys(files), "--tolerance", "5%"], { files });
    const tooLong = stdout.split("\n").filter((line) => displayWidth(line) > 100 && line.includes("  "));
    expect(tooLong.filter((line) => !line.includes(long))).toEqual([]);
    expect(stdout).toMatch(/ baseline +arm +effect +95 % interval/u);
  });
});

async function expectGolden(name: string, text: string): Promise<void> {
  expect(text.split("\n").filter((line) => displayWidth(line) > 100)).toEqual([]);
  await expect(text).toMatchFileSnapshot(`${GOLDEN}/${name}.txt`);
}
