import { describe, expect, it } from "vitest";
import { type Result, resultSchema } from "../../src/result/schema.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { type FakeSetup, runFake } from "../support/fake-host.ts";
import { collapsed, compared, cure, spoiled, throttled } from "../support/trial-cases.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "5s"];
const AB = ["ab", ...SIM, "--repeats", "2"];
const SWEEP = ["sweep", ...SIM, "--k", "1.5,2", "--repeats", "1"];

const NO_REPORTS = {
  prepare: async () => {},
  placeOf: async (path: string) => path,
  write: async () => {},
  append: async () => {},
};

const file = (result: Result): string => JSON.stringify(result);
const FILES = {
  "cure.json": file(compared(cure())),
  "run.json": file(resultFixture([trialFixture()], { command: "run" })),
  "invalid.json": file(compared([collapsed(0, 6_000, 10_000), spoiled()])),
};
const withFiles: FakeSetup = { files: FILES };

describe("--assert", () => {
  it("prints each assertion with its value after the report, keeps it in the result, and exits with 0 when all hold", async () => {
    const { exitCode, stdout, saved } = await runFake([...SIM, "--assert", "goodput>=50", "--assert", "waste < 90%"]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Assertions: 2 assertions, all hold\n {2}PASS {4}goodput>=50 {1,2}\[sre\]\n/u);
    expect(stdout).toMatch(/Result: results\/fake\.json\n$/u);
    const result = saved.at(-1)!.result;
    expect(result.assertions?.map(({ text, arm, holds }) => [text, arm, holds])).toEqual([
      ["goodput>=50", "sre", true],
      ["waste < 90%", "sre", true],
    ]);
    expect(() => resultSchema.parse(result)).not.toThrow();
  });

  it("exits with 3 when one does not hold, and with --json tells it on stderr", async () => {
    const { exitCode, stdout, stderr } = await runFake([...SIM, "--json", "--assert", "goodput>=1e6"]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/FAIL {4}goodput>=1e6 {1,2}\[sre\]\n +\d+(?:\.\d+)?\/s >= 1,000,000\/s is false\./u);
    expect(JSON.parse(stdout).assertions).toHaveLength(1);
  });

  it.each([
    ["goodptu>5", "--assert must be an assertion such as goodput>=0.95*offered", "did you mean 'goodput'?"],
    ["goodput=5", "at character 8, one of < <= > >= == != must follow: write ==", ""],
    ["response.ok.p99Ms<goodput", "two figures cannot be compared", ""],
  ])("%s is refused with exit code 2 before anything is measured", async (text, rule, guess) => {
    for (const args of [SIM, AB, SWEEP, ["demo"], ["compare", "cure.json"], ["check", "cure.json"]]) {
      const { exitCode, stderr, specs, events } = await runFake([...args, "--assert", text], withFiles);
      expect([exitCode, specs.length, events]).toEqual([2, 0, []]);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
      expect(stderr).toContain(rule);
      expect(stderr).toContain(guess);
    }
  });

  it.each([
    [[...AB, "--assert", "zz:goodput>1"], "--assert zz:goodput>1: there is no arm 'zz': the arms are off, on"],
    [[...SIM, "--assert", "onn:goodput>1"], "there is no arm 'onn': the arms are sre"],
    [[...SWEEP, "--limit", "on:goodput>1"], "--limit must be of every arm, and names 'on' itself"],
    [[...SWEEP, "--limit", "1<2"], "--limit must name a figure"],
    [[...SIM, "--assert", "1<2"], "--assert must name a figure, as in goodput>=0.95*offered"],
  ])("%s is refused in one line before anything is measured", async (args, rule) => {
    const { exitCode, stderr, specs, saved } = await runFake(args);
    expect([exitCode, specs.length, saved.length, stderr.trimEnd().split("\n").length]).toEqual([2, 0, 0, 1]);
    expect(stderr).toContain(rule);
  });

  it("is asked of every arm but the baseline in ab, and of every cell in sweep", async () => {
    const ab = await runFake([...AB, "--assert", "goodput>1", "--assert", "on:goodput>=off:goodput"]);
    expect(ab.saved.at(-1)!.result.assertions?.map(({ arm }) => arm)).toEqual(["on", ""]);
    const sweep = await runFake([...SWEEP, "--assert", "goodput>1"]);
    const { assertions, design } = sweep.saved.at(-1)!.result;
    expect(assertions?.map(({ arm }) => arm)).toEqual(design.arms);
    expect(sweep.stdout).toContain("2 assertions, all hold");
  });

  it("may stand in a configuration file as a list, and in the environment", async () => {
    const files = { "bench.yaml": "assert:\n  - goodput>1e6\n  - goodput>1\n" };
    const { exitCode, saved } = await runFake([...SIM, "--config", "bench.yaml"], { files });
    expect(exitCode).toBe(3);
    expect(saved.at(-1)!.result.assertions?.map(({ holds }) => holds)).toEqual([false, true]);
    const wrong = await runFake([...SIM, "--config", "bench.yaml"], { files: { "bench.yaml": "assert: nope>1\n" } });
    expect(wrong.exitCode).toBe(2);
    expect(wrong.stderr).toContain("bench.yaml:1");
    const env = { OVERLOAD_BENCH_ASSERT: "goodput>1e6" };
    expect((await runFake(SIM, { env })).exitCode).toBe(3);
  });

  it("an invalid measurement exits with 4 whatever was asserted", async () => {
    const few = [
      "--sim",
      "shed:capacity=100,latency=900ms",
      "--rps",
      "500",
      "--duration",
      "5s",
      "--max-in-flight",
      "20",
    ];
    for (const text of ["goodput>=0", "goodput>1e6"]) {
      const { exitCode, stdout } = await runFake([...few, "--assert", text]);
      expect(exitCode).toBe(4);
      expect(stdout).toContain(text === "goodput>=0" ? "PASS" : "FAIL");
    }
  });

  it("of an experiment that was interrupted is asked and told, and the exit code stays 130", async () => {
    const { exitCode, stdout, saved } = await runFake([...SIM, "--assert", "goodput>1e6"], {
      onTrial: (_spec, send) => send("SIGINT"),
    });
    expect(exitCode).toBe(130);
    if (saved.length === 0) return;
    expect(stdout).toContain("FAIL    goodput>1e6");
    expect(saved.at(-1)!.result.assertions?.[0]).toMatchObject({ holds: false });
  });

  it("of a comparison of files is asked of its arms, and is part of its document", async () => {
    const { exitCode, stdout } = await runFake(["compare", "cure.json", "--assert", "ratio.goodput>2"], withFiles);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("PASS    ratio.goodput>2");
    const failed = await runFake(["compare", "cure.json", "--json", "--assert", "ratio.goodput>200"], withFiles);
    expect(failed.exitCode).toBe(3);
    expect(JSON.parse(failed.stdout).assertions).toMatchObject([{ arm: "on", holds: false }]);
  });
});

