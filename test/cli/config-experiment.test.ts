import { describe, expect, it } from "vitest";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";

const SIM = "sim: shed:capacity=100,rejectCost=0.3\nrps: 200\nduration: 1s\n";

function runFile(
  file: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<FakeRunOutcome> {
  return runFake([...args, "--config", "exp.yaml"], { files: { "exp.yaml": file }, env });
}

const AB = `command: ab\n${SIM}repeats: 1\narm: ["off:policy=none", "on:policy=sre,k=2"]\n`;

describe("a configuration file for a whole experiment", () => {
  it("says which command it is for, so that no other word is needed", async () => {
    const { specs, saved, stderr } = await runFile(AB);
    expect(saved.at(-1)?.result.command, stderr).toBe("ab");
    expect(specs.map(({ arm, policy }) => `${arm} ${policy.name}`)).toEqual(["off none", "on sre"]);
  });

  it.each<[why: string, args: string[], env: Record<string, string>]>([
    ["after flags whose texts look like it", ["--header", "--config: x", "--rps", "100", "--config=exp.yaml"], {}],
    ["with flags of the command it names", ["--repeats", "1", "--config", "exp.yaml"], {}],
    ["named in the environment", [], { OVERLOAD_BENCH_CONFIG: "exp.yaml" }],
    ["beside the same command", ["ab", "--config", "exp.yaml"], {}],
  ])("is found %s", async (_why, args, env) => {
    const { saved, stderr } = await runFake(args, { files: { "exp.yaml": AB }, env });
    expect(saved.at(-1)?.result.command, stderr).toBe("ab");
  });

  it("takes arms as maps, with their policies as maps", async () => {
    const arms =
      "arm:\n  - {name: off, policy: none}\n  - {name: hasty, policy: {name: sre, k: 1.5}, attemptTimeout: 250ms}\n";
    const { specs, stderr } = await runFile(`command: ab\n${SIM}repeats: 1\n${arms}`);
    expect(specs[1], stderr).toMatchObject({
      arm: "hasty",
      policy: { name: "sre", options: { k: 1.5 } },
      timeoutSeconds: 0.25,
    });
  });

  it("takes lists for the axes of a sweep, and policies as maps in them", async () => {
    const axes = "policy: [sre, {name: sre-sent-only, window: 5s}]\nk: [1.5, 2]\nrepeats: 1\nrecovery: false\n";
    const { saved, stderr } = await runFile(`command: sweep\n${SIM}${axes}`);
    expect(saved.at(-1)?.result.sweep?.axes, stderr).toEqual([
      { name: "policy", of: "policy", values: ["sre", "sre-sent-only,window=5s"] },
      { name: "k", of: "policy", values: ["1.5", "2"] },
    ]);
  });

  it("takes lists of assertions", async () => {
    const { exitCode, saved } = await runFile(`${SIM}assert: [goodput>=0, "amplification<=0.001"]\n`);
    expect(saved.at(-1)?.result.assertions?.map(({ holds }) => holds)).toEqual([true, false]);
    expect(exitCode).toBe(3);
  });

  it("is read once, as it may be a pipe", async () => {
    let reads = 0;
    const files = Object.defineProperty({} as Record<string, string>, "pipe", {
      get: () => {
        reads += 1;
        return AB;
      },
    });
    expect((await runFake(["--config", "pipe", "--dry-run"], { files })).exitCode).toBe(0);
    expect(reads).toBe(1);
  });

  it("lets --arm win over a policy of a weaker source, and --policy over arms", async () => {
    const arms = ["--arm", "a:policy=none", "--arm", "b:policy=retry"];
    const policy = await runFile(`command: ab\n${SIM}repeats: 1\npolicy: sre\nk: 3\n`, ["ab", ...arms]);
    expect(policy.specs.map(({ arm }) => arm)).toEqual(["a", "b"]);
    const { specs, stderr } = await runFile(AB, ["--policy", "sre-sent-only"]);
    expect(
      specs.map(({ policy: { name } }) => name),
      stderr,
    ).toEqual(["retry", "sre-sent-only"]);
  });

  it("may be asked of by calibrate, whatever command it is for", async () => {
    const { stderr } = await runFile("command: ab\narrival: sometimes\n", ["calibrate"]);
    expect(stderr).toContain("exp.yaml:2: 'arrival' must be one of poisson");
  });

  it.each<[file: string, args: string[], message: string]>([
    [AB, ["sweep"], ":1: 'command' is ab, but sweep was asked for: leave one of the two out"],
    [AB, ["run"], ":1: 'command' is ab, but run was asked for: leave one of the two out"],
    [
      "rps: 5\ncommand: attack",
      [],
      ":2: 'command' must be one of run, ab, sweep, recovery, capacity, calibrate: current value is \"attack\"",
    ],
    [
      "command: [ab]",
      [],
      ":1: 'command' must be one of run, ab, sweep, recovery, capacity, calibrate: current value is [\"ab\"]",
    ],
    ["comand: ab", [], ":1: there is no flag 'comand': did you mean 'command'?"],
    ["$schema: {}", [], ":1: '$schema' must be the address of a schema"],
    ["command: ab\narm: [on]", [], ":2: 'arm' must name one policy"],
    ["command: ab\narm: [{policy: sre}]", [], ":2: 'arm' must be an arm such as on:policy=sre,k=1.5, or a map"],
    ["command: ab\narm: [{name: a, policy: [sre]}]", [], ":2: 'arm' must be a policy such as sre,k=1.5"],
    [
      "command: ab\narm: [{name: a, policy: sre, k: [1]}]",
      [],
      ":2: 'arm' must be a map whose options are numbers or texts",
    ],
    [
      "command: ab\narm: ['a:policy=none', {name: b, policy: sre, kk: 1}]",
      [],
      ":2: arm b: Policy 'sre' has no option 'kk'",
    ],
    ["command: sweep\nk: [1.5, 1.5]", [], ":2: 'k' must give each value once"],
    ["command: sweep\npolicy: [sre, srr]", [], ":2: policy: There is no policy 'srr'"],
    ["k: [1.1, 1.5]", ["run"], ":1: 'k' must be a text or a number: current value is [1.1,1.5]"],
    ["assert: [goodputt>1]", [], ":1: 'assert'"],
  ])("%j %j: one line, exit code 2", async (file, args, message) => {
    const { exitCode, stdout, stderr, specs } = await runFile(file, args);
    expect(stderr).toContain(`overload-bench: --config exp.yaml${message}`);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect({ exitCode, stdout, specs }).toEqual({ exitCode: 2, stdout: "", specs: [] });
  });

  it("does not stand in the way of help", async () => {
    const { exitCode, stdout } = await runFake(["--config", "missing", "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("Usage: overload-bench");
  });
});
