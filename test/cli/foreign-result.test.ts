/** Results that somebody else may have made: what they name is not done unasked. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha256Of } from "../../src/cli/session/policy-files.ts";
import type { Result } from "../../src/result/schema.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100", "--rps", "50", "-d", "1s"];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "overload-bench-foreign-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function recorded(args: readonly string[]): Promise<Result> {
  const { saved, stderr } = await runFake(args);
  expect(saved.at(-1)?.final, stderr).toBe(true);
  return JSON.parse(JSON.stringify(saved.at(-1)?.result)) as Result;
}

function flagged(result: Result, flags: Record<string, string | string[] | boolean>, redacted: string[] = []): Result {
  const before = result.invocation;
  return {
    ...result,
    invocation: { command: "run", flags: { ...before?.flags, ...flags }, redacted },
  };
}

function reproduce(result: Result, args: readonly string[] = [], setup: FakeSetup = {}): Promise<FakeRunOutcome> {
  const files = { "old.json": JSON.stringify(result), ...setup.files };
  return runFake(["reproduce", "old.json", "-q", ...args], { ...setup, files });
}

/** A policy that leaves a trace when it is loaded. */
function tracingModule(name: string): { readonly path: string; readonly text: string; wasLoaded(): boolean } {
  const path = join(folder, name);
  const text = `globalThis[${JSON.stringify(path)}] = true;
  export const policy = {
    name: "mine", summary: "Mine", options: {},
    create: () => () => ({ admit: () => "send", settle: () => "done" }),
  };\n`;
  writeFileSync(path, text);
  return { path, text, wasLoaded: () => path in globalThis };
}

/** A result of the policy in that file. */
function ofPolicy(result: Result, path: string, sha256: string | undefined): Result {
  const digest = sha256 === undefined ? {} : { policyFile: path, policySha256: sha256 };
  return flagged(
    { ...result, config: { ...result.config, arms: [{ arm: "mine", policy: "mine", ...digest }] } },
    {
      policy: path,
    },
  );
}

describe("a result that is run again", () => {
  it("has its policy's file run only when that is what it was", async () => {
    const result = await recorded(SIM);
    for (const [name, sha256, why] of [
      ["changed.mjs", "0".repeat(64), "is not the file that it was"],
      ["unsaid.mjs", undefined, "is a file of which the result says nothing"],
    ] as const) {
      const { path, text, wasLoaded } = tracingModule(name);
      const old = ofPolicy(result, path, sha256);
      const files = { [path]: text };
      const refused = await reproduce(old, [], { files });
      expect(refused.stderr).toBe(
        `overload-bench: old.json: the policy ${path} ${why}, so it is not run: give --policy again to run it\n`,
      );
      expect([refused.exitCode, wasLoaded()]).toEqual([2, false]);
      const partial = JSON.stringify({ ...old, partial: true });
      const resumed = await runFake(["--resume", "p.json"], { files: { ...files, "p.json": partial } });
      expect(resumed.stderr).toContain(why);
      expect([resumed.exitCode, wasLoaded()]).toEqual([2, false]);
      const asked = await reproduce(old, ["--policy", path], { files });
      expect(asked.specs, asked.stderr).toHaveLength(1);
      expect(wasLoaded()).toBe(true);
    }
  });

  it("has its policy's file run as it is when nothing changed", async () => {
    const { path, text, wasLoaded } = tracingModule("same.mjs");
    const old = ofPolicy(await recorded(SIM), path, sha256Of(new TextEncoder().encode(text)));
    const { specs, stderr } = await reproduce(old, [], { files: { [path]: text } });
    expect(specs, stderr).toHaveLength(1);
    expect(wasLoaded()).toBe(true);
  });

  it("has its arms' files looked at, and takes other arms in their place", async () => {
    const { path, text, wasLoaded } = tracingModule("arm.mjs");
    const arms = ["off:policy=none", `mine:policy=${path}`];
    const result = await recorded(["ab", ...SIM, "--repeats", "1"]);
    const old = {
      ...flagged(result, { arm: arms }),
      invocation: { command: "ab", flags: { ...result.invocation?.flags, arm: arms }, redacted: [] },
    };
    const refused = await reproduce(old, [], { files: { [path]: text } });
    expect(refused.stderr).toContain("give --arm again to run it");
    expect(wasLoaded()).toBe(false);
    const given = ["--arm", "a:policy=none", "--arm", "b:policy=sre"];
    expect((await reproduce(old, given)).specs.map(({ arm }) => arm).toSorted()).toEqual(["a", "b"]);
  });

  it("does not say where its report, its metrics or its file go", async () => {
    const result = await recorded(SIM);
    for (const [flag, value] of [
      ["report", ["/etc/x.html"]],
      ["output", "x.json"],
      ["push", "http://evil/"],
    ] as const) {
      const { exitCode, stderr, specs } = await reproduce(flagged(result, { [flag]: value as string | string[] }));
      expect(stderr).toBe(
        `overload-bench: old.json: it says --${flag}, which no result of overload-bench does: it is not to be trusted\n`,
      );
      expect([exitCode, specs]).toEqual([2, []]);
    }
  });

  it("gets no secret of the environment for a place that it names itself", async () => {
    const real = await recorded(["--url", "http://h/", "--rps", "50", "-d", "1s", "-H", "X-Key: a"]);
    const old = flagged(real, { header: ["X-Key: REDACTED"] }, ["header"]);
    const env = { OVERLOAD_BENCH_HEADER: "X-Key: hush" };
    const refused = await reproduce(old, [], { env });
    expect(refused.stderr).toBe(
      "overload-bench: OVERLOAD_BENCH_HEADER would go to a place that 'old.json' names: give --url on the command line to send it\n",
    );
    expect([refused.exitCode, refused.specs]).toEqual([2, []]);
    const { specs } = await reproduce(old, ["--url", "http://mine/"], { env });
    expect(specs[0]?.world).toMatchObject({ url: "http://mine/", headers: [["X-Key", "hush"]] });
    const led = flagged(old, { resolve: ["mine:80:10.0.0.1"] }, ["header"]);
    const elsewhere = await reproduce(led, ["--url", "http://mine/"], { env });
    expect(elsewhere.stderr).toContain("give --header on the command line to send it");
  });
});
