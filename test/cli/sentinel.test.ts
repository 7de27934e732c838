import { describe, expect, it } from "vitest";
import type { ProgramProcess } from "../../src/world/real/program-process.ts";
import { type FakeSetup, runFake } from "../support/fake-host.ts";

const REAL = ["--url", "http://127.0.0.1:1/", "--rps", "50", "--duration", "2s"];

/** Null servers that tell how many were started and stopped. */
function nullServers(died: () => string | undefined = () => undefined): {
  services: NonNullable<FakeSetup["services"]>;
  events: string[];
} {
  const events: string[] = [];
  const server: ProgramProcess = {
    url: "http://127.0.0.1:4001",
    pid: 2,
    died,
    said: () => "",
    stop: async () => void events.push("stopped"),
    kill: () => void events.push("killed"),
  };
  return {
    events,
    services: {
      async startNullServer() {
        events.push("started");
        return server;
      },
    },
  };
}

describe("the sentinel of a session", () => {
  it("starts one null server for all trials, gives each its URL, and stops it", async () => {
    const { services, events } = nullServers();
    const { specs, saved } = await runFake(["ab", "--repeats", "2", ...REAL], { services });
    expect(specs.map(({ world }) => world)).toMatchObject(Array(4).fill({ sentinelUrl: "http://127.0.0.1:4001" }));
    expect(events).toEqual(["started", "stopped"]);
    expect(saved.at(-1)?.result.config).toMatchObject({ world: { sentinel: true } });
  });

  it.each([
    ["with --no-sentinel", [...REAL, "--no-sentinel"]],
    ["in a simulation", ["--sim", "shed:capacity=100", "--rps", "50", "--duration", "2s"]],
  ])("starts none %s", async (_when, args) => {
    const { services, events } = nullServers();
    const { specs, saved } = await runFake(args, { services });
    expect(specs).toHaveLength(1);
    expect(JSON.stringify(specs)).not.toContain("4001");
    expect(events).toEqual([]);
    expect(saved.at(-1)?.result.trials[0]?.validity.reasons.map(({ code }) => code)).not.toContain("no-sentinel");
  });

  it("runs all the same, with a note, when the null server cannot be started", async () => {
    const startNullServer = async (): Promise<never> => {
      throw new Error("It did not get ready (exit code 1)");
    };
    const { exitCode, saved, specs } = await runFake(REAL, { services: { startNullServer } });
    expect(exitCode).toBe(0);
    expect(specs[0]?.world).toMatchObject({ sentinelUrl: undefined });
    expect(saved.at(-1)?.result.trials[0]?.validity.reasons).toContainEqual(
      expect.objectContaining({
        code: "no-sentinel",
        severity: "note",
        message: expect.stringContaining("could not be started: It did not get ready (exit code 1)"),
      }),
    );
  });

  it("runs all the same, with a note, when the null server has ended before the trial", async () => {
    const { services } = nullServers(() => "signal SIGKILL");
    const { exitCode, saved, specs } = await runFake(REAL, { services });
    expect(exitCode).toBe(0);
    expect(specs[0]?.world).toMatchObject({ sentinelUrl: undefined });
    expect(saved.at(-1)?.result.trials[0]?.validity.reasons).toContainEqual(
      expect.objectContaining({ code: "no-sentinel", severity: "note", message: expect.stringContaining("SIGKILL") }),
    );
  });

  it("kills the null server at the second Ctrl-C", async () => {
    const { services, events } = nullServers();
    await runFake(REAL, {
      services: {
        ...services,
        startTrial: () => {
          let reject: (error: Error) => void = () => {};
          const result = new Promise<never>((_resolve, no) => {
            reject = no;
          });
          return { result, stop() {}, kill: () => reject(new Error("killed")) };
        },
      },
      signals: (send) => {
        setTimeout(() => {
          send("SIGINT");
          send("SIGINT");
        }, 20);
      },
    });
    expect(events).toContain("killed");
  });
});
