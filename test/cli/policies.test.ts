import { describe, expect, it } from "vitest";
import { policyPresets } from "../../src/policy/catalogue.ts";
import { modifierOptions } from "../../src/policy/modifier/modifiers.ts";
import { nearestNames } from "../../src/policy/nearest-names.ts";
import { runFake } from "../support/fake-host.ts";

describe("policies", () => {
  it("lists every preset with when it is used and how it fails", async () => {
    const { exitCode, stdout, stderr } = await runFake(["policies"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const text = stdout.replace(/\s+/gu, " ");
    for (const { name, summary, use, fails } of policyPresets) {
      expect(stdout).toContain(`\n  ${name}\n`);
      for (const line of [summary, use, fails]) expect(text).toContain(line.replace(/\s+/gu, " "));
    }
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("tells all of each preset: its options with default and range, and those that any policy takes", async () => {
    for (const { name, options, source } of policyPresets) {
      const { exitCode, stdout } = await runFake(["policies", name]);
      expect(exitCode).toBe(0);
      expect(stdout.replace(/\s+/gu, " ")).toContain(source.replace(/\s+/gu, " "));
      for (const option of [...Object.keys(options), ...Object.keys(modifierOptions)]) {
        expect(stdout, name).toMatch(new RegExp(`^ {2}${option} `, "m"));
      }
      for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
    }
  });

  it("gives all of it as data, in which a missing bound is null", async () => {
    const { stdout } = await runFake(["policies", "--json"]);
    const data = JSON.parse(stdout) as { policies: { name: string; options: object }[]; modifiers: object };
    expect(data.policies.map(({ name }) => name)).toEqual(policyPresets.map(({ name }) => name));
    expect(data.policies.find(({ name }) => name === "sre")).toMatchObject({
      family: "throttle",
      readsHeaders: [],
      options: { k: { default: 2, min: 1, max: null, unit: "ratio" }, window: { max: 604_800 } },
    });
    expect(data.modifiers).toMatchObject({ scope: { choices: ["user", "process"] } });
    expect(stdout.trimEnd()).not.toContain("\n");
  });

  it("gives one of them as data, over several lines where that is asked for", async () => {
    const { stdout } = await runFake(["policies", "sre", "--json", "pretty"]);
    expect(stdout.split("\n").length).toBeGreaterThan(10);
    expect(JSON.parse(stdout)).toMatchObject({ policies: [{ name: "sre" }] });
  });

  it.each([
    [["policies", "srre"], "There is no policy 'srre': did you mean 'sre'"],
    [["policies", "zzzzzz"], "There is no policy 'zzzzzz': overload-bench policies lists all"],
    [["policies", "sre", "none"], "too many arguments for 'policies'"],
    [["policies", "--json", "xml"], "--json must be one of line, pretty"],
    [["--policy", "retri"], "--policy: There is no policy 'retri': did you mean 'retry'"],
    [["--policy", "mine.mjs"], "--policy: There is no policy 'mine.mjs': a file is written ./mine.mjs"],
  ])("%j: one line, exit code 2", async (args, message) => {
    const { exitCode, stdout, stderr } = await runFake(args);
    expect(stderr).toContain(`overload-bench: ${message}`);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect(stdout).toBe("");
    expect(exitCode).toBe(2);
  });
});

describe("nearestNames()", () => {
  const NAMES = ["none", "retry", "sre", "sre-sent-only", "finagle-budget", "linkerd-budget"];
  it.each([
    ["sre-", ["sre-sent-only", "sre"]],
    ["SRE", ["sre", "sre-sent-only"]],
    ["budget", ["finagle-budget", "linkerd-budget"]],
    ["finagel-budget", ["finagle-budget"]],
    ["non", ["none"]],
    ["xyz", []],
    ["", []],
  ])("%j: %j", (word, expected) => {
    expect(nearestNames(word, NAMES)).toEqual(expected);
  });
});
