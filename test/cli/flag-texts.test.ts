import { describe, expect, it } from "vitest";
import { type FakeSetup, runFake } from "../support/fake-host.ts";

interface Shown {
  readonly flag: string;
  readonly value: unknown;
  readonly source: string;
  readonly place: string;
}

/** Flags by their names, as a dry run shows them as data. */
async function flagsOf(args: readonly string[], setup: FakeSetup = {}): Promise<ReadonlyMap<string, Shown>> {
  const { stdout, stderr } = await runFake([...args, "--dry-run", "--json"], setup);
  expect(stderr).toBe("");
  const { flags } = JSON.parse(stdout) as { flags: readonly Shown[] };
  return new Map(flags.map((flag) => [flag.flag, flag]));
}

const FILE = {
  files: { "exp.yaml": "# first\nrps: 500\nurl: http://h/\nheader: ['A: b', 'C: d']\npin: false\nk: 3\n" },
};

describe("flagTexts()", () => {
  it("keeps each text as it was written, and the place of it: file and line, variable, flag, default", async () => {
    const flags = await flagsOf(["--config", "exp.yaml", "-u", "5", "--no-stats", "--vus=6"], {
      ...FILE,
      env: { OVERLOAD_BENCH_DURATION: "1m30s" },
    });
    expect(flags.get("rps")).toEqual({ flag: "rps", value: "500", source: "file", place: "exp.yaml:2" });
    expect(flags.get("header")).toMatchObject({ value: ["A: b", "C: d"], place: "exp.yaml:4" });
    expect(flags.get("duration")).toMatchObject({
      value: "1m30s",
      source: "environment",
      place: "OVERLOAD_BENCH_DURATION",
    });
    expect(flags.get("vus")).toMatchObject({ value: "6", source: "flag", place: "--vus" });
    expect(flags.get("stats")).toMatchObject({ value: false, place: "--no-stats" });
    expect(flags.get("pin")).toMatchObject({ value: false, place: "exp.yaml:5" });
    expect(flags.get("seed")).toEqual({ flag: "seed", value: "1", source: "default", place: "default" });
    expect(flags.get("insecure")).toMatchObject({ value: false, source: "default" });
  });

  it("collects a flag that is given several times, and lets the last one win where it may be given once", async () => {
    const flags = await flagsOf(["-H", "A: 1", "--header", "B: 2", "--rps", "1", "-r", "2"]);
    expect(flags.get("header")?.value).toEqual(["A: 1", "B: 2"]);
    expect(flags.get("rps")?.value).toBe("2");
  });

  it("tells nothing of the file where a flag took it back in other words", async () => {
    const sim = ["--config", "exp.yaml", "--sim", "shed:capacity=5", "--policy", "sre,k=2"];
    const flags = await flagsOf(sim, FILE);
    expect(flags.has("url")).toBe(false);
    expect(flags.has("k")).toBe(false);
    expect(flags.get("sim")).toMatchObject({ place: "--sim" });
    expect(flags.get("rps")).toMatchObject({ place: "exp.yaml:2" });
  });

  it("tells a default only where no other flag says what it would say", async () => {
    expect((await flagsOf([])).get("rps")).toMatchObject({ value: "400 (for the built-in target)", source: "default" });
    const staged = await flagsOf(["--stages", "1s@5"]);
    expect(staged.has("rps")).toBe(false);
    expect(staged.has("duration")).toBe(false);
  });

  it("writes a policy or an arm that is a map as the text that the flag takes", async () => {
    const files = {
      f: "command: ab\narm:\n  - { name: off, policy: none }\n  - { name: on, policy: { name: sre, k: 2 } }\n",
    };
    expect((await flagsOf(["--config", "f"], { files })).get("arm")).toEqual({
      flag: "arm",
      value: ["off:policy=none", "on:policy=sre,k=2"],
      source: "file",
      place: "f:2",
    });
    const { stdout } = await runFake(["--config", "g", "--dry-run"], {
      files: { g: "policy: { name: sre, k: 1.5, window: 10s }\nsim: shed:capacity=5\nrps: 5\n" },
    });
    expect(stdout).toMatch(/^ {2}policy +g:1 +sre,k=1\.5,window=10s$/mu);
  });
});
