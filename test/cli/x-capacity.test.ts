/** `--rps 2x-capacity`: the capacity is found first, in the same session, and the load is a multiple of it. */

import { Readable } from "node:stream";
import { beforeAll, describe, expect, it } from "vitest";
import type { TrialSpec } from "../../src/engine/trial-spec.ts";
import { capacityOf } from "../../src/experiment/found-capacity.ts";
import { recoverResult } from "../../src/experiment/recover.ts";
import { type JournalLine, journalLineSchema, type WrittenLine } from "../../src/result/journal-schema.ts";
import { fileJournals } from "../../src/result/journals.ts";
import type { Result } from "../../src/result/schema.ts";
import type { ExperimentHeader, ResultStore } from "../../src/result/store.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";
import { headerLine, secondLine } from "../support/journal-fixture.ts";
import { inPlace } from "../support/result-place.ts";

const CAPACITY = 400;
const SIM = ["--sim", `shed:capacity=${CAPACITY}`, "-d", "2s", "--workers", "1"];
const RUN = ["run", ...SIM, "--rps", "2x-capacity", "--policy", "none"];
const AB = [
  "ab",
  ...SIM,
  "--rps",
  "1.5x-capacity",
  "--repeats",
  "2",
  "--arm",
  "a:policy=none",
  "--arm",
  "b:policy=retry",
];
const REAL = ["run", "--url", "http://127.0.0.1:1/", "--rps", "2x-capacity", "-d", "2s", "--policy", "none"];
/** That does not come to rest. */
const RESTLESS = ["--sim", "bernoulli:accept=0.9", "--rps", "2x-capacity", "-d", "2s"];
const FOUND = "found first, at most 5.0 % failed";

function final({ saved, stderr }: FakeRunOutcome): Result {
  const last = saved.at(-1);
  expect(last?.final, stderr).toBe(true);
  return JSON.parse(JSON.stringify(last?.result)) as Result;
}

function rates(specs: readonly TrialSpec[]): readonly (number | undefined)[] {
  return specs.map(({ plan: { arrival } }) =>
    arrival.law !== "replay" && arrival.rate.kind === "constant" ? arrival.rate.rps : undefined,
  );
}

function isSearch({ governor }: TrialSpec): boolean {
  return governor !== undefined;
}

describe("run --rps 2x-capacity", () => {
  let outcome: FakeRunOutcome;
  let result: Result;

  beforeAll(async () => {
    outcome = await runFake(RUN);
    result = final(outcome);
  });

  it("finds the capacity by one trial under the governor, of clients without a policy, and offers twice that", () => {
    const { specs, exitCode, stderr } = outcome;
    expect(exitCode, stderr).toBe(0);
    expect(specs.map(isSearch)).toEqual([true, false]);
    expect(specs[0]).toMatchObject({
      arm: "capacity",
      policy: { name: "none" },
      workers: 1,
      governor: { control: "rate", high: 0.05, holdWindows: 12 },
      plan: { arrival: { law: "constant" }, durationSeconds: 180, warmupSeconds: 0, users: 100, seed: 1 },
    });
    const { goodput = 0 } = result.capacity ?? {};
    expect(goodput / CAPACITY).toBeGreaterThan(0.97);
    expect(goodput / CAPACITY).toBeLessThan(1.03);
    expect(rates(specs)[1]).toBe(Number((2 * goodput).toPrecision(4)));
  });

  it("keeps the search in the result, beside the trials", () => {
    expect(result.trials.map(({ arm }) => arm)).toEqual(["none"]);
    expect(result.capacityTrials?.map(({ arm, governor }) => [arm, governor?.ended])).toEqual([["capacity", "held"]]);
    expect(result).toMatchObject({ partial: false, capacity: { held: true, saturated: false, failureBound: 0.05 } });
    expect(result.plan.rps).toBe(rates(outcome.specs)[1]);
    expect(result.config).toMatchObject({ governor: { high: 0.05, ceiling: null } });
    expect(result.invocation?.flags).toMatchObject({ rps: "2x-capacity" });
  });

  it("tells each movement, what was found and what that makes of the load, and what it was in the report", () => {
    const { stderr, stdout } = outcome;
    expect(stderr).toMatch(/^Finding the capacity$/mu);
    expect(stderr).toMatch(/ {2}2\.0 s {2}.*climbing, rate 1 -> 2/u);
    expect(stderr).toMatch(/^The target takes 4\d\d calls\/s.* So 2x-capacity is [78]\d\d\/s\.$/mu);
    expect(stdout.replaceAll("\n", " ")).toContain(`, 2 x the capacity of ${CAPACITY}/s (${FOUND})`);
  });

  it("tells no movements with --quiet, but what was found", async () => {
    const { stderr } = await runFake([...RUN, "--quiet"]);
    expect(stderr).not.toContain("climbing");
    expect(stderr).toContain("So 2x-capacity is");
  });

  it("is read by report, check and compare", async () => {
    const files = { "a.json": JSON.stringify(result) };
    const report = await runFake(["report", "a.json", "--format", "md"], { files });
    expect(report.stdout.replaceAll("\n", " "), report.stderr).toContain(FOUND);
    const page = await runFake(["report", "a.json", "-o", "a.html"], { files });
    expect(page.exitCode, page.stderr).toBe(0);
    expect(page.reports.get("a.html")).toContain(FOUND);
    expect((await runFake(["check", "a.json", "--assert", "goodput>1"], { files })).exitCode).toBe(0);
    const other = { ...files, "b.json": files["a.json"] };
    const compared = await runFake(["compare", "a.json", "b.json"], { files: other });
    expect(compared.stdout, compared.stderr).toContain("goodput");
  });

  it("is repeated at the load that is recorded, without another search", async () => {
    const { stdout, stderr, specs, saved } = await runFake(["reproduce", "a.json"], {
      files: { "a.json": JSON.stringify(result) },
    });
    expect(stdout, stderr).toContain("Identical: 1 trial, the same to the bit.");
    expect(specs.map(isSearch)).toEqual([false]);
    expect(stderr).toContain("was found before, and is not looked for again: 2x-capacity is");
    expect(saved.at(-1)?.result.capacityTrials).toEqual(result.capacityTrials);
  });
});

