/** What becomes of the script of the target around a trial. */

import { describe, expect, it } from "vitest";
import type { Services } from "../../src/cli/services.ts";
import { runFake } from "../support/fake-host.ts";

const URL_LOAD = ["--url", "http://127.0.0.1:4000", "--rps", "50", "-d", "1s"];

/** An endpoint with a script, which notes what is done to it. */
function scripted(done: string[]): Partial<Services> {
  return {
    endpointTarget: () => ({
      idleRule: async () => "until it is idle",
      untilIdle: async () => undefined,
      async watch() {
        done.push("started");
        return {
          async end() {
            done.push("ended");
            return { script: "1s..2s:outage" };
          },
        };
      },
    }),
  };
}

describe("a trial on a target with a script", () => {
  it("has the script in its record", async () => {
    const done: string[] = [];
    const { saved } = await runFake(URL_LOAD, { services: scripted(done) });
    expect(saved.at(-1)?.result.trials[0]?.script).toBe("1s..2s:outage");
    expect(done).toEqual(["started", "ended"]);
  });

  it("ends the script when the trial is interrupted", async () => {
    const done: string[] = [];
    const { exitCode } = await runFake(URL_LOAD, {
      services: scripted(done),
      onTrial: (_spec, send) => send("SIGINT"),
    });
    expect({ exitCode, done }).toEqual({ exitCode: 130, done: ["started", "ended"] });
  });

  it("ends the script when the trial fails", async () => {
    const done: string[] = [];
    const { exitCode, stderr } = await runFake(URL_LOAD, {
      services: {
        ...scripted(done),
        startTrial: (_spec, _progress, aboutToStart) => ({
          result: aboutToStart().then(() => {
            throw new Error("the generator broke");
          }),
          stop() {},
          kill() {},
        }),
      },
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain("the generator broke");
    expect(done).toEqual(["started", "ended"]);
  });
});
