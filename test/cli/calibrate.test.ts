import { describe, expect, it } from "vitest";
import {
  type Calibration,
  type CalibrationReport,
  calibrationReportSchema,
} from "../../src/result/calibration-schema.ts";
import type { CalibrationStore } from "../../src/result/calibration-store.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { DEFAULT_TRANSPORT } from "../../src/world/real/default-transport.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";
import { latencyFixture, trialFixture } from "../support/trial-fixture.ts";

const KNOWN: Calibration = {
  toolVersion: "0.0.0-test",
  runtime: "node",
  runtimeVersion: "20.18.1",
  cpuModel: "test",
  cpus: 2,
  pacing: "precise",
  transport: DEFAULT_TRANSPORT,
  workers: 1,
  ceilingRps: 10_000,
  stepSeconds: 2,
  measuredAt: "2026-01-01T00:00:00.000Z",
};

interface Calibrating extends FakeRunOutcome {
  readonly kept: readonly Calibration[];
  readonly written: readonly string[];
  readonly tried: readonly number[];
}

/** Runs the program on a generator that holds up to `limit` calls a second. */
async function calibrate(
  args: readonly string[],
  {
    limit = 3000,
    known,
    store = {},
    setup = {},
  }: {
    readonly limit?: number;
    readonly known?: Calibration;
    readonly store?: Partial<CalibrationStore>;
    readonly setup?: FakeSetup;
  } = {},
): Promise<Calibrating> {
  const kept: Calibration[] = [];
  const written: string[] = [];
  const tried: number[] = [];
  const outcome = await runFake(args, {
    ...setup,
    services: {
      startTrial(spec) {
        const { arrival } = spec.plan;
        const rps = arrival.law === "poisson" && arrival.rate.kind === "constant" ? arrival.rate.rps : 0;
        tried.push(rps);
        const late = {
          code: "lateness",
          severity: "suspect",
          message: "late",
          figure: 20,
          limit: 10,
          hint: "none",
        } as const;
        const result = trialFixture({
          calls: { ok: rps },
          response: { ok: latencyFixture(rps, 0.1, 0.5, 1) },
          reasons: rps <= limit ? [] : [late],
        });
        return { result: Promise.resolve(result), stop() {}, kill() {} };
      },
      calibrationStore: () => ({
        find: async () => ({ calibration: known, path: "cache/calibration.json" }),
        async save(calibration) {
          kept.push(calibration);
          return { path: "cache/calibration.json" };
        },
        ...store,
      }),
      claimFile: async (path) => ({
        write: async (text) => void written.push(`${path}: ${text}`),
        discard: async () => void written.push(`${path} discarded`),
      }),
      ...setup.services,
    },
  });
  return { ...outcome, kept, written, tried };
}

function reportOf({ stdout }: FakeRunOutcome): CalibrationReport {
  return calibrationReportSchema.parse(JSON.parse(stdout));
}

