import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parsePolicy } from "../../src/cli/flags/policy-flag.ts";
import { typescriptRefusal } from "../../src/world/policy-module.ts";
import { currentRuntime } from "../../src/world/runtime.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";
import { Workplace } from "../support/run-cli.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "2s"];
const EXAMPLE = fileURLToPath(new URL("./fixtures/mine.ts", import.meta.url));

/** Node 20 runs the tests through a tool that could load TypeScript, which the program itself cannot. */
const LOADS_TYPESCRIPT =
  currentRuntime().name !== "node" || Boolean((process.features as { typescript?: unknown }).typescript);

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "overload-bench-policy-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let count = 0;

/** Writes a module, as a new file: runtimes load each once. */
function moduleFile(text: string, name = `policy-${count++}.mjs`): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** A module with these members of a policy, or of its options. */
function policyText(members: string, preset = ""): string {
  return `export const policy = {
    name: "mine", summary: "Mine", options: { pause: { default: 0.5, kind: "number", min: 0, max: 60, unit: "seconds", doc: "Before the retry" } },
    create: ({ pause }) => () => ({ admit: () => "send", settle: () => "done", ${members} }),
    ${preset}
  };\n`;
}

/** Runs with a policy from a file, in the fake process, which reads files of the list only. */
function runFile(path: string, args: readonly string[] = SIM, options = ""): Promise<FakeRunOutcome> {
  const files = { [path]: readFileSync(path, "utf8") };
  return runFake([...args, "--policy", `${path}${options}`], { files });
}