describe("check", () => {
  it("asks of files, and exits with the worst: 4, then 3, then 0", async () => {
    const exitOf = async (...args: string[]): Promise<number> =>
      (await runFake(["check", ...args], withFiles)).exitCode;
    expect(await exitOf("cure.json", "--assert", "goodput>500")).toBe(0);
    expect(await exitOf("cure.json", "run.json", "--assert", "goodput>800")).toBe(3);
    expect(await exitOf("cure.json", "invalid.json", "--assert", "goodput>800")).toBe(4);
    expect(await exitOf("invalid.json", "--assert", "goodput>=0")).toBe(4);
  });

  it("prints the file, its assertions and their values", async () => {
    const { stdout } = await runFake(["check", "cure.json", "--assert", "goodput>=0.3*offered"], withFiles);
    expect(stdout).toBe(
      "cure.json\n\nAssertions: 1 assertion, all hold\n  PASS    goodput>=0.3*offered [on]\n          689/s >= 599/s.\n",
    );
  });

  it("without --assert asks again what the file says was asserted", async () => {
    const { exitCode: before } = await runFake(["check", "cure.json"], withFiles);
    expect(before).toBe(2);
    const assertions = [{ text: "goodput>1e6", arm: "on", holds: true, left: 1, right: 1, message: "" }];
    const files = { "a.json": file({ ...compared(cure()), assertions }) };
    const { exitCode, stdout } = await runFake(["check", "a.json"], { files });
    expect(exitCode).toBe(3);
    expect(stdout).toContain("FAIL    goodput>1e6 [on]");
  });

  it("refuses a file that holds an assertion which this program cannot read, and files that are none", async () => {
    const assertions = [{ text: "future>1", arm: "on", holds: true, left: 1, right: 1, message: "" }];
    const files = { "a.json": file({ ...compared(cure()), assertions }), "b.json": "{" };
    const newer = await runFake(["check", "a.json"], { files });
    expect([newer.exitCode, newer.stderr.includes("a.json: its assertion")]).toEqual([2, true]);
    for (const path of ["b.json", "missing.json"]) {
      const { exitCode, stderr } = await runFake(["check", path, "--assert", "goodput>1"], { files });
      expect([exitCode, stderr.trimEnd().split("\n").length, stderr.includes(path)]).toEqual([2, 1, true]);
    }
  });

  it("--figures lists the names with their units, --json gives the outcomes as data", async () => {
    const { stdout } = await runFake(["check", "--figures"]);
    expect(stdout).toMatch(/^goodput +a rate per second/mu);
    expect(stdout).toMatch(/^response\.ok\.p99Ms +a time in ms/mu);
    const { stdout: json } = await runFake(["check", "run.json", "--json", "--assert", "goodput>1"], withFiles);
    expect(JSON.parse(json)).toMatchObject([{ path: "run.json", assertions: [{ holds: true }] }]);
  });
});

