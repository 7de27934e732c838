import { describe, expect, it } from "vitest";
import { resultSchema } from "../../src/result/schema.ts";
import { DEFAULT_TRANSPORT } from "../../src/world/real/default-transport.ts";
import { runFake } from "../support/fake-host.ts";

const MODEL = "shed:capacity=100,rejectCost=0.3";
const URL_FLAGS = ["--url", "http://h:1/", "-d", "1s"];

describe("the flags of the load", () => {
  it("--stages makes a plan as long as its stages, and says it in the words of the flag", async () => {
    const stages = "1s@500,2s@500..1500,1s@3000";
    const { specs, saved, stdout } = await runFake(["--sim", MODEL, "--stages", stages, "--arrival", "constant"]);
    expect(specs[0]?.plan).toMatchObject({
      durationSeconds: 4,
      arrival: { law: "constant", rate: { kind: "stages" } },
    });
    expect(saved[0]?.result.plan).toMatchObject({ rate: stages, arrival: "constant", arrivals: 5500, rps: 1375 });
    expect(stdout).toContain(stages);
  });

  it("--sine swings between two rates over --duration", async () => {
    const { saved } = await runFake([
      "--sim",
      MODEL,
      "--sine",
      "100..300,period=5s",
      "-d",
      "10s",
      "--arrival",
      "constant",
    ]);
    expect(saved[0]?.result.plan).toMatchObject({ arrivals: 2000, rps: 200, durationSeconds: 10 });
  });

  it("--arrival bursty takes its options, and the result states them", async () => {
    const { specs, saved, stdout } = await runFake([
      "--sim",
      MODEL,
      "--rps",
      "200",
      "--arrival",
      "bursty,peak=4,share=0.25,burst=1s",
    ]);
    expect(specs[0]?.plan.arrival).toMatchObject({ law: "bursty", peak: 4, share: 0.25, burstSeconds: 1 });
    expect(saved[0]?.result.plan.arrival).toBe("bursty,peak=4,share=0.25,burst=1s");
    // 1 + 2 x 200/s x 1 s x 0.25 x (4 - 1)^2
    expect(saved[0]?.result.plan.dispersion).toBe(901);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("(index of dispersion 901)");
  });

  it("--replay plays the arrivals of a file, callers and all", async () => {
    const files = { log: "100.0 alice\n100.5 bob\n101.25 alice\n" };
    const { specs, saved } = await runFake(["--sim", MODEL, "--replay", "log", "--vus", "10"], { files });
    expect(specs[0]?.plan.arrival.law).toBe("replay");
    expect(saved[0]?.result).toMatchObject({
      plan: { arrivals: 3, durationSeconds: 1.875, arrival: "replay" },
      config: { replayFile: "log", replaySpeed: 1 },
    });
    expect(saved[0]?.result.trials[0]?.users).toMatchObject({ active: 2 });
    expect(JSON.stringify(saved[0]?.result.config).length).toBeLessThan(2000);
  });

  it("--warmup comes before the measured window, stands in the series and in no other figure", async () => {
    const { saved, stdout } = await runFake([
      ...["--sim", MODEL, "--rps", "500", "-d", "4s", "--arrival", "constant", "--warmup", "3s"],
    ]);
    const trial = saved[0]?.result.trials[0];
    expect(trial).toMatchObject({ durationSeconds: 4, warmup: { seconds: 3, calls: { planned: 1500 } } });
    expect(trial?.calls.planned).toBe(2000);
    expect(trial?.series).toHaveLength(7);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("4 s after 3 s of warm-up");
    expect(() => resultSchema.parse(saved[0]?.result)).not.toThrow();
  });

  it("--late, --workers and the connection flags reach the trial and the record", async () => {
    const { specs, saved } = await runFake([
      ...URL_FLAGS,
      ...["--rps", "5000", "--late", "drop:50ms", "--workers", "2", "--max-requests-per-connection", "10"],
      ...["--resolve", "h:1:127.0.0.1,[::1]", "--dns-ttl", "5s", "--max-response", "1MB"],
    ]);
    expect(specs[0]).toMatchObject({ late: { kind: "drop", afterSeconds: 0.05 }, workers: 2 });
    expect(specs[0]?.world).toMatchObject({
      connections: {
        preopen: 100,
        maxRequests: 10,
        http2: false,
        resolve: [{ host: "h", port: 1, addresses: ["127.0.0.1", "::1"] }],
        dnsTtlSeconds: 5,
        maxResponseBytes: 1e6,
      },
    });
    expect(saved[0]?.result.config).toMatchObject({ workers: 2, late: { kind: "drop" } });
  });

  it("--transport reaches the trial and the record, the runtime's own where it is not given, and none over HTTP/2", async () => {
    const worldsOf = async (flags: readonly string[]) => {
      const { specs, saved } = await runFake([...URL_FLAGS, "--rps", "5", ...flags]);
      return [specs[0]?.world, saved[0]?.result.config.world].map(
        (world) => (world as { readonly transport?: unknown }).transport,
      );
    };
    for (const transport of ["wire", "undici"]) {
      expect(await worldsOf(["--transport", transport])).toEqual([transport, transport]);
    }
    expect(await worldsOf([])).toEqual([DEFAULT_TRANSPORT, DEFAULT_TRANSPORT]);
    expect(await worldsOf(["--http2"])).toEqual([undefined, undefined]);
    const { specs } = await runFake(["--rps", "5", "--transport", "undici", "-d", "1s"]);
    expect(specs[0]?.world).toMatchObject({ transport: "undici" });
  });

  it("reads certificates and keys from their files, and keeps them out of the result", async () => {
    const files = { ca: "-----BEGIN A", cert: "-----BEGIN C", key: "-----BEGIN SECRET-KEY" };
    const { specs, saved } = await runFake(
      [
        "--url",
        "https://h/",
        "--rps",
        "5",
        "-d",
        "1s",
        "--cacert",
        "ca",
        "--cert",
        "cert",
        "--key",
        "key",
        "--sni",
        "x",
      ],
      { files },
    );
    expect(specs[0]?.world).toMatchObject({
      connections: { tls: { ca: "-----BEGIN A", cert: "-----BEGIN C", key: "-----BEGIN SECRET-KEY", serverName: "x" } },
    });
    const config = JSON.stringify(saved[0]?.result.config);
    expect(config).not.toContain("SECRET-KEY");
    expect(config).toContain('"cacert":"ca"');
  });

  it("tells before the run what this machine lacks for it, and keeps it with the trial", async () => {
    const asked: unknown[] = [];
    const { stderr, saved } = await runFake([...URL_FLAGS, "--rps", "900", "--policy", "retry,maxAttempts=3"], {
      services: {
        preflight(need) {
          asked.push(need);
          return [
            {
              code: "few-files",
              severity: "note",
              message: "Too few files",
              figure: 1,
              limit: 2,
              hint: "ulimit -n 5000",
            },
          ];
        },
      },
    });
    expect(asked).toEqual([{ connectionsMax: 2700, newConnectionsPerSecond: 0, usesPorts: true, addresses: [] }]);
    expect(stderr).toContain("Too few files: ulimit -n 5000");
    expect(saved[0]?.result.trials[0]?.validity.reasons.map((reason) => reason.code)).toContain("few-files");
  });
});
