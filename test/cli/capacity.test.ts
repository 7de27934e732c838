import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/report/display-width.ts";
import { resultSchema } from "../../src/result/schema.ts";
import { type FakeRunOutcome, type FakeSetup, FOUND_CAPACITY, runFake } from "../support/fake-host.ts";

const SHED = ["capacity", "--sim", "shed:capacity=400"];

async function find(args: readonly string[], setup: FakeSetup = {}): Promise<FakeRunOutcome & { capacity: Capacity }> {
  const outcome = await runFake(args, setup);
  const result = outcome.saved.at(-1)?.result;
  const capacity = result?.capacity;
  expect(capacity, outcome.stderr).toBeDefined();
  expect(() => resultSchema.parse(JSON.parse(JSON.stringify(result)))).not.toThrow();
  return { ...outcome, capacity: capacity as Capacity };
}

type Capacity = NonNullable<FakeRunOutcome["saved"][number]["result"]["capacity"]>;

describe("overload-bench capacity", () => {
  it("finds a sharp capacity within 3 %, at an offer that it turns away 1 to 5 % of", async () => {
    const { exitCode, stdout, capacity } = await find(SHED);
    expect(exitCode).toBe(0);
    expect(Math.abs(capacity.goodput / 400 - 1)).toBeLessThan(0.03);
    expect(capacity.offer).toBeGreaterThan(400 / 0.99);
    expect(capacity.offer).toBeLessThanOrEqual(400 / 0.95);
    expect(stdout).toMatch(/^Valid measurement: The target takes (39\d|40\d) calls\/s/u);
    expect(stdout).toContain("declared bearable: 5.0 %");
  });

  it("keeps its text within 80 columns", async () => {
    for (const args of [
      SHED,
      [...SHED, "--repeats", "3"],
      [...SHED, "--arrival", "poisson"],
      ["capacity", "--sim", "fifo:workers=4,service=10ms,latency=2ms"],
    ]) {
      const { stdout } = await find(args);
      for (const line of stdout.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(80);
    }
  });

  it("tells each movement on stderr with its signal, its figure and old -> new, but not when asked for quiet", async () => {
    const { stderr } = await find(SHED);
    expect(stderr).toMatch(/ 0\.0 s {2}rate starts at 1, ceiling ∞, floor 1/u);
    expect(stderr).toMatch(/ 2\.0 s {2}0\.0 % of attempts failed \(0\/2 in 2 s\) < 1\.0 %: climbing, rate 1 -> 2/u);
    expect(stderr).toMatch(/ 20\.0 s {2}\d\d\.\d % of attempts failed .* > 5\.0 %: rate 512 -> \d/u);
    expect((await find([...SHED, "-q"])).stderr).toBe("");
  });

  it("explains that random arrivals settle near 0.92 C", async () => {
    const { stdout, capacity } = await find([...SHED, "--arrival", "poisson", "--governor", "hold=60", "-d", "5m"]);
    expect(capacity.goodput / 400).toBeGreaterThan(0.87);
    expect(capacity.goodput / 400).toBeLessThan(0.96);
    expect(stdout.replace(/\s+/gu, " ")).toContain("Random arrivals are turned away below the capacity");
  });

  it("in a closed loop never backs off above 16 calls at once from a target that takes 6", async () => {
    const { capacity, saved } = await find([
      "capacity",
      ...["--sim", "fifo:workers=6,service=10ms,queue=0", "--governor", "control=concurrency", "-d", "60s"],
    ]);
    const windows = saved.at(-1)?.result.trials[0]?.governor?.windows ?? [];
    const cut = windows.filter(({ decision }) => decision === "down");
    expect(cut.length).toBeGreaterThan(0);
    expect(Math.max(...cut.map(({ offer }) => offer))).toBeLessThanOrEqual(16);
    expect(capacity.knee.filter(({ failedShare }) => failedShare < 0.05).at(-1)?.offer).toBe(6);
    expect(capacity.remarks.join(" ")).toContain("closed loop");
  });

  it("climbs to the ceiling through background errors that are declared bearable", async () => {
    const { exitCode, capacity, stdout } = await find([
      "capacity",
      ...["--sim", "bernoulli:accept=0.5", "--governor", "high=70%,low=60%", "--max-rps", "300"],
    ]);
    expect(exitCode).toBe(0);
    expect(capacity.offer).toBe(300);
    expect(stdout).toContain("The target takes at least");
    expect(capacity.remarks.join(" ")).toContain("raise --max-rps");
  });

  it("calls what it measures below undeclared background errors a saturation artefact, with exit code 4", async () => {
    const { exitCode, stdout, capacity } = await find(["capacity", "--sim", "bernoulli:accept=0.5", "-d", "60s"]);
    expect(exitCode).toBe(4);
    expect(capacity.saturated).toBe(true);
    expect(stdout.replace(/\s+/gu, " ")).toContain("No capacity was found");
  });

  it("climbs again when the target heals", async () => {
    const { saved } = await find([
      ...SHED,
      ...["--script", "0s..60s:capacity=0.5", "--governor", "hold=60", "-d", "150s"],
    ]);
    const governor = saved.at(-1)?.result.trials[0]?.governor;
    expect(governor?.events.some(({ kind, atSeconds }) => kind === "cleared" && atSeconds > 60)).toBe(true);
    const before = (governor?.windows ?? []).filter(({ fromSeconds }) => fromSeconds >= 30 && fromSeconds < 58);
    expect(Math.max(...before.map(({ offer }) => offer))).toBeLessThan(230);
    expect(governor?.windows.at(-1)?.offer).toBeGreaterThan(350);
  });

  it("gives the interval between several searches, and a line for each", async () => {
    const { stdout, capacity, specs } = await find([...SHED, "--arrival", "poisson", "--repeats", "3"]);
    expect(specs).toHaveLength(3);
    expect(capacity.interval?.effectiveWindows).toBe(3);
    expect(stdout).toMatch(/search 3 +\d/u);
    expect(stdout).toContain("Validity of the searches:");
  });

  it("says with exit code 4 up to where the load was served when it found no rest", async () => {
    const { exitCode, capacity, stdout } = await find([
      "capacity",
      "--sim",
      "fifo:workers=4,service=10ms",
      "-d",
      "90s",
    ]);
    expect(exitCode).toBe(4);
    expect(capacity.held).toBe(false);
    expect(stdout.replace(/\s+/gu, " ")).toMatch(
      /The search found no rest in 90 s: up to [\d.]+\/s offered the load was served/u,
    );
  });

  it("searches the built-in target, and one of one's own, with the clients that --policy names", async () => {
    const { stdout, specs, events } = await find(["capacity", "--policy", "sre"]);
    expect(events).toContain("target stopped");
    expect(specs[0]?.policy.name).toBe("sre");
    expect(specs[0]?.governor).toMatchObject({ control: "rate", start: 1, holdWindows: 12 });
    expect(specs[0]?.plan).toMatchObject({ durationSeconds: 180, warmupSeconds: 0 });
    expect(stdout).toContain("policy sre");
    const own = await find(["capacity", "--url", "http://127.0.0.1:9/"]);
    expect(Math.abs(own.capacity.goodput / FOUND_CAPACITY - 1)).toBeLessThan(0.03);
  });

  it("gives the document instead with --json", async () => {
    const { stdout } = await find([...SHED, "--json"]);
    expect(JSON.parse(stdout).capacity.goodput).toBeCloseTo(400, -1);
  });

  it("shows with --dry-run what it would do, and no count of calls that nobody knows", async () => {
    const { stdout, specs, exitCode } = await runFake([...SHED, "--max-rps", "50", "--dry-run"]);
    expect(exitCode).toBe(0);
    expect(specs).toEqual([]);
    const text = stdout.replace(/\s+/gu, " ");
    expect(text).toContain("3 min at most, at what the governor offers");
    expect(text).toContain(
      "The load: from 1/s on, to 50/s at most, raised while fewer than 1.0 % of attempts fail in 2 s",
    );
    expect(text).not.toContain("about 180 calls");
  });

  it("records its options, none of them infinite", async () => {
    const { saved } = await find([...SHED, "--governor", "window=1s"]);
    const result = JSON.parse(JSON.stringify(saved.at(-1)?.result));
    expect(result.command).toBe("capacity");
    expect(result.config.governor).toMatchObject({ ceiling: null, windowSeconds: 1 });
    expect(result.invocation.flags).toEqual({ sim: "shed:capacity=400", governor: "window=1s" });
  });

  it("gives after Ctrl-C what was found so far, as a partial result", async () => {
    const { exitCode, saved, stdout } = await runFake([...SHED, "--repeats", "3"], {
      onTrial: ({ pair }, send) => {
        if (pair === 1) send("SIGINT");
      },
    });
    expect(exitCode).toBe(130);
    const { result } = saved.at(-1) as FakeRunOutcome["saved"][number];
    expect(result.partial).toBe(true);
    expect(result.capacity).toBeDefined();
    expect(stdout).toMatch(/^PARTIAL: /u);
  });

  it.each<[string[], string]>([
    [["--rps", "100"], "unknown option '--rps'"],
    [["--stages", "10s@5"], "unknown option '--stages'"],
    [["--warmup", "5s"], "unknown option '--warmup'"],
    [["--governor", "hihg=5%"], "--governor has no option 'hihg': did you mean 'high'?"],
    [["--governor", "high=5"], "--governor 'high' must be a share"],
    [["--governor", "start=20", "--max-rps", "10"], "--governor 'start' must be from 'floor' (1) to the ceiling (10)"],
    [["--max-rps", "0"], "--max-rps must be a positive rate"],
    [["--max-concurrency", "5"], "--max-concurrency is for --governor control=concurrency"],
    [["--governor", "control=concurrency", "--max-rps", "5"], "--max-rps cannot bound a closed loop"],
    [
      ["--governor", "control=concurrency", "--max-concurrency", "500"],
      "--max-concurrency must be at most the virtual users (100)",
    ],
    [["--arrival", "bursty"], "--arrival must be constant or poisson"],
    [["--workers", "2"], "--workers is for --sim"],
    [["--abort-on", "errors>50%"], "--abort-on must list what is too much and for how long"],
    [["--allow", "http://h/"], "--allow must be a host"],
    [["--duration", "0"], "--duration must be longer than nothing"],
  ])("refuses %j as a usage error in one line: %s", async (flags, message) => {
    const { exitCode, stdout, stderr, specs } = await runFake(["capacity", ...flags]);
    expect(exitCode).toBe(2);
    expect(stdout).toBe("");
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(stderr).toContain(message);
    expect(specs).toEqual([]);
  });

  it("tells in its help how the search goes, and keeps silent on flags that it has not", async () => {
    const { exitCode, stdout } = await runFake(["capacity", "--help"]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain("doubles the load every two seconds");
    expect(stdout).toContain("Exit codes:");
    expect(stdout).not.toMatch(/--rps <|--stages|--warmup|--replay/u);
  });
});

describe("the guards of capacity", () => {
  const STAGING = ["capacity", "--url", "http://staging.example.com/", "-d", "60s"];

  it("refuse a target elsewhere when there is nobody to ask, before anything is sent", async () => {
    const { exitCode, stderr, specs } = await runFake(STAGING);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--allow staging.example.com:80, or the key allow in a --config file");
    expect(specs).toEqual([]);
  });

  it("ask on a terminal, with the most that is sent, and go by the answer", async () => {
    const yes = await runFake([...STAGING, "--max-rps", "150"], { answer: () => "y" });
    expect(yes.stderr).toContain("Send up to 150 calls/s to staging.example.com:80? [y/N] ");
    expect(yes.specs).toHaveLength(1);
    const no = await runFake(STAGING, { answer: () => "n" });
    expect(no.exitCode).toBe(2);
    expect(no.specs).toEqual([]);
    const interrupted = await runFake(STAGING, { answer: () => ({ signal: "SIGINT" }) });
    expect(interrupted.exitCode).toBe(130);
    expect(interrupted.specs).toEqual([]);
  });

  it("ask of a closed loop by its calls at once", async () => {
    const { stderr } = await runFake([...STAGING, "--governor", "control=concurrency"], { answer: () => "n" });
    expect(stderr).toContain("Send up to 100 calls at once to staging.example.com:80? [y/N] ");
  });

  it("take the hosts that --allow or a configuration file names", async () => {
    expect((await runFake([...STAGING, "--allow", "staging.example.com"])).specs).toHaveLength(1);
    const files = { "c.yaml": "allow:\n  - a.example.com\n  - STAGING.example.com:80\n" };
    expect((await runFake([...STAGING, "--config", "c.yaml"], { files })).specs).toHaveLength(1);
    const wrong = { "c.yaml": "allow: [staging.example.com:81]\n" };
    expect((await runFake([...STAGING, "--config", "c.yaml"], { files: wrong })).exitCode).toBe(2);
  });

  it("keep what may be loaded out of the record, so that no file that is repeated can allow it", async () => {
    const { saved } = await runFake([...STAGING, "--allow", "staging.example.com"]);
    expect(JSON.stringify(saved.at(-1)?.result.invocation)).not.toContain("allow");
  });

  it("refuse a plan of any command that comes to more than --max-rps", async () => {
    for (const args of [
      ["--rps", "200", "--max-rps", "100"],
      ["ab", "--stages", "1s@50,1s@50..200", "--max-rps", "100"],
      ["--rps", "50", "--arrival", "bursty,peak=5", "--max-rps", "100"],
    ]) {
      const { exitCode, stderr, specs } = await runFake(args);
      expect(exitCode).toBe(2);
      expect(stderr).toContain("--max-rps 100 is the most, and the load comes to");
      expect(specs).toEqual([]);
    }
  });

  it("end an experiment at the trial in which --abort-on came true, with exit code 4", async () => {
    const { exitCode, saved, specs } = await runFake([
      "ab",
      ...["--sim", "bernoulli:accept=0.2", "--rps", "100", "-d", "20s", "--abort-on", "errors>50%:3s", "-w", "1"],
    ]);
    expect(exitCode).toBe(4);
    const { result } = saved.at(-1) as FakeRunOutcome["saved"][number];
    expect(result.trials[0]?.aborted?.text).toContain("errors");
    expect(result.trials[0]?.validity.reasons.map(({ code }) => code)).toContain("aborted");
    expect(result.partial).toBe(true);
    expect(specs.length).toBeLessThan(6);
  });
});
