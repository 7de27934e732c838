import { describe, expect, it } from "vitest";
import { replaceTable } from "./docs.ts";
import type { Experiment, Finding } from "./experiment.ts";
import { parseFlags } from "./flags.ts";
import { renderDocument, renderFinding, renderMarkdown, renderText } from "./render.ts";
import { carryOut, REPORT_VERSION, reported, succeeded, type ValidationReport } from "./report.ts";

const right: Finding = { what: "sent / C, K = 2", prediction: 2, measured: 2.04, band: [1.9, 2.1], trials: 10 };
const never: Finding = {
  what: "recovery",
  prediction: "soon",
  measured: Number.POSITIVE_INFINITY,
  band: [0, 5],
  unit: "s",
  trials: 20,
};

function experiment(id: string, change: Partial<Experiment> = {}): Experiment {
  return { id, title: "A claim", derivation: id, virtual: async () => [right], ...change };
}

async function reportOf(findings: readonly Finding[]): Promise<ValidationReport> {
  const done = await carryOut(experiment("V1"), "virtual", async () => findings);
  return {
    schemaVersion: REPORT_VERSION,
    kind: "validation",
    tool: { name: "overload-bench", version: "0.0.0" },
    environment: { runtime: "bun", runtimeVersion: "1", platform: "linux", arch: "x64", cpus: 2, cpuModel: "a chip" },
    startedAt: "2026-01-02T03:04:05.000Z",
    seconds: 12.3,
    quick: false,
    partial: false,
    seeds: [1, 2],
    manySeeds: [1, 2, 3],
    experiments: done === undefined ? [] : [done],
  };
}

describe("a report", () => {
  it("holds no infinity, as JSON has none, and says of each finding whether it agrees", () => {
    expect(reported(right)).toEqual({ ...right, agrees: true });
    expect(reported(never)).toEqual({ ...never, measured: null, agrees: false });
    expect(reported({ ...never, band: [5, Number.POSITIVE_INFINITY] })).toMatchObject({
      band: [5, null],
      agrees: true,
    });
    expect(reported({ ...right, measured: Number.NaN })).toMatchObject({ measured: null, agrees: false });
  });

  it("succeeds only when all findings agree and no experiment failed", async () => {
    expect(succeeded(await reportOf([right]))).toBe(true);
    expect(succeeded(await reportOf([right, never]))).toBe(false);
    expect(succeeded(await reportOf([]))).toBe(false);
  });

  it("tells of an experiment that throws, and forgets one that was interrupted", async () => {
    const failing = async (): Promise<never> => {
      throw new Error("no room");
    };
    expect(await carryOut(experiment("V1"), "real", failing)).toMatchObject({ findings: [], error: "no room" });
    expect(await carryOut(experiment("V1"), "real", failing, AbortSignal.abort())).toBeUndefined();
  });
});

describe("what is printed", () => {
  it("is a row for each finding, with its verdict", async () => {
    const report = await reportOf([right, never]);
    const [first] = report.experiments;
    if (first === undefined) throw new Error("no experiment");
    expect(renderText(first)).toMatch(/sent \/ C, K = 2 +2 +2.04 +1.9 .. 2.1 +10 +agrees/);
    expect(renderText(first)).toMatch(/recovery +soon +never +0 .. 5 +20 +DISAGREES/);
    expect(renderMarkdown(report)).toMatch(/^\| recovery +\| soon +\| never +\| 0 .. 5 +\| 20 +\| DISAGREES \|$/m);
    expect(renderDocument(report)).toMatch(
      /^\| \[V1\]\(#v1\) \| sent \/ C, K = 2 \| 2 +\| 2.04 +\| 1.9 .. 2.1 \| 10 +\| agrees +\|$/m,
    );
    expect(renderFinding(reported(never))).toBe(
      "recovery: predicted soon, measured never, which is not in 0 .. 5 (20 trials)",
    );
  });

  it("replaces the table of the document and nothing else", () => {
    const [begin, end] = [
      "<!-- Written by `npm run validate -- --docs`: do not edit. -->",
      "<!-- The end of what is written. -->",
    ];
    const document = `before\n${begin}\n\nold\n\n${end}\nafter\n`;
    expect(replaceTable(document, "new")).toBe(document.replace("old", "new"));
    expect(() => replaceTable("no place", "new")).toThrow("Cannot write the table");
  });
});

describe("parseFlags()", () => {
  const all = [experiment("V1", { real: async () => [right] }), experiment("V2")];
  const tasks = (...args: string[]): string[] =>
    parseFlags(args, all).tasks.map((task) => `${task.experiment.id} ${task.world}`);

  it("takes all experiments in both worlds, or those that are named", () => {
    expect(tasks()).toEqual(["V1 virtual", "V2 virtual", "V1 real"]);
    expect(tasks("--world", "real")).toEqual(["V1 real"]);
    expect(tasks("--only", "v2")).toEqual(["V2 virtual"]);
  });

  it.each([
    [["--only", "V1,V99"], '--only must list some of V1, V2: current value is "V99"'],
    [
      ["--only", "V2", "--world", "real"],
      '--only must list experiments that there are in that world: current value is "V2"',
    ],
    [["--world", "moon"], '--world must be one of virtual, real, all: current value is "moon"'],
    [["--output", "table.txt"], '--output must end in .md: current value is "table.txt"'],
    [["--docs", "--quick"], "--docs must stand without --only, --quick and --world"],
    [["--docs", "--world", "virtual"], "--docs must stand without --only, --quick and --world"],
    [["--colour"], "Unknown option '--colour'"],
    [["V1"], "Unexpected argument 'V1'"],
  ])("refuses %j", (args, message) => {
    expect(() => parseFlags(args, all)).toThrow(message);
  });
});
