import { describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { type FakeRunOutcome, runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "2s"];

interface Given {
  readonly file?: string;
  readonly env?: Record<string, string>;
  readonly flags?: readonly string[];
}

/** Runs with a configuration file, variables and flags; nothing else is given. */
function runWith({ file = "", env = {}, flags = [] }: Given, command: readonly string[] = []): Promise<FakeRunOutcome> {
  return runFake([...command, "--config", "bench.yaml", ...flags], { files: { "bench.yaml": file }, env });
}

const rpsOf = ({ plan }: TrialSpec): unknown =>
  plan.arrival.law !== "replay" && plan.arrival.rate.kind === "constant" ? plan.arrival.rate.rps : plan.arrival;
const k = ({ policy }: TrialSpec): unknown => policy.options.k;

describe("--config", () => {
  it.each<
    [what: string, read: (spec: TrialSpec) => unknown, name: string, values: readonly [unknown, string, string, string]]
  >([
    ["--rps", rpsOf, "rps", [400, "50", "60", "70"]],
    ["--duration", ({ plan }) => plan.durationSeconds, "duration", [30, "1s", "2s", "3s"]],
    ["--vus", ({ plan }) => plan.users, "vus", [100, "5", "6", "7"]],
    ["--timeout", ({ timeoutSeconds }) => timeoutSeconds, "timeout", [1, "2s", "3s", "4s"]],
    ["--max-in-flight", ({ maxInFlight }) => maxInFlight, "max-in-flight", [10_000, "500", "600", "700"]],
    ["--policy", ({ policy }) => policy.name, "policy", ["sre", "none", "retry", "sre-sent-only"]],
    ["--k", k, "k", [2, "3", "4", "5"]],
    ["--scope", ({ policy }) => policy.options.scope ?? "user", "scope", ["user", "process", "user", "process"]],
    [
      "--overloaded-on",
      ({ overloadedOn }) => overloadedOn.join(),
      "overloaded-on",
      ["429,503,timeout,refused,reset", "500", "501", "502"],
    ],
  ])("%s: default < file < environment < flag", async (flag, read, name, [otherwise, inFile, inEnv, inFlag]) => {
    const file = `duration: 1s\n${name === "duration" ? "" : `${name}: ${inFile}`}`;
    const env = { [`OVERLOAD_BENCH_${name.replaceAll("-", "_").toUpperCase()}`]: inEnv };
    const value = async (given: Given): Promise<unknown> => {
      const { specs, stderr } = await runWith(given);
      expect(specs, stderr).toHaveLength(1);
      return read(specs[0] as TrialSpec);
    };
    const seen = (text: string): unknown => (typeof otherwise === "number" ? Number(text.replace("s", "")) : text);
    if (name !== "duration") expect(await value({ file: "duration: 1s" })).toBe(otherwise);
    expect(await value({ file })).toBe(seen(inFile));
    expect(await value({ file, env })).toBe(seen(inEnv));
    expect(await value({ file, env, flags: [flag, inFlag] })).toBe(seen(inFlag));
    expect(await value({ file, flags: [flag, inFlag] })).toBe(seen(inFlag));
  });

  it("takes keys with dashes or in camel case, YAML or JSON", async () => {
    const yaml = "max-in-flight: 50\nlate: drop:50ms\nokOn: [200, 204]\nno-pin: true\nheader: ['A: b', 'C: d']\n";
    const json =
      '{"maxInFlight": 50, "late": "drop:50ms", "ok-on": [200, 204], "pin": false, "header": ["A: b", "C: d"]}';
    for (const file of [yaml, json]) {
      const { specs, saved } = await runWith({ file, flags: ["--duration", "1s"] });
      expect(specs[0]).toMatchObject({
        maxInFlight: 50,
        late: { kind: "drop", afterSeconds: 0.05 },
        okOn: ["200", "204"],
        world: {
          headers: [
            ["A", "b"],
            ["C", "d"],
          ],
        },
      });
      expect(saved[0]?.result.config).toMatchObject({ world: { pin: false } });
    }
  });

  it("takes a policy as text, or as a map of its name and options", async () => {
    for (const file of ["policy: sre,k=1.5,window=10s", "policy: {name: sre, k: 1.5, window: 10s}"]) {
      const { specs } = await runWith({ file, flags: SIM });
      expect(specs[0]?.policy).toMatchObject({ name: "sre", options: { k: 1.5, window: 10 } });
    }
  });

  it("is not looked for when nobody names it", async () => {
    const { specs } = await runFake(SIM, { files: { "overload-bench.yaml": "vus: 7" } });
    expect(specs[0]?.plan.users).toBe(100);
  });

  it("may be named in the environment", async () => {
    const { specs } = await runFake(SIM, { files: { f: "vus: 7" }, env: { OVERLOAD_BENCH_CONFIG: "f" } });
    expect(specs[0]?.plan.users).toBe(7);
  });

  it("may be empty", async () => {
    expect((await runWith({ file: "# nothing yet\n", flags: SIM })).exitCode).toBe(0);
  });

  it("works for ab, and one file serves all commands: what only another one has is passed over", async () => {
    const file = "sim: shed:capacity=100\nrps: 500\nduration: 1s\nrepeats: 1\npause: 0\nagain: true\n";
    expect((await runWith({ file }, ["ab"])).specs.map(({ arm }) => arm)).toEqual(["off", "on"]);
    expect((await runWith({ file })).specs).toHaveLength(1);
  });

  it("works for calibrate", async () => {
    const { stderr, exitCode } = await runWith({ file: "pacing: sometimes" }, ["calibrate"]);
    expect(stderr).toBe(
      "overload-bench: --config bench.yaml:1: 'pacing' must be one of precise, timer: current value is \"sometimes\"\n",
    );
    expect(exitCode).toBe(2);
  });

  it("switches on and off what takes no value", async () => {
    expect((await runWith({ file: "quiet: true", flags: SIM })).stderr).not.toContain("\nsre\n");
    expect((await runWith({ file: "json: true", flags: SIM })).stdout).toMatch(/^\{/);
    expect((await runWith({ file: "json: false\nhttp2: false", flags: SIM })).stdout).toMatch(/^Valid/);
  });

  it.each<[why: string, file: string, flags: string[], seen: object]>([
    ["a simulation its URL", "url: http://h/\nworkers: 2", SIM, { world: { kind: "virtual" }, workers: 1 }],
    ["stages its rate and duration", "rps: 5\nduration: 5s", ["--stages", "1s@7"], { plan: { durationSeconds: 1 } }],
    [
      "a file of arrivals its law",
      "arrival: constant\nrps: 5",
      ["--replay", "r", "-d", "1s"],
      { plan: { arrival: { law: "replay" } } },
    ],
    ["the options in a policy its k", "k: 3", ["--policy", "sre,k=4"], { policy: { options: { k: 4 } } }],
  ])("a flag takes back what the file says in other words: %s", async (_why, file, flags, seen) => {
    const files = { "bench.yaml": file, r: "0\n1\n2\n" };
    const args = ["--config", "bench.yaml", ...(flags.includes("--sim") ? flags : [...flags, "-q"])];
    const { specs, stderr } = await runFake(args, { files });
    expect(specs[0], stderr).toMatchObject(seen);
  });

  it("lets k override the k of a policy that the same source names", async () => {
    const { specs } = await runWith({ file: "policy: sre,k=3\nk: 4", flags: SIM });
    expect(specs[0]?.policy.options.k).toBe(4);
  });

  it.each<[file: string, message: string]>([
    ["rsp: 5", ":1: there is no flag 'rsp': did you mean 'rps'?"],
    ["vus: 5\n# more\ncolour: red", ":3: there is no flag 'colour'"],
    ["config: other", ":1: there is no flag 'config'"],
    ["vus: 5\nrps: abc", ":2: 'rps' must be a positive rate such as 2000, 2000/s or 120/m: current value is \"abc\""],
    ["maxInFlight: 0", ":1: 'maxInFlight' must be a positive whole number"],
    ["duration: 30", ":1: 'duration' must be a duration with a unit"],
    ["rps: true", ":1: 'rps' must be a text or a number: current value is true"],
    ["rps:", ":1: 'rps' must be a text or a number: current value is null"],
    ["rps: [1, 2]", ":1: 'rps' must be a text or a number: current value is [1,2]"],
    [
      "header: {Authorization: Bearer HUSH}",
      ":1: 'header' must be a text or a number: current value is a map of Authorization",
    ],
    ["header: [[HUSH]]", ":1: 'header' must be a text or a number: current value is a list"],
    ["pushHeader: {X-Key: HUSH}", ":1: 'pushHeader' must be a text or a number: current value is a map of X-Key"],
    ["body: {token: HUSH}", ":1: 'body' must be a text or a number: current value is a map of token"],
    ["quiet: 1", ":1: 'quiet' must be true or false: current value is 1"],
    ["pin: no", ":1: 'pin' must be true or false: current value is \"no\""],
    ["seed: 9007199254740993", ":1: 'seed' must be a whole number from 0 to 2^53 - 1"],
    ["header: [1, [2]]", ":1: 'header' must be written 'Name: value'"],
    ["ok-on: [{a: 1}]", ":1: 'ok-on' must be a text or a number"],
    ["rps: 5\nrps: 6", ":2: 'rps' is there twice"],
    ["max-in-flight: 5\nmaxInFlight: 6", ":2: 'maxInFlight' says again what 'max-in-flight' says"],
    ["pin: true\nno-pin: true", ":2: 'no-pin' says again what 'pin' says"],
    ["policy: {k: 2}", ":1: 'policy' must be a policy such as sre,k=1.5, or a map with its name and its options"],
    ["policy: {name: sre, k: [2]}", ":1: 'policy' must be a map whose options are numbers or texts, which 'k' is not"],
    ["policy: {name: sre, k: 2, k: 3}", ":1: 'k' is there twice"],
    ["policy: [sre]", ":1: 'policy' must be a policy such as"],
    ["policy: sre,k", ":1: 'policy' must list options as key=value"],
    ["vus: 9\npolicy: {name: sre, kk: 2}", ":2: policy: Policy 'sre' has no option 'kk'"],
    ["policy: {name: sre, k: much}", ":1: policy: Cannot use policy 'sre' as 'k' must be"],
    ["policy: srr", ":1: policy: There is no policy 'srr': did you mean"],
    ["k: high", ":1: 'k' must be a number above 0: current value is \"high\""],
    ["scope: all", ":1: 'scope' must be one of user, process: current value is \"all\""],
    ["repeats: 0", ":1: 'repeats' must be a positive whole number"],
    ["- rps", ":1: it must be a map of flags and their values"],
    ["just text", ":1: it must be a map of flags and their values"],
    ["rps: 5\n  vus: 6", ":1: it is no YAML:"],
    ['{"rps": 5', ":1: it is no YAML:"],
    ["rps: *five", ":1: it is no YAML: Unresolved alias"],
    ["rps: !!js/function x", ":1: it is no YAML: Unresolved tag"],
    ["rps: 5\n---\nrps: 6", ":2: it must be one document"],
    ["<<: {rps: 5}", ":1: there is no flag '<<'"],
    ["? [a]\n: b", ":1: its keys must be names of flags"],
  ])("%j: one line with the file, the line, the key, the rule and the value; exit code 2", async (file, message) => {
    const { exitCode, stdout, stderr, specs } = await runWith({ file });
    expect(stderr).toContain(`overload-bench: --config bench.yaml${message}`);
    expect(stderr.trimEnd()).not.toContain("\n");
    expect({ exitCode, stdout, specs }).toEqual({ exitCode: 2, stdout: "", specs: [] });
  });

  it("refuses a file that is not there", async () => {
    const { exitCode, stderr } = await runFake(["--config", "missing"]);
    expect(stderr).toBe(
      'overload-bench: --config must be a file that can be read: current value is "missing" (ENOENT)\n',
    );
    expect(exitCode).toBe(2);
  });

  it("still refuses two flags that exclude each other", async () => {
    const { stderr } = await runWith({ file: "vus: 5", flags: [...SIM, "--stages", "1s@5"] });
    expect(stderr).toContain("--rps and --stages exclude each other");
  });
});