describe("the search for the capacity", () => {
  it("comes before clients grow old and the target's script begins, and goes by the bound that was declared", async () => {
    const more = ["--script", "1s..2s:capacity=0.5", "--age", "10s", "--timeout", "700ms", "-u", "7"];
    const { specs, stderr } = await runFake([...RUN, ...more, "--governor", "high=10%,window=1s,start=50"]);
    const [search, trial] = specs;
    expect(search?.governor, stderr).toMatchObject({ high: 0.1, windowSeconds: 1, start: 50 });
    expect(search?.plan).toMatchObject({ users: 7, arrival: { rate: { rps: 50 } } });
    expect([search?.timeoutSeconds, search?.age]).toEqual([0.7, undefined]);
    expect(search?.world).not.toHaveProperty("script");
    expect(trial?.world).toHaveProperty("script");
    expect(trial?.age).toMatchObject({ seconds: 10 });
  });

  it("is for 2x-capacity where --governor is all that speaks of a rate, also of a --url", async () => {
    const sim = ["run", ...SIM, "--policy", "none", "--governor", "high=10%"];
    expect(final(await runFake(sim)).plan.rps).toBeGreaterThan(1.9 * CAPACITY);
    const dry = await runFake(["run", "--url", "http://127.0.0.1:1/", "--governor", "high=10%", "--dry-run"]);
    expect(dry.stdout, dry.stderr).toContain("at 2 x the capacity, which is found first");
  });

  it.each([
    [["--rps", "300"], "--rps says another one"],
    [["--stages", "5s@100"], "--stages says another one"],
  ])("is refused beside %j", async (load, rule) => {
    for (const command of ["run", "ab", "sweep"]) {
      const { exitCode, stderr, specs } = await runFake([
        command,
        "--sim",
        "shed:capacity=9",
        "--governor",
        "high=3%",
        ...load,
      ]);
      expect([exitCode, specs.length]).toEqual([2, 0]);
      expect(stderr).toContain("--governor finds a capacity for a load that is a multiple of it");
      expect(stderr).toContain(rule);
    }
  });

  it("gives way to a rate that a stronger source names, and stays for a multiple", async () => {
    const files = { f: "governor: high=3%\nsim: shed:capacity=100\n" };
    const of = async (args: readonly string[]): Promise<string> =>
      (await runFake(["--config", "f", "--dry-run", ...args], { files })).stdout;
    expect(await of(["--rps", "300"])).toMatch(/a trial +30 s, at 300\/s/u);
    expect(await of(["--rps", "3x-capacity"])).toMatch(/lowered\s+above 3\.0 %/u);
    expect(await of([])).toContain("at 2 x the capacity");
    const numeric = { f: "rps: 300\nsim: shed:capacity=100\n" };
    const governed = await runFake(["--config", "f", "--dry-run", "--governor", "high=3%"], { files: numeric });
    expect(governed.stdout, governed.stderr).toContain("at 2 x the capacity");
  });

  it("refuses options of the governor that do not go together before anything begins", async () => {
    const { exitCode, stderr, saved } = await runFake([...RUN, "--governor", "start=50", "--max-rps", "20"]);
    expect([exitCode, saved.length]).toEqual([2, 0]);
    expect(stderr).toMatch(/^overload-bench: --governor 'start' must be .*\n$/u);
  });

  it.each(["run", "ab", "sweep"])(
    "refuses in %s to bound a closed loop by a rate, before anything is sent",
    async (command) => {
      const load = ["--rps", "0.1x-capacity", "--max-rps", "100", "--governor", "control=concurrency,start=8"];
      const { exitCode, stderr, specs, saved } = await runFake([command, ...SIM, ...load]);
      expect([exitCode, specs.length, saved.length]).toEqual([2, 0, 0]);
      expect(stderr).toMatch(/^overload-bench: --max-rps cannot bound a closed loop: .*\n$/u);
    },
  );

  it("asks before it loads a host that nobody named, and names --allow where there is nobody to ask", async () => {
    const args = ["run", "--url", "http://staging.example.com/", "--rps", "2x-capacity"];
    const { exitCode, stderr, events } = await runFake(args);
    expect([exitCode, events]).toEqual([2, []]);
    expect(stderr).toContain("--allow staging.example.com");
  });

  it("ends the command with 4 where it does not come to rest, and loses nothing of what was measured", async () => {
    const outcome = await runFake(RESTLESS);
    const { exitCode, stderr, stdout, specs } = outcome;
    expect([exitCode, specs.length]).toEqual([4, 1]);
    expect(stderr.split("\n").filter((line) => line.startsWith("overload-bench: "))).toEqual([
      expect.stringMatching(/^overload-bench: The capacity was not found: /u),
    ]);
    const result = final(outcome);
    expect(result).toMatchObject({ partial: true, trials: [], plan: { rate: "2x-capacity", rps: 0, hash: "" } });
    expect(result.capacityTrials).toHaveLength(1);
    expect(stdout).toContain("PARTIAL: the load itself, 2x-capacity, was not sent");
    expect(stdout).toContain("Result: results/fake.json");
    const files = { "a.json": JSON.stringify(result) };
    const readings = [
      ["check", "a.json", "--assert", "goodput>1"],
      ["compare", "a.json", "a.json"],
      ["reproduce", "a.json"],
      ...["html", "md", "csv", "junit.xml", "om"].map((end) => ["report", "a.json", "-o", `a.${end}`]),
    ];
    for (const reading of readings) {
      const { stderr: said, exitCode: code } = await runFake(reading, { files });
      expect(said, reading[0]).not.toContain("internal error");
      expect(code, said).toBeLessThan(5);
    }
  });

  it("has its reports and its assertions also where it is all that was measured", async () => {
    const report = ["--report", "a.md", "--report", "a.html", "--assert", "goodput>1"];
    const outcome = await runFake([...RESTLESS, ...report]);
    expect(outcome.exitCode, outcome.stderr).toBe(4);
    expect([...outcome.reports.keys()]).toEqual(["a.md", "a.html"]);
    expect(final(outcome).assertions).toMatchObject([{ text: "goodput>1", holds: false }]);
  });

  it("does not advise a longer load where it is the search that came to no rest", async () => {
    const { capacityTrials = [] } = final(await runFake(RESTLESS));
    const reason = capacityTrials[0]?.validity.reasons.find(({ code }) => code === "capacity-not-held");
    expect(reason?.hint).toContain("--governor");
    expect(reason?.hint).not.toContain("--duration");
  });

  it("ends with 2 where the product is more than --max-rps allows, before a call of it is sent", async () => {
    const outcome = await runFake([...RUN, "--max-rps", "600"]);
    expect([outcome.exitCode, outcome.specs.map(isSearch)]).toEqual([2, [true]]);
    expect(outcome.specs[0]?.governor?.ceiling).toBe(600);
    expect(outcome.stderr).toMatch(/^overload-bench: --max-rps 600 is the most, and the load comes to [78]\d\d\/s$/mu);
    expect(final(outcome)).toMatchObject({ partial: true, trials: [], capacity: { held: true } });
  });

  it("writes what it has found at Ctrl-C, with 130", async () => {
    const outcome = await runFake(REAL, { onTrial: (_spec, send) => send("SIGINT") });
    expect([outcome.exitCode, outcome.specs.length]).toEqual([130, 1]);
    expect(outcome.stderr).not.toContain("overload-bench:");
    const result = final(outcome);
    expect(result).toMatchObject({ partial: true, trials: [] });
    expect(result.capacityTrials).toHaveLength(1);
  });

  it("has the target to itself: one thread, the same requests, and rest before the load begins", async () => {
    const { specs, events, exitCode, stderr } = await runFake([...REAL, "--workers", "2", "-H", "a: b"]);
    expect(exitCode, stderr).toBe(0);
    expect(specs.map(({ workers }) => workers)).toEqual([1, 2]);
    expect(specs[0]?.world).toMatchObject({ url: "http://127.0.0.1:1/", headers: [["a", "b"]] });
    expect(events.filter((event) => event === "idle" || event.startsWith("trial"))).toEqual([
      "trial capacity 0",
      "idle",
      "trial none 0",
    ]);
    expect(stderr).toMatch(/^The target is let go idle$/mu);
  });

  it("keeps the capacity when it is stopped between the search and the load", async () => {
    const setup: FakeSetup = { onTrial: (spec, send) => (isSearch(spec) ? undefined : send("SIGTERM")) };
    const outcome = await runFake(AB, setup);
    expect(outcome.exitCode).toBe(143);
    expect(final(outcome)).toMatchObject({ partial: true, capacity: { held: true } });
  });
});