describe("--report and report", () => {
  it("writes reports of a run beside its result, and tells where they are", async () => {
    const { exitCode, stdout, reports } = await runFake([...SIM, "--report", "a.html", "--report", "b.junit.xml"]);
    expect(exitCode).toBe(0);
    expect([...reports.keys()]).toEqual(["a.html", "b.junit.xml"]);
    expect(stdout).toMatch(/Result: results\/fake\.json\nReport: a\.html\nReport: b\.junit\.xml\n$/u);
    expect(reports.get("a.html")).toMatch(/^<!doctype html>/u);
  });

  it("refuses a report of no known format before anything is measured", async () => {
    const { exitCode, stderr, specs } = await runFake([...SIM, "--report", "a.pdf"]);
    expect([exitCode, specs.length]).toEqual([2, 0]);
    expect(stderr).toContain("--report must end with one of .html .md");
  });

  it.each([
    [["-o", "a.md", "--report", "a.md"], '--report must be another file than the result, which goes to "a.md"'],
    [["-o", "a.md", "--report", "a.partial.md"], "--report must be another file than the result"],
    [["--report", "a.md", "--report", "a.md"], '--report must be another file than the report "a.md"'],
    [
      ["--report", "old.md"],
      "--report: Cannot write a report to 'old.md' as it holds a result, which is never overwritten",
    ],
  ])("%s is refused in one line before anything is measured", async (args, rule) => {
    const { exitCode, stderr, specs, reports } = await runFake([...SIM, ...args], {
      files: { "old.md": FILES["run.json"] },
    });
    expect([exitCode, specs.length, reports.size, stderr.trimEnd().split("\n").length]).toEqual([2, 0, 0, 1]);
    expect(stderr).toContain(rule);
  });

  it("a report for which there is no place is refused before anything is measured", async () => {
    const prepare = async (path: string): Promise<void> => {
      throw new StoreError("not-writable", path, `Cannot write to '${path}': no such folder`, "check the folder");
    };
    const services = { reports: { ...NO_REPORTS, prepare } };
    const { exitCode, stderr, specs } = await runFake([...SIM, "--report", "gone/a.md"], { services });
    expect([exitCode, specs.length]).toEqual([2, 0]);
    expect(stderr).toBe("overload-bench: --report: Cannot write to 'gone/a.md': no such folder; check the folder\n");
    const report = await runFake(["report", "run.json", "-o", "gone/a.md"], { ...withFiles, services });
    expect([report.exitCode, report.stderr]).toEqual([
      2,
      "overload-bench: Cannot write to 'gone/a.md': no such folder; check the folder\n",
    ]);
  });

  it("report makes all outputs that it can, names those that it cannot, and exits with the worst", async () => {
    const files = { ...FILES, "ab.json": file((await runFake(AB)).saved.at(-1)!.result) };
    const wanted = ["-o", "x.hgrm", "-o", "y.html", "--arm", "nope"];
    const unknown = await runFake(["report", "ab.json", ...wanted], { files });
    expect([...unknown.reports.keys()]).toEqual(["y.html"]);
    expect(unknown.stderr).toBe(
      "overload-bench: x.hgrm: there is no arm 'nope': the arms are off, on\nReport: y.html\n",
    );
    expect(unknown.exitCode).toBe(2);
    const write = async (path: string): Promise<void> => {
      if (path === "a.md")
        throw new StoreError("not-writable", path, "Cannot write to 'a.md': full", "check the folder");
    };
    const services = { reports: { ...NO_REPORTS, write } };
    const full = await runFake(["report", "ab.json", "-o", "a.md", "-o", "b.md"], { files, services });
    expect([full.exitCode, full.stderr]).toEqual([
      1,
      "overload-bench: Cannot write to 'a.md': full; check the folder\nReport: b.md\n",
    ]);
  });

  it("a report that cannot be written costs nothing measured: one line, exit code 1, and the result is saved", async () => {
    const problem = "Cannot write to 'a.html': the disk is full (ENOSPC)";
    const services = {
      reports: {
        ...NO_REPORTS,
        write: async (path: string) => {
          throw new StoreError("not-writable", path, problem, "check the folder");
        },
      },
    };
    const { exitCode, stdout, stderr, saved } = await runFake([...SIM, "--report", "a.html"], { services });
    expect(exitCode).toBe(1);
    expect(saved.at(-1)?.final).toBe(true);
    expect(stdout).toMatch(/Result: results\/fake\.json\n$/u);
    expect(stderr.trimEnd().split("\n").at(-1)).toBe(
      `overload-bench: ${problem}; check the folder; the result is safe: overload-bench report results/fake.json -o a.html`,
    );
    expect((await runFake([...SIM, "--report", "a.html", "--assert", "goodput>1e6"], { services })).exitCode).toBe(3);
  });

  it("demo makes a page beside its result, and ends with its path", async () => {
    const { exitCode, stdout, reports } = await runFake(["demo"]);
    expect(exitCode).toBe(0);
    expect([...reports.keys()]).toEqual(["results/fake.html"]);
    expect(stdout).toMatch(/Report: results\/fake\.html\n$/u);
  });

  it.each(["html", "md", "csv", "series.csv", "junit.xml", "om", "hlog", "txt"])(
    "report writes %s of several files by the end of the name, and to stdout by --format",
    async (format) => {
      const healthy = file(resultFixture([throttled(0)], { command: "run" }));
      const files = { "a.json": healthy, "b.json": FILES["cure.json"] };
      const { exitCode, reports, stderr, stdout } = await runFake(
        ["report", "a.json", "b.json", "-o", `out.${format}`],
        { files },
      );
      expect([exitCode, stdout, stderr]).toEqual([0, "", `Report: out.${format}\n`]);
      const printed = await runFake(["report", "a.json", "b.json", "--format", format], { files });
      expect(printed.stdout).toBe(reports.get(`out.${format}`));
      expect(printed.stdout.length).toBeGreaterThan(100);
    },
  );

  it("report writes a .hgrm for each arm, and on stdout only one", async () => {
    const { saved } = await runFake(AB);
    const files = { "ab.json": file(saved.at(-1)!.result) };
    const both = await runFake(["report", "ab.json", "-o", "out.hgrm"], { files });
    expect([...both.reports.keys()]).toEqual(["out-off.hgrm", "out-on.hgrm"]);
    const one = await runFake(["report", "ab.json", "-o", "-", "--format", "hgrm", "--arm", "on"], { files });
    expect(one.stdout).toBe(both.reports.get("out-on.hgrm"));
    const many = await runFake(["report", "ab.json", "--format", "hgrm"], { files });
    expect([many.exitCode, many.stderr]).toEqual([
      2,
      "overload-bench: stdout: there are 2 texts, of off, on: pick one with --arm\n",
    ]);
    const none = await runFake(["report", "ab.json", "-o", "x.hgrm", "--histogram", "response.nope"], { files });
    expect(none.stderr).toContain("no trial has values of 'response.nope': there are response.ok");
  });

  it.each([
    [["report", "cure.json"], "report needs -o with a file such as report.html, or --format"],
    [["report", "cure.json", "-o", "out.pdf"], "--output must end with one of"],
    [["report", "cure.json", "--format", "pdf"], "--format must be one of html, md"],
    ...["cure.json", "run.json"].map((path): [string[], string] => [
      ["report", "cure.json", "-o", path, "--format", "md"],
      `Cannot write a report to '${path}' as it holds a result, which is never overwritten`,
    ]),
    [["report", "cure.json", "-o", "out.md", "--arm", "on"], "--arm is for a .hgrm, and none is asked for"],
    [["report", "cure.json", "-o", "out.md", "--histogram", "wait"], "--histogram is for a .hgrm"],
    [["report", "cure.json", "-o", "out.md", "-o", "out.md"], "--output must name each file once"],
    [["report", "gone.json", "-o", "out.md"], 'current value is "gone.json" (ENOENT)'],
  ])("%s is refused in one line", async (args, rule) => {
    const { exitCode, stderr, reports } = await runFake(args, withFiles);
    expect([exitCode, reports.size, stderr.trimEnd().split("\n").length]).toEqual([2, 0, 1]);
    expect(stderr).toContain(rule);
  });

  it("report tells of distributions that cannot be read in one line", async () => {
    const spoilt = JSON.parse(FILES["run.json"]) as Result;
    spoilt.trials[0]!.latency.response.ok!.hdr = "HISTFAAA";
    const files = { "a.json": JSON.stringify(spoilt) };
    const { exitCode, stderr } = await runFake(["report", "a.json", "-o", "a.hgrm"], { files });
    expect([exitCode, stderr]).toEqual([
      2,
      "overload-bench: a.hgrm: a latency distribution of the result cannot be read\n",
    ]);
    const asked = await runFake(["check", "a.json", "--assert", "response.ok.p95Ms<100"], { files });
    expect([asked.exitCode, asked.stdout.includes("cannot be read")]).toEqual([3, true]);
  });
});