describe("calibrate", () => {
  it("searches with trials against the null server, tells each, and keeps the ceiling", async () => {
    const outcome = await calibrate(["calibrate"]);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toMatch(/^Ceiling of this generator on this machine: 2,953 calls\/s/);
    expect(outcome.stderr).toContain("      1,000/s  holds  lateness p99 0.11 ms, response p90 0.30 ms\n");
    expect(outcome.stderr).toContain("      4,000/s  fails  lateness p99 0.11 ms, response p90 0.30 ms (lateness)\n");
    expect(outcome.stderr).toContain("Kept in cache/calibration.json");
    expect(outcome.kept).toEqual([{ ...KNOWN, ceilingRps: 2953, measuredAt: "2026-01-02T03:04:05.000Z" }]);
    expect(outcome.saved).toEqual([]);
  });

  it("loads the null server with clients without overload control, as told, warmed up, and without a sentinel", async () => {
    const specs: unknown[] = [];
    await calibrate(["calibrate", "-w", "4", "--pacing", "timer", "--transport", "undici", "-d", "500ms"], {
      setup: {
        services: {
          startTrial(spec) {
            specs.push(spec);
            return { result: Promise.resolve(trialFixture({ calls: { ok: 0 } })), stop() {}, kill() {} };
          },
        },
      },
    });
    expect(specs[0]).toMatchObject({
      workers: 4,
      policy: { name: "none" },
      plan: { durationSeconds: 0.5, warmupSeconds: 1, arrival: { law: "poisson", rate: { rps: 1000 } } },
      world: {
        kind: "real",
        url: "http://127.0.0.1:4001",
        pacing: "timer",
        transport: "undici",
        sentinelUrl: undefined,
      },
    });
  });

  it("prints one JSON document with --json, in the shape of its schema, and writes it with --output", async () => {
    const outcome = await calibrate(["calibrate", "--json", "-o", "c.json", "-q"]);
    expect(outcome.stderr).toBe("");
    const report = reportOf(outcome);
    expect(report).toMatchObject({ calibration: { ceilingRps: 2953 }, savedTo: "cache/calibration.json" });
    expect(report.steps[0]).toMatchObject({ rps: 1000, holds: true, verdict: "valid", reasons: [] });
    expect(report.steps.map(({ rps }) => rps)).toEqual(outcome.tried);
    expect(outcome.written).toHaveLength(1);
    expect(JSON.parse((outcome.written[0] as string).slice("c.json: ".length))).toEqual(report);
  });

  it("counts a rate as failed whose answers come late, valid or not: the server does nothing", async () => {
    const outcome = await calibrate(["calibrate", "--json"], {
      setup: {
        services: {
          startTrial: () => ({
            result: Promise.resolve(trialFixture({ response: { ok: latencyFixture(10_000, 5, 30, 40) } })),
            stop() {},
            kill() {},
          }),
        },
      },
    });
    const { calibration, savedTo, steps } = reportOf(outcome);
    expect({ calibration, savedTo }).toEqual({ calibration: null, savedTo: null });
    expect(steps[0]).toMatchObject({ rps: 1000, holds: false, verdict: "valid", reasons: ["late-answers"] });
    expect(outcome.exitCode).toBe(4);
  });

  it.each([
    ["5000", 0, "fits", "it fits"],
    ["5001", 0, "near", "more than half"],
    ["10001", 4, "beyond", "beyond this generator"],
  ])(
    "says of a plan of %s/s, from the ceiling that is known, with exit code %d that it %s",
    async (rps, code, fit, text) => {
      const told = await calibrate(["calibrate", "--rps", rps], { known: KNOWN });
      expect(told.exitCode).toBe(code);
      expect(told.stdout).toContain(text);
      expect(told.tried).toEqual([]);
      const report = reportOf(await calibrate(["calibrate", "--rps", rps, "--json"], { known: KNOWN }));
      expect(report).toMatchObject({ calibration: KNOWN, steps: [], plan: { peakRps: Number(rps), fit } });
    },
  );

  it("takes a plan's peak, whatever its shape", async () => {
    const peaks = await Promise.all(
      [
        ["--stages", "10s@100,5s@100..4000"],
        ["--sine", "500..1500,period=60s"],
        ["--rps", "100", "--arrival", "bursty,peak=5"],
      ].map(
        async (args) => reportOf(await calibrate(["calibrate", ...args, "--json"], { known: KNOWN })).plan?.peakRps,
      ),
    );
    expect(peaks).toEqual([4000, 1500, 500]);
  });

  it("measures first when nothing is known, or when told to", async () => {
    const unknown = await calibrate(["calibrate", "--rps", "1000"]);
    expect(unknown.tried.length).toBeGreaterThan(5);
    expect(unknown.stdout).toContain("it fits");
    const again = await calibrate(["calibrate", "--rps", "2000", "--again"], { known: KNOWN });
    expect(again.kept).toMatchObject([{ ceilingRps: 2953 }]);
    expect(again.stdout).toContain("more than half");
  });

  it("tells when the ceiling cannot be kept, and is done all the same", async () => {
    const outcome = await calibrate(["calibrate", "--json"], {
      store: { save: async () => ({ problem: "'c' could not be written: the file system is read-only (EROFS)" }) },
    });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toContain("It is not kept");
    expect(outcome.stderr).toContain("EROFS");
    expect(reportOf(outcome)).toMatchObject({ calibration: { ceilingRps: 2953 }, savedTo: null });
  });

  it("does not keep what it finds on a machine that is busy with other things", async () => {
    const { kept, stderr, exitCode } = await calibrate(["calibrate"], {
      setup: { services: { busyShare: async () => 0.4 } },
    });
    expect(kept).toEqual([]);
    expect(stderr).toContain("Other programs keep 40 % of this machine busy");
    expect(exitCode).toBe(0);
  });

  it("ends at Ctrl-C with exit code 130, and keeps nothing", async () => {
    let send: (signal: "SIGINT") => void = () => {};
    let trials = 0;
    const outcome = await calibrate(["calibrate", "-o", "c.json"], {
      setup: {
        signals: (sender) => {
          send = sender;
        },
        services: {
          startTrial() {
            trials += 1;
            if (trials === 2) send("SIGINT");
            return { result: Promise.resolve(trialFixture()), stop() {}, kill() {} };
          },
        },
      },
    });
    expect(outcome.exitCode).toBe(130);
    expect(trials).toBe(2);
    expect(outcome.stdout).toBe("");
    expect(outcome.kept).toEqual([]);
    expect(outcome.written).toEqual(["c.json discarded"]);
  });

  it("fails with one line when the null server does not start, or dies", async () => {
    const dead = await calibrate(["calibrate"], {
      setup: { services: { startNullServer: () => Promise.reject(new Error("It did not get ready")) } },
    });
    expect(dead.exitCode).toBe(1);
    expect(dead.stderr).toContain("overload-bench: The null server could not be started: It did not get ready\n");
    const dying = await calibrate(["calibrate"], {
      setup: {
        services: {
          startNullServer: async () => ({
            url: "http://127.0.0.1:4001",
            pid: 2,
            died: () => "signal SIGKILL",
            said: () => "",
            stop: async () => {},
            kill() {},
          }),
        },
      },
    });
    expect(dying.exitCode).toBe(1);
    expect(dying.stderr).toContain("overload-bench: The null server ended by itself (signal SIGKILL)\n");
  });

  it.each([
    [["--rps", "5", "--sine", "1..2,period=5s"], "--rps and --sine exclude each other"],
    [["--workers", "0"], "--workers must be a positive whole number"],
    [["--duration", "0"], "--duration must be longer than nothing"],
    [["--stages", "x"], "--stages "],
  ])("refuses %j", async (flags, text) => {
    const { exitCode, stderr, tried } = await calibrate(["calibrate", ...flags]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(text);
    expect(tried).toEqual([]);
  });

  it("refuses an output file that exists before it measures", async () => {
    const { exitCode, stderr, tried } = await calibrate(["calibrate", "-o", "c.json"], {
      setup: {
        services: { claimFile: () => Promise.reject(new StoreError("exists", "c.json", "It exists", "take another")) },
      },
    });
    expect({ exitCode, tried }).toEqual({ exitCode: 2, tried: [] });
    expect(stderr).toBe("overload-bench: --output: It exists; take another\n");
  });
});

describe("run, on a machine that was calibrated", () => {
  const args = (rps: number): string[] => ["--url", "http://127.0.0.1:1/", "--rps", String(rps), "--duration", "1s"];

  async function run(rps: number, more: readonly string[] = []): Promise<{ codes: string[]; stderr: string }> {
    const calibrationStore = (): CalibrationStore => ({
      find: async ({ transport }) => ({ calibration: transport === DEFAULT_TRANSPORT ? KNOWN : undefined }),
      save: async () => ({ path: "never" }),
    });
    const { saved, stderr } = await runFake([...args(rps), ...more], { services: { calibrationStore } });
    return { codes: saved.at(-1)?.result.trials[0]?.validity.reasons.map(({ code }) => code) ?? [], stderr };
  }

  it("says nothing of a plan of at most half the ceiling", async () => {
    const { codes, stderr } = await run(5000);
    expect(codes.filter((code) => code.endsWith("-ceiling"))).toEqual([]);
    expect(stderr).not.toContain("ceiling");
  });

  it("remarks on a plan beyond half of it, and beyond all of it, before the run and in the result", async () => {
    const near = await run(6000);
    expect(near.codes).toContain("near-ceiling");
    expect(near.stderr).toContain("more than half of this generator's ceiling of 10000");
    const beyond = await run(12_000);
    expect(beyond.codes).toContain("beyond-ceiling");
  });

  it("holds each transport against its own ceiling", async () => {
    const other = DEFAULT_TRANSPORT === "wire" ? "undici" : "wire";
    expect((await run(12_000, ["--transport", DEFAULT_TRANSPORT])).codes).toContain("beyond-ceiling");
    expect((await run(12_000, ["--transport", other])).codes).not.toContain("beyond-ceiling");
  });

  it("does not hold HTTP/2 against what was measured with HTTP/1.1", async () => {
    expect((await run(12_000, ["--http2"])).codes).not.toContain("beyond-ceiling");
  });

  it("tells of a file that cannot be used, and goes on", async () => {
    const calibrationStore = (): CalibrationStore => ({
      find: async () => ({ calibration: undefined, problem: "'c' is damaged: it is not JSON" }),
      save: async () => ({ path: "never" }),
    });
    const { exitCode, stderr } = await runFake(args(50), { services: { calibrationStore } });
    expect(exitCode).toBe(0);
    expect(stderr).toContain("Earlier calibrations are not used: 'c' is damaged: it is not JSON");
  });
});