describe("ab and sweep at multiples of the capacity", () => {
  it("look for it once, and give all arms of an ab the same arrivals", async () => {
    const outcome = await runFake(AB);
    expect(outcome.specs.filter(isSearch)).toHaveLength(1);
    const result = final(outcome);
    expect(new Set(result.trials.filter(({ pair }) => pair === 0).map(({ plan }) => plan.hash)).size).toBe(1);
    expect(result.trials[0]?.plan.rps).toBe(rates(outcome.specs)[1]);
    expect(outcome.stdout.replaceAll("\n", " ")).toContain(`, 1.5 x the capacity of ${CAPACITY}/s (${FOUND})`);
  });

  it("makes an axis of multiples and figures, named as they were written", async () => {
    const sweep = ["sweep", ...SIM, "--rps", "0.9x-capacity..1.8x-capacity/2,500", "--policy", "none,retry"];
    const outcome = await runFake([...sweep, "--repeats", "1", "--warmup", "0", "--no-recovery"]);
    const result = final(outcome);
    expect(outcome.specs.filter(isSearch), outcome.stderr).toHaveLength(1);
    expect(result.sweep?.axes.find(({ name }) => name === "rps")?.values).toEqual([
      "0.9x-capacity",
      "1.8x-capacity",
      "500",
    ]);
    const goodput = result.capacity?.goodput ?? 0;
    const rpsOf = (arm: string): number | undefined => result.trials.find((trial) => trial.arm === arm)?.plan.rps;
    expect(rpsOf("retry rps=0.9x-capacity")).toBe(Number((0.9 * goodput).toPrecision(4)));
    expect(rpsOf("none rps=1.8x-capacity")).toBe(Number((1.8 * goodput).toPrecision(4)));
    expect(rpsOf("none rps=500")).toBe(500);
    expect(result.sweep?.recommendations).toHaveLength(3);
    expect(outcome.stderr).toMatch(/So 0\.9x-capacity is 3\d\d\/s, 1\.8x-capacity is 7\d\d\/s\./u);
    const again = await runFake(["reproduce", "a.json"], { files: { "a.json": JSON.stringify(result) } });
    expect(again.stdout, again.stderr).toContain("Identical: 6 trials");
  });

  it("says how an axis of rates is written to who varies them as options of the policy", async () => {
    const { exitCode, stderr } = await runFake(["sweep", ...SIM, "--vary", "rps=1x-capacity,2x-capacity"]);
    expect([exitCode, stderr]).toEqual([2, "overload-bench: --vary rps is written --rps\n"]);
  });

  it("takes the rate of --governor for all cells of a sweep", async () => {
    const { stdout, stderr } = await runFake(["sweep", ...SIM, "--k", "1.5,2", "--governor", "high=10%", "--dry-run"]);
    expect(stdout, stderr).toContain("at 2 x the capacity, which is found first");
  });
});