describe("--policy FILE", () => {
  it("runs with the policy of a module, and records its name, its file and what was in that", async () => {
    const path = moduleFile(
      policyText('settle: (call, verdict) => (verdict === "overloaded" && call.attempt < 1 ? "retry" : "done")'),
    );
    const { exitCode, saved, stdout, specs } = await runFile(path, SIM, ",pause=250ms,scope=process");
    expect(exitCode).toBe(0);
    const sha256 = createHash("sha256").update(readFileSync(path)).digest("hex");
    expect(saved[0]?.result.config).toMatchObject({
      arms: [{ arm: "mine", policy: "mine", policyFile: path, policySha256: sha256, pause: 0.25, scope: "process" }],
    });
    const trial = saved[0]?.result.trials[0];
    expect(trial?.policy).toEqual({ name: "mine", options: { pause: 0.25, scope: "process" } });
    expect(trial?.amplification).toBeGreaterThan(1.5);
    expect(specs[0]?.policy.module).toMatch(/^file:\/\/.*\.mjs$/);
    expect(stdout).toContain("policy mine,pause=0.25,scope=process");
  });

  it("is an arm of ab as any other", async () => {
    const { exitCode, specs } = await runFile(moduleFile(policyText("")), ["ab", "--repeats", "1", ...SIM]);
    expect(exitCode).toBe(0);
    expect(specs.map(({ policy }) => policy.name)).toEqual(["retry", "mine"]);
  });

  it.runIf(LOADS_TYPESCRIPT)("loads TypeScript where the runtime does", async () => {
    const { exitCode, saved, stderr } = await runFile(EXAMPLE, SIM, ",pause=1");
    expect(exitCode, stderr).toBe(0);
    expect(saved[0]?.result.trials[0]?.policy).toEqual({ name: "patient", options: { pause: 1 } });
  });

  it.runIf(!LOADS_TYPESCRIPT)("refuses TypeScript where the runtime cannot load it, and says what to do", async () => {
    const { exitCode, stderr } = await runFile(EXAMPLE);
    expect(stderr).toBe(
      `overload-bench: --policy ${EXAMPLE}: Node ${process.versions.node} cannot load TypeScript: write it as .js or .mjs, or run this on Bun, Deno or Node >= 22.18\n`,
    );
    expect(exitCode).toBe(2);
  });

  it.each<[why: string, text: string, options: string, message: string]>([
    ["no export", "export const other = 1;", "", "It must export 'policy': there is no such export"],
    ["a default export", "export default {};", "", "It must export 'policy': there is no such export"],
    ["a number", "export const policy = 7;", "", "'policy' must be an object with name, summary, options and create"],
    ["no name", policyText("", "name: undefined,"), "", "'policy.name' must be a name in lower case"],
    ["a preset's name", policyText("", 'name: "sre",'), "", "'policy.name' must be a name that no preset has"],
    ["a wrong option", policyText("", "options: { a: 1 },"), "", "'policy.options.a' must be an object"],
    [
      "create that throws",
      policyText("", 'create() { throw new Error("no luck"); },'),
      "",
      "create() threw Error: no luck",
    ],
    [
      "create that makes nothing",
      policyText("", "create() {},"),
      "",
      "create() must return a function that makes a policy",
    ],
    [
      "a factory that makes nothing",
      policyText("", "create: () => () => 1,"),
      "",
      "the function that create() returned must make a policy",
    ],
    [
      "admit that throws",
      policyText("admit() { throw new TypeError('x'); }"),
      "",
      "admit() threw TypeError: x (policy-",
    ],
    [
      "admit that returns nonsense",
      policyText("admit: () => 42"),
      "",
      "admit() must return one of send, wait, throttled",
    ],
    ["admit that is asynchronous", policyText("async admit() { return 'send'; }"), "", "it returned a promise"],
    ["settle that returns nonsense", policyText("settle: () => null"), "", "settle() must return one of done, retry"],
    ["a syntax error", "export const policy = {", "", "Cannot load it: "],
    ["an import of nothing", 'import "./nowhere.mjs";\nexport const policy = 1;', "", "Cannot load it: "],
    ["a top that throws", 'throw new Error("bad\\nluck");', "", "Cannot load it: bad"],
    ["an unknown option", policyText(""), ",k=2", "Policy 'mine' has no option 'k': it has pause"],
    ["an option out of bounds", policyText(""), ",pause=61", "Cannot use policy 'mine' as 'pause' must be"],
    ["options without a value", policyText(""), ",pause", "must list options as key=value"],
  ])("refuses a module with %s in one line, before anything is measured", async (_why, text, options, message) => {
    const path = moduleFile(text);
    const { exitCode, stdout, stderr, specs } = await runFile(path, SIM, options);
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^overload-bench: --policy /);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect({ exitCode, stdout, specs }).toEqual({ exitCode: 2, stdout: "", specs: [] });
  });

  it.each([
    [
      "./nowhere.mjs",
      'overload-bench: --policy must be a file that can be read: current value is "./nowhere.mjs" (ENOENT)\n',
    ],
    [
      "../nowhere.mjs,k=2",
      'overload-bench: --policy must be a file that can be read: current value is "../nowhere.mjs" (ENOENT)\n',
    ],
  ])("refuses a file that is not there: %s", async (file, message) => {
    const { exitCode, stderr } = await runFake([...SIM, "--policy", file]);
    expect(stderr).toBe(message);
    expect(exitCode).toBe(2);
  });

  it("ends in one line and keeps the trials before when the policy fails while it is measured", async () => {
    const path = moduleFile(`let calls = 0;
${policyText('admit() { if (++calls > 1500) throw new TypeError("tired"); return "send"; }')}`);
    const { exitCode, stdout, stderr, saved } = await runFile(path, ["ab", "--repeats", "2", ...SIM]);
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
      /^overload-bench: .*policy-\d+\.mjs: Policy 'mine' failed while it was measured: admit\(\) threw TypeError: tired \(policy-\d+\.mjs:\d+:\d+\)$/,
    );
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stderr).toContain("What was measured so far is in results/fake.partial.json");
    expect(saved.at(-1)).toMatchObject({ final: false, result: { trials: [{ arm: "off" }, { arm: "on" }] } });
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
  });
});

describe("parsePolicy()", () => {
  it.each([
    ["./mine.ts", { name: "./mine.ts", options: {} }],
    ["../a b/mine.ts,k=2,window=10s", { name: "../a b/mine.ts", options: { k: "2", window: "10s" } }],
    ["/x/mine:1.mjs", { name: "/x/mine:1.mjs", options: {} }],
    ["sre,k=2", { name: "sre", options: { k: "2" } }],
    ["sre:k=2", { name: "sre", options: { k: "2" } }],
  ])("%s", (text, expected) => {
    expect(parsePolicy(text)).toEqual(expected);
  });
});

