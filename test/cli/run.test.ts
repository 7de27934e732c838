import { describe, expect, it } from "vitest";
import { resultSchema } from "../../src/result/schema.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "500", "--duration", "5s"];

describe("run", () => {
  it("is the default command and runs one trial of sre", async () => {
    const { exitCode, stdout, saved, specs } = await runFake(SIM);
    expect(exitCode).toBe(0);
    expect(specs).toHaveLength(1);
    expect(specs[0]).toMatchObject({ arm: "sre", policy: { name: "sre", options: { k: 2, window: 120 } } });
    expect(saved.map((save) => save.final)).toEqual([true]);
    expect(stdout).toMatch(/^Valid measurement/);
    expect(stdout).toMatch(/Result: results\/fake\.json\n$/);
  });

  it("saves a document that its own schema accepts and that says what was asked for", async () => {
    const { saved } = await runFake([...SIM, "--seed", "7", "--policy", "sre,k=1.5", "--window", "10s", "-u", "20"]);
    const result = saved[0]?.result;
    expect(() => resultSchema.parse(result)).not.toThrow();
    expect(result).toMatchObject({
      command: "run",
      partial: false,
      plan: { seed: 7, users: 20, rps: 500, durationSeconds: 5, arrival: "poisson", rate: "500/s", warmupSeconds: 0 },
      config: { arms: [{ arm: "sre", policy: "sre", k: 1.5, window: 10 }], pairs: 1, world: { kind: "virtual" } },
    });
  });

  it("starts the built-in target when it is given none, waits for it and stops it", async () => {
    const { events, saved, stdout } = await runFake(["--duration", "2s", "--target", "shed:queue=10", "--rps", "900"]);
    expect(events).toEqual(["target shed:queue=10", "trial sre 0", "target stopped"]);
    expect(saved[0]?.result.trials[0]?.target).toMatchObject({ cpuRejectSeconds: 2 });
    expect(saved[0]?.result.plan.rps).toBe(900);
    expect(stdout).toContain("spent on rejections");
  });

  it("builds the request from the flags, and POSTs when there is a body", async () => {
    const { specs } = await runFake(
      [
        "--url",
        "http://h:1/p?q=1",
        "--rps",
        "50",
        "-d",
        "1s",
        "-H",
        "A: b",
        "-H",
        "C:d",
        "-H",
        "Empty:",
        "--body-file",
        "f",
        "-k",
      ],
      { files: { f: "payload" } },
    );
    expect(specs[0]?.world).toMatchObject({
      kind: "real",
      url: "http://h:1/p?q=1",
      method: "POST",
      connections: { tls: { insecure: true }, preopen: 1 },
      headers: [
        ["A", "b"],
        ["C", "d"],
        ["Empty", ""],
      ],
      body: new TextEncoder().encode("payload"),
    });
  });

  it("keeps secrets out of the result and the output", async () => {
    const { saved, stdout, stderr } = await runFake([
      "--url",
      "http://user:hunter2@h:1/?token=hunter2",
      "--rps",
      "50",
      "-d",
      "1s",
      "-H",
      "Authorization: Bearer hunter2",
      "-H",
      "Cookie: a=hunter2",
    ]);
    expect(JSON.stringify(saved)).not.toContain("hunter2");
    expect(stdout + stderr).not.toContain("hunter2");
    expect(JSON.stringify(saved)).toContain("Authorization");
  });

  it("writes the document alone to stdout with --json", async () => {
    const line = await runFake([...SIM, "--json"]);
    expect(line.stdout.trimEnd().split("\n")).toHaveLength(1);
    expect(() => resultSchema.parse(JSON.parse(line.stdout))).not.toThrow();
    expect(line.stderr).toContain("Result: results/fake.json");
    const pretty = await runFake([...SIM, "--json", "pretty"]);
    expect(JSON.parse(pretty.stdout)).toMatchObject({ command: "run" });
    expect(pretty.stdout.split("\n").length).toBeGreaterThan(50);
  });

  it("takes options from the environment, below the flags", async () => {
    const env = { OVERLOAD_BENCH_RPS: "250", OVERLOAD_BENCH_DURATION: "3s", OVERLOAD_BENCH_SIM: "shed:capacity=50" };
    const { saved } = await runFake(["--duration", "2s"], { env });
    expect(saved[0]?.result.plan).toMatchObject({ rps: 250, durationSeconds: 2 });
  });

  it("exits with 4 when the trial is invalid, and says so first", async () => {
    const { exitCode, stdout } = await runFake([
      ...["--sim", "shed:capacity=100,latency=500ms", "--rps", "500", "--duration", "5s", "--policy", "none"],
      ...["--max-in-flight", "5"],
    ]);
    expect(exitCode).toBe(4);
    expect(stdout).toMatch(/^INVALID measurement/);
    expect(stdout).toContain("--max-in-flight");
  });

  it("says one line every five seconds of the run without a terminal, and nothing with --quiet", async () => {
    const long = ["--rps", "5000", "--duration", "30s", "--policy", "none"];
    const { stderr } = await runFake(long);
    expect(stderr.split("\n").filter((line) => line.includes("in flight")).length).toBeGreaterThanOrEqual(2);
    expect((await runFake([...long, "--quiet"])).stderr).toBe("");
  });

  it("refuses to start when the result could not be saved", async () => {
    const problem = new StoreError("not-writable", "results", "Cannot write results to 'results': read-only", "use -o");
    const { exitCode, stderr, specs } = await runFake(SIM, {
      services: {
        resultStore: () => ({
          prepare: () => Promise.reject(problem),
          save: () => Promise.reject(problem),
          startJournal: async () => undefined,
        }),
      },
    });
    expect(stderr).toBe("overload-bench: Cannot write results to 'results': read-only; use -o\n");
    expect(exitCode).toBe(2);
    expect(specs).toEqual([]);
  });

  it("prints the document when it can be saved nowhere at the end: nothing measured is lost", async () => {
    const lost = new StoreError("unsaved", "r", "Cannot save the result", "printed", { json: '{"measured":1}\n' });
    const { exitCode, stdout, stderr } = await runFake(SIM, {
      services: {
        resultStore: () => ({
          prepare: async () => {},
          save: () => Promise.reject(lost),
          startJournal: async () => undefined,
        }),
      },
    });
    expect(stdout).toContain('{"measured":1}');
    expect(stderr).toContain("overload-bench: Cannot save the result");
    expect(exitCode).toBe(1);
  });
});