describe("--dry-run of a multiple", () => {
  it("says what is found first and how, and plans what it can", async () => {
    const { stdout, specs, saved } = await runFake([...AB, "--dry-run"]);
    expect([specs.length, saved.length]).toEqual([0, 0]);
    expect(stdout).toContain("Plan: 4 trials: 2 arms in 2 pairs");
    expect(stdout).toMatch(
      /first +the capacity is found, by a trial of clients without a policy\. The load: from 1\/s/u,
    );
    expect(stdout).toMatch(/a trial +2 s, at 1\.5 x the capacity, which is found first/u);
    expect(stdout).not.toContain("calls,");
    const { config } = JSON.parse((await runFake([...AB, "--dry-run", "--json"])).stdout) as {
      config: Result["config"];
    };
    expect(config).toMatchObject({ plan: { rate: "1.5x-capacity" }, governor: { high: 0.05 } });
  });

  it("says so of figures and multiples side by side", async () => {
    const { stdout } = await runFake(["sweep", ...SIM, "--rps", "0.9x-capacity,2x-capacity,500", "--dry-run"]);
    expect(stdout.replaceAll(/\s+/gu, " ")).toContain("at 0.9, 2 x the capacity, which is found first, and 500/s");
  });
});

describe("the record of a multiple", () => {
  it("keeps the rate of a first load that is a figure", async () => {
    const args = ["sweep", ...SIM, "--rps", "50,2x-capacity", "--policy", "none", "--dry-run", "--json"];
    const { stdout, stderr } = await runFake(args);
    const { config } = JSON.parse(stdout) as { config: Result["config"] };
    expect(config.plan, stderr).toMatchObject({ rate: "50/s" });
  });
});