describe("typescriptRefusal()", () => {
  it.each([
    ["file:///a/mine.ts", true, true],
    ["file:///a/mine.mts", true, true],
    ["file:///a/mine.mjs", true, false],
    ["file:///a/mine.ts.js", true, false],
    ["file:///a/mine.ts", false, false],
  ])("%s on a runtime that loads JavaScript only (%s): %s", (url, isPlain, isRefused) => {
    expect(typescriptRefusal(url, isPlain, "20.20.2") !== undefined).toBe(isRefused);
  });
});

describe("--policy FILE in a process of its own", { timeout: 90_000 }, () => {
  const GOOD = policyText(
    'settle: (call, verdict) => (verdict === "overloaded" && call.attempt < 1 ? "retry" : "done")',
  );

  it("is loaded by every worker, by its path as it was given", async () => {
    const workplace = await Workplace.open();
    try {
      writeFileSync(join(workplace.path, "mine.mjs"), GOOD);
      const args = ["--rps", "100", "-d", "1s", "-u", "10", "-w", "2", "--policy", "./mine.mjs", "--scope", "process"];
      const { exitCode, stdout, stderr } = await workplace.run(args);
      expect([0, 4], stderr).toContain(exitCode);
      expect(stderr).toContain("With scope process each of the 2 workers has a policy of its own");
      expect(stdout).toContain("policy mine,pause=0.5,scope=process");
      const [result] = Object.values(await workplace.results());
      expect(result?.config).toMatchObject({ arms: [{ policyFile: "./mine.mjs" }] });
      expect(result?.trials[0]?.calls.planned).toBeGreaterThan(50);
    } finally {
      await workplace.close();
    }
  });

  it.each([
    ["when it is loaded", "process.exit(0);"],
    ["when it is tried", policyText("", "create() { process.exit(0); },")],
  ])("that ends the process %s does not pass for a run that went well", async (_when, text) => {
    const workplace = await Workplace.open();
    try {
      writeFileSync(join(workplace.path, "leaving.mjs"), text);
      const { exitCode, stdout, stderr } = await workplace.run([...SIM, "--policy", "./leaving.mjs"]);
      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: 2,
        stdout: "",
        stderr: "overload-bench: --policy ./leaving.mjs: it ended the process\n",
      });
    } finally {
      await workplace.close();
    }
  });

  it("fails in one line when it fails in a worker; what was measured is in the journal", async () => {
    const workplace = await Workplace.open();
    try {
      // Its rehearsal plays about a thousand calls in each worker.
      const text = `let calls = 0;
${policyText('admit() { if (++calls > 1500) throw new Error("tired\\nof it"); return "send"; }')}`;
      writeFileSync(join(workplace.path, "tired.mjs"), text);
      const args = ["--rps", "400", "-d", "20s", "-w", "2", "--policy", "./tired.mjs"];
      const { exitCode, stdout, stderr } = await workplace.run(args);
      expect(stderr).toContain(
        "overload-bench: ./tired.mjs: Policy 'mine' failed while it was measured: admit() threw Error: tired of it",
      );
      expect(stderr).not.toMatch(/^\s+at /m);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
      const [, journal = ""] = /overload-bench recover (\S+)/.exec(stderr) ?? [];
      const recovered = await workplace.run(["recover", journal]);
      expect(recovered.stderr).not.toContain("internal error");
      const [result] = Object.values(await workplace.results());
      expect(result).toMatchObject({ partial: true, trials: [{ recovered: true, policy: { name: "mine" } }] });
      expect(result?.trials[0]?.calls.planned).toBeGreaterThan(50);
    } finally {
      await workplace.close();
    }
  });

  it.runIf(LOADS_TYPESCRIPT)("loads TypeScript in its workers where the runtime does", async () => {
    const workplace = await Workplace.open();
    try {
      const text = readFileSync(EXAMPLE, "utf8")
        .replace(/import type .*\n/, "")
        .replace(': UserPolicy<"pause">', ": object");
      writeFileSync(join(workplace.path, "mine.ts"), text.replace("(call, verdict)", "(call: any, verdict: string)"));
      const { exitCode, stderr } = await workplace.run([
        "--rps",
        "100",
        "-d",
        "1s",
        "--policy",
        "./mine.ts,pause=100ms",
      ]);
      expect([0, 4], stderr).toContain(exitCode);
      const [result] = Object.values(await workplace.results());
      expect(result?.trials[0]?.policy).toEqual({ name: "patient", options: { pause: 0.1 } });
    } finally {
      await workplace.close();
    }
  });
});
