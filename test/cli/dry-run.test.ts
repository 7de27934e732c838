import { describe, expect, it } from "vitest";
import { runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100", "--rps", "500"];

describe("--dry-run", () => {
  it.each([["run"], ["ab"], ["sweep"]])("%s: shows every value, and starts and writes nothing", async (command) => {
    const { exitCode, stdout, stderr, specs, saved, events } = await runFake([command, "--vus", "7", "--dry-run"]);
    expect({ exitCode, stderr, specs, saved, events }).toEqual({
      exitCode: 0,
      stderr: "",
      specs: [],
      saved: [],
      events: [],
    });
    expect(stdout).toMatch(/^Set, and where:\n {2}vus +--vus +7\n\nDefaults:\n/u);
    expect(stdout).toMatch(/^ {2}timeout +1s$/mu);
    expect(stdout).toContain("\nPlan: ");
    expect(stdout.endsWith("\nNothing was started (--dry-run).\n")).toBe(true);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("says so when there is nothing but defaults", async () => {
    expect((await runFake(["--dry-run"])).stdout).toMatch(/^Nothing but defaults:\n/u);
  });

  it("gives a row to each value of a flag that is repeated", async () => {
    const { stdout } = await runFake(["--dry-run", ...SIM, "-H", "A: 1", "-H", "B: 2"]);
    expect(stdout).toMatch(/^ {2}header +--header +A: 1\n {2,}B: 2$/mu);
  });

  it("is data with --json: flags, every option as resolved, and the plan", async () => {
    const { stdout } = await runFake(["ab", ...SIM, "-d", "5s", "--dry-run", "--json", "pretty"]);
    expect(JSON.parse(stdout)).toMatchObject({
      dryRun: true,
      command: "ab",
      flags: expect.arrayContaining([{ flag: "duration", value: "5s", source: "flag", place: "--duration" }]),
      config: { pairs: 3, plan: { durationSeconds: 5 } },
      plan: expect.arrayContaining([expect.stringContaining("6 trials")]),
    });
  });

  it("shows no secret and steers no terminal", async () => {
    const files = { f: 'target: "shed\\e[31m"\nrps: 5\n' };
    const flags = ["--url", "http://me:hunter2@h/?token=hunter2", "-H", "Authorization: hunter2", "-b", "hunter2"];
    const push = ["--push", "http://u:hunter2@p/", "--push-header", "X-Mine: hunter2"];
    for (const more of [[], ["--json"]]) {
      const { stdout, exitCode } = await runFake([...flags, ...push, "--rps", "5", "--dry-run", ...more]);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("REDACTED");
      expect(stdout).not.toContain("hunter2");
    }
    expect((await runFake(["--config", "f", "--dry-run"], { files })).stdout).not.toContain("\u001b");
  });

  it.each<[args: string[], message: string]>([
    [["--dry-run", "--url", "http://h/"], "--rps is required with --url"],
    [["--dry-run", "--policy", "magic"], "There is no policy 'magic'"],
    [["--dry-run", "--replay", "missing"], "--replay must be a file that can be read"],
    [["ab", "--dry-run", "--repeats", "0"], "--repeats must be"],
  ])("%j: still refuses what is wrong, exit code 2", async (args, message) => {
    const { exitCode, stdout, stderr } = await runFake(args);
    expect(stderr).toContain(message);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  });
});