describe("a configuration file", () => {
  it("takes 2x-capacity, alone and in the list of a sweep, as its schema does", async () => {
    const dry = async (file: string): Promise<string> =>
      (await runFake(["--config", "f", "--dry-run"], { files: { f: file } })).stdout;
    expect(await dry("sim: shed:capacity=100\nrps: 2x-capacity\n")).toContain("at 2 x the capacity");
    expect(await dry("command: sweep\nsim: shed:capacity=100\nrps: [capacity, 300]\n")).toContain(
      "at 1 x the capacity, which is found first, and 300/s",
    );
    const { properties } = JSON.parse((await runFake(["schema", "config"])).stdout) as {
      properties: Record<string, { anyOf: readonly { pattern?: string }[] }>;
    };
    const patterns = JSON.stringify(properties.rps);
    expect(patterns).toContain("capacity");
  });

  it("is no plan that calibrate could know the rate of", async () => {
    const { exitCode, stderr } = await runFake(["calibrate", "--rps", "2x-capacity"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--rps 2x-capacity is not known before the capacity of its target is");
  });
});

describe("--resume of a multiple", () => {
  it("takes the capacity from the earlier result instead of finding it anew", async () => {
    const whole = final(await runFake(AB));
    await inPlace(async (place) => {
      const path = await place.cut(AB, 3);
      const cut = await place.read(path);
      expect(cut.capacity).toEqual(whole.capacity);
      const { result, specs, exitCode, stderr } = await place.run(["ab", "--resume", path]);
      expect(exitCode, stderr).toBe(0);
      expect(specs.filter(isSearch)).toEqual([]);
      expect(stderr).toContain("was found before, and is not looked for again: 1.5x-capacity is");
      expect(result.capacityTrials).toEqual(cut.capacityTrials);
      expect(result.plan).toEqual(whole.plan);
      expect(result.trials.map(({ calls }) => calls)).toEqual(whole.trials.map(({ calls }) => calls));
    });
  });

  it("looks for it again where the search had found none", async () => {
    await inPlace(async (place) => {
      await place.run(["run", ...RESTLESS]);
      const [name = ""] = await place.names();
      const { result, specs, exitCode, stderr } = await place.run(["run", "--resume", place.path(name)]);
      expect(stderr).toContain("Continuing");
      expect([exitCode, specs.map(isSearch)]).toEqual([4, [true]]);
      expect(result.design.resumed).toHaveLength(1);
    });
  });

  it("refuses another multiple, and another bound", async () => {
    await inPlace(async (place) => {
      const path = await place.cut(AB, 3);
      for (const other of [
        ["--rps", "2x-capacity"],
        ["--governor", "high=10%"],
      ]) {
        const { exitCode, stderr } = await place.run(["ab", "--resume", path, ...other]);
        expect([exitCode, stderr]).toEqual([2, expect.stringContaining("is of another experiment:")]);
      }
    });
  });
});

describe("the journal of a multiple", () => {
  it("says that its first trial looks for the capacity, and then what was planned with it", async () => {
    const { header, lines } = await journalOf(AB);
    const { seeks, result } = header;
    expect(seeks).toBe("capacity");
    expect(result).toMatchObject({ plan: { rate: "1.5x-capacity", hash: "" }, trials: [] });
    expect(lines.map(({ kind }) => kind).slice(0, 5)).toEqual(["trial", "ended", "planned", "trial", "ended"]);
    for (const line of lines) expect(() => journalLineSchema.parse(JSON.parse(JSON.stringify(line)))).not.toThrow();
    const searched = await recovered(header, lines.slice(0, 2));
    expect(searched).toMatchObject({ partial: true, trials: [], capacity: { held: true } });
    expect(searched?.capacityTrials).toHaveLength(1);
    for (const [count, trials] of [
      [3, 0],
      [5, 1],
      [lines.length, 4],
    ] as const) {
      const found = await recovered(header, lines.slice(0, count));
      expect(found?.trials).toHaveLength(trials);
      expect(found).toMatchObject({ partial: trials < 4, capacity: searched?.capacity });
      expect(found?.plan.rps).toBe(Number((1.5 * (searched?.capacity?.goodput ?? 0)).toPrecision(4)));
    }
  });

  it("keeps what a search that was killed had come to", async () => {
    const { header, lines } = await journalOf(AB);
    expect(await recovered(header, lines.slice(0, 1))).toBeUndefined();
    const [started] = lines;
    const found = await recovered(header, [started as WrittenLine, secondLine(1, 5)]);
    expect(found).toMatchObject({ partial: true, trials: [] });
    expect(found?.capacityTrials).toMatchObject([{ arm: "capacity", interrupted: true }]);
    expect(capacityOf(found as Result)).toBeUndefined();
  });

  it("is refused where a plan follows from no search", async () => {
    const { header, lines } = await journalOf(AB);
    const { seeks: _, ...plain } = header;
    await expect(recovered(plain, lines)).rejects.toThrow("no capacity was looked for");
  });

  it("is what a run goes on with that was killed after its search", async () => {
    await inPlace(async (place) => {
      let begun = 0;
      await place.run(AB, {
        onTrial() {
          begun += 1;
          if (begun === 3) throw new Error("killed");
        },
      });
      const journal = (await place.names()).find((name) => name.endsWith(".journal.jsonl")) ?? "";
      const { specs, result, exitCode, stderr } = await place.run(["ab", "--resume", place.path(journal)], {
        // Of this very process.
        services: { journals: { ...fileJournals, isBeingWritten: async () => false } },
      });
      expect(exitCode, stderr).toBe(0);
      expect(specs.filter(isSearch)).toEqual([]);
      expect([specs.length, result.trials.length, result.capacity?.held]).toEqual([3, 4, true]);
    });
  });
});

interface Kept {
  readonly header: ExperimentHeader;
  readonly lines: readonly WrittenLine[];
}

/** What a run writes to its journal. */
async function journalOf(args: readonly string[]): Promise<Kept> {
  let header: ExperimentHeader | undefined;
  const lines: WrittenLine[] = [];
  const store: ResultStore = {
    prepare: async () => {},
    save: async () => ({ path: "results/fake.json" }),
    async startJournal(first) {
      header = structuredClone(first);
      return {
        path: "results/fake.journal.jsonl",
        isWhole: true,
        append: (line) => void lines.push(structuredClone(line)),
        flush() {},
        close: async () => {},
        remove: async () => {},
      };
    },
  };
  await runFake(args, { services: { resultStore: () => store } });
  return { header: header as ExperimentHeader, lines };
}

/** What `recover` makes of a journal that ends there. */
async function recovered(header: ExperimentHeader, lines: readonly WrittenLine[]): Promise<Result | undefined> {
  const { journalVersion, writer } = headerLine();
  const first: WrittenLine = { kind: "header", journalVersion, writer, ...header };
  const all = [first, ...lines].map((line) => journalLineSchema.parse(JSON.parse(JSON.stringify(line))));
  return await recoverResult("j", Readable.from(all) as AsyncIterable<JournalLine>);
}
