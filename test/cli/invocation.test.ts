import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { flagTexts, watchFlags } from "../../src/cli/flags/flag-texts.ts";
import { applyInvocation, invocationOf } from "../../src/cli/flags/invocation.ts";
import { addLoadOptions } from "../../src/cli/flags/load-options.ts";
import type { Invocation } from "../../src/result/design-schema.ts";
import { type FakeSetup, runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100", "--rps", "500", "--duration", "1s"];

async function recorded(args: readonly string[], setup: FakeSetup = {}): Promise<Invocation | undefined> {
  const { saved, stderr } = await runFake(args, setup);
  expect(saved.length, stderr).toBeGreaterThan(0);
  return saved.at(-1)?.result.invocation;
}

/** A command with the flags of `run`, which has parsed `args`. */
function parsed(args: readonly string[]): Command {
  const command = addLoadOptions(new Command("run")).exitOverride();
  watchFlags(command);
  command.parse([...args], { from: "user" });
  return command;
}

describe("the invocation in a result", () => {
  it("has the flags that are not at their defaults, wherever they were said, as a configuration file writes them", async () => {
    const setup = {
      files: { f: "policy: {name: sre, k: 1.5}\nokOn: [200, 404]\nno-sentinel: true\n" },
      env: { OVERLOAD_BENCH_VUS: "7" },
    };
    expect(await recorded(["--config", "f", ...SIM, "-H", "A: b"], setup)).toEqual({
      command: "run",
      flags: {
        sim: "shed:capacity=100",
        rps: "500",
        duration: "1s",
        vus: "7",
        sentinel: false,
        policy: "sre,k=1.5",
        "ok-on": "200,404",
        header: ["A: b"],
      },
      redacted: [],
    });
  });

  it("says nothing of what becomes of the result", async () => {
    const output = ["--json", "-o", "results/x.json", "-q", "--no-github"];
    expect((await recorded([...SIM, ...output]))?.flags).toEqual({
      sim: "shed:capacity=100",
      rps: "500",
      duration: "1s",
    });
  });

  it("is there for ab, sweep and demo too", async () => {
    expect(await recorded(["ab", ...SIM, "--repeats", "1"])).toMatchObject({ command: "ab", flags: { repeats: "1" } });
    const sweep = ["sweep", ...SIM, "--k", "1.1,2", "--repeats", "1", "--no-recovery", "--warmup", "0"];
    expect(await recorded(sweep)).toMatchObject({ command: "sweep", flags: { k: "1.1,2", recovery: false } });
    expect(await recorded(["demo"])).toEqual({ command: "demo", flags: {}, redacted: [] });
  });

  it("has no secret, and names the flags that had one", () => {
    const secret = [
      "--url",
      "http://me:hunter2@h/?api_key=hunter2&a=1",
      "-H",
      "Cookie: hunter2",
      "-H",
      "A: b",
      "-b",
      "hunter2",
    ];
    expect(invocationOf(parsed([...secret, "--key", "hunter.pem"]))).toEqual({
      command: "run",
      flags: {
        url: "http://REDACTED@h/?api_key=REDACTED&a=1",
        header: ["Cookie: REDACTED", "A: b"],
        body: "REDACTED",
        key: "hunter.pem",
      },
      redacted: ["url", "header", "body"],
    });
  });
});

describe("applyInvocation()", () => {
  const invocation = (flags: Invocation["flags"], redacted: string[] = []): Invocation => ({
    command: "run",
    flags,
    redacted,
  });
  const valuesOf = (command: Command): Record<string, unknown> =>
    Object.fromEntries(flagTexts(command).map(({ key, value }) => [key, value]));

  it("gives back what invocationOf() took down, with the file as the place", () => {
    const given = [
      "--rps",
      "500",
      "--stages",
      "1s@5,2s@6",
      "--no-pin",
      "--http2",
      "-H",
      "A: b",
      "-H",
      "C: d",
      "--policy",
      "sre,k=3",
    ];
    const first = parsed(given);
    const again = parsed([]);
    applyInvocation(again, invocationOf(first), "old.json");
    expect(again.opts()).toEqual({
      ...first.opts(),
      policy: { name: "sre", options: { k: "3" }, origin: "old.json: policy" },
    });
    expect(invocationOf(again)).toEqual(invocationOf(first));
    expect(flagTexts(again).find(({ key }) => key === "rps")).toMatchObject({ place: "old.json" });
  });

  it("yields to the command line, and to nothing else", () => {
    const command = parsed(["--rps", "7", "--sim", "shed:capacity=5"]);
    command.setOptionValueWithSource("vus", 9, "env");
    command.setOptionValueWithSource("seed", 9, "config");
    applyInvocation(command, invocation({ rps: "5", url: "http://h/", vus: "3" }), "f");
    expect(valuesOf(command)).toMatchObject({ rps: "7", sim: "shed:capacity=5", url: undefined, vus: "3", seed: "1" });
  });

  it("adds headers to those of the record, and asks for each secret that was not given again", () => {
    const record = invocation({ url: "http://REDACTED@h/", header: ["Cookie: REDACTED", "A: b", "X-Key: REDACTED"] }, [
      "url",
      "header",
    ]);
    expect(() => applyInvocation(parsed(["-H", "cookie: new"]), record, "f")).toThrow(
      "f keeps no secrets: give again --url, -H 'X-Key: ...'",
    );
    const command = parsed(["-H", "cookie: new", "-H", "x-key: k", "--url", "http://me:pw@h/"]);
    applyInvocation(command, record, "f");
    expect(command.opts()).toMatchObject({
      url: "http://me:pw@h/",
      header: [
        ["A", "b"],
        ["cookie", "new"],
        ["x-key", "k"],
      ],
    });
  });

  it("takes --body-file for a body that was a secret", () => {
    const command = parsed(["--body-file", "b"]);
    applyInvocation(command, invocation({ body: "REDACTED" }, ["body"]), "f");
    expect(command.opts()).toMatchObject({ bodyFile: "b" });
    expect(command.getOptionValue("body")).toBeUndefined();
  });

  it("refuses flags and values that this version does not have, and another command's", () => {
    expect(() => applyInvocation(parsed([]), invocation({ warp: "9" }), "f")).toThrow(
      "f: 'run' has no flag --warp in this version of overload-bench",
    );
    expect(() => applyInvocation(parsed([]), invocation({ rps: "fast" }), "f")).toThrow(
      "f: 'rps' must be a positive rate",
    );
    for (const flags of [{ report: ["x.html"] }, { push: "http://h/" }, { output: "x.json" }, { config: "c" }]) {
      expect(() => applyInvocation(parsed([]), invocation(flags), "f"), JSON.stringify(flags)).toThrow(
        `f: it says --${Object.keys(flags)[0]}, which no result of overload-bench does: it is not to be trusted`,
      );
    }
    const other = { ...invocation({}), command: "ab" };
    expect(() => applyInvocation(parsed([]), other, "f")).toThrow("f is of ab: it says nothing of run");
  });
});