describe("in GitHub Actions", () => {
  const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: "/summary.md" };

  it("a run adds its summary to the step's, and annotates what failed on stderr", async () => {
    const { stderr, stdout, reports } = await runFake([...SIM, "--assert", "goodput>1e6"], { env });
    expect(reports.get("/summary.md")).toContain("### Assertions: 1 of 1 failed");
    expect(stderr).toContain("::error title=overload-bench%3A an assertion failed::goodput>1e6 [sre]");
    expect(stdout).not.toContain("::error");
  });

  it("--no-github turns it off, and elsewhere there is none", async () => {
    for (const [args, setup] of [
      [["--no-github"], { env }],
      [[], { env: { GITHUB_STEP_SUMMARY: "/summary.md" } }],
    ] as const) {
      const { stderr, reports } = await runFake([...SIM, ...args, "--assert", "goodput>1e6"], setup);
      expect([reports.size, stderr.includes("::")]).toEqual([0, false]);
    }
  });

  it("check tells it too, and a summary that cannot be written is one line and exit code 1", async () => {
    const { reports } = await runFake(["check", "cure.json", "--assert", "goodput>1"], { ...withFiles, env });
    expect(reports.get("/summary.md")).toContain("all hold");
    const append = async (path: string): Promise<void> => {
      throw new StoreError(
        "not-writable",
        path,
        "Cannot write to '/summary.md': it is a folder (EISDIR)",
        "check the folder",
      );
    };
    const services = { reports: { ...NO_REPORTS, append } };
    const failed = await runFake([...SIM], { env, services });
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toContain("overload-bench: GITHUB_STEP_SUMMARY: Cannot write to '/summary.md'");
  });
});