describe("run, interrupted", () => {
  it("writes the part that ran and exits with 130 after Ctrl-C, 143 after SIGTERM", async () => {
    for (const [signal, code] of [
      ["SIGINT", 130],
      ["SIGTERM", 143],
    ] as const) {
      const long = ["--sim", "shed:capacity=100", "--rps", "5000", "--duration", "1h"];
      const { exitCode, saved, stderr } = await runFake(long, { onTrial: (_spec, send) => send(signal) });
      expect(exitCode).toBe(code);
      expect(stderr).toContain("Stopping");
      expect(saved.at(-1)).toMatchObject({ final: true, result: { partial: true } });
      expect(saved.at(-1)?.result.trials[0]).toMatchObject({ interrupted: true });
    }
  });

  it("ends without a result when Ctrl-C comes before anything was measured", async () => {
    let interrupt: (signal: "SIGINT") => void = () => {};
    const { exitCode, saved, events } = await runFake(["--duration", "2s"], {
      signals: (send) => {
        interrupt = send;
      },
      services: {
        startTarget: async () => {
          interrupt("SIGINT");
          return {
            url: "http://127.0.0.1:4000",
            pid: 1,
            processor: undefined,
            died: () => undefined,
            stop: async () => {},
            kill: () => {},
          };
        },
      },
    });
    expect(exitCode).toBe(130);
    expect(saved).toEqual([]);
    expect(events).toEqual([]);
  });

  it("kills the generator at the second Ctrl-C", async () => {
    let interrupt: (signal: "SIGINT") => void = () => {};
    const { exitCode, events, stderr } = await runFake(["--duration", "2s"], {
      services: {
        startTrial: () => {
          // Once the program holds what it can stop.
          void Promise.resolve().then(() => {
            interrupt("SIGINT");
            interrupt("SIGINT");
          });
          let reject: (error: Error) => void = () => {};
          const result = new Promise<never>((_resolve, no) => {
            reject = no;
          });
          return { result, stop() {}, kill: () => reject(new Error("killed")) };
        },
      },
      signals: (send) => {
        interrupt = send;
      },
    });
    expect(exitCode).toBe(130);
    expect(events).toContain("target killed");
    expect(events).toContain("exit 130");
    expect(stderr).not.toMatch(/internal error/);
  });
});
