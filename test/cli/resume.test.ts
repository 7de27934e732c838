/** `--resume`: experiments that are cut short in one run and continued in the next, on a real file system. */

import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { Host } from "../../src/cli/host.ts";
import type { Services } from "../../src/cli/services.ts";
import { retire } from "../../src/cli/session/resume.ts";
import { fileJournals, type Journals } from "../../src/result/journals.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { runFake } from "../support/fake-host.ts";
import { inPlace } from "../support/result-place.ts";
import { resultFixture, trialFixture } from "../support/trial-fixture.ts";

const SIM = ["--sim", "shed:capacity=100,rejectCost=0.3", "--rps", "200", "--duration", "5s"];
const ARMS = ["--arm", "off:policy=none", "--arm", "k2:policy=sre,window=2", "--arm", "k11:policy=sre,k=1.1,window=2"];
const AB = ["ab", ...SIM, ...ARMS, "--repeats", "2"];

/** What does not depend on when it ran, and in how many runs. */
function timeless({ trials, design: { resumed: _, ...design }, ...rest }: Result): unknown {
  return { ...rest, design, trials: trials.map((trial) => ({ ...trial, startedAt: "" })) };
}

function places({ trials }: Pick<Result, "trials">): readonly string[] {
  return trials.map(({ arm, pair }) => `${arm}${pair}`);
}

describe("ab --resume", () => {
  it("keeps complete trials, runs the others with the flags of the file, and comes to what one run comes to", async () => {
    const whole = (await runFake(AB)).saved.at(-1)?.result as Result;
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const cut = await place.read(path);
      expect(cut).toMatchObject({ partial: true });
      expect(cut.trials.at(-1)?.interrupted).toBe(true);
      const { result, specs, exitCode, stderr, stdout } = await place.run(["ab", "--resume", path]);
      expect(exitCode, stderr).toBe(0);
      expect(places({ trials: specs } as never)).toEqual(places(whole).slice(2));
      expect(result.trials.slice(0, 2)).toEqual(cut.trials.slice(0, 2));
      const { invocation: _asked, config: _options, ...resumed } = result;
      expect(timeless(resumed as Result)).toMatchObject(timelessPart(whole));
      expect(result.design.resumed).toEqual([{ kept: 2, splitPairs: [0], differences: [] }]);
      expect(stderr).toContain(`Continuing ${path}: 2 of at most 6 trials are kept`);
      expect(stderr).toContain(`${path} stays as it is`);
      expect(stdout).toContain(
        "\nContinued with 2 trials kept; of pair 1 some trials are from before, some from after.\n",
      );
      const fresh = path.replace(".json", "-2.json");
      expect(stdout).toContain(`Result: ${fresh}`);
      expect(await place.read(path)).toEqual(cut);
      expect((await place.names()).map((name) => place.path(name))).toEqual([fresh, path].toSorted());
    });
  });

  it("may be cut short again, as often as it takes", async () => {
    await inPlace(async (place) => {
      const first = await place.cut([...AB, "--workers", "1"], 2);
      const again = await place.run(["ab", "--resume", first], {
        onTrial(spec, send) {
          if (spec.pair === 1) send("SIGTERM");
        },
      });
      expect(again.exitCode).toBe(143);
      const second = first.replace(".json", "-2.json");
      const { result, exitCode } = await place.run(["ab", "--resume", second]);
      expect(exitCode).toBe(0);
      expect(result.partial).toBe(false);
      expect(result.design.resumed?.map(({ kept }) => kept)).toEqual([1, 4]);
      expect(new Set(places(result)).size).toBe(6);
    });
  });

  it("goes by the journal of a run that was killed, and removes it with what else that run left", async () => {
    await inPlace(async (place) => {
      // Its process ends while its result cannot be saved: journal and partial result stay, as after a kill.
      const killed = await place.run([...AB, "--workers", "1"], {
        onTrial(spec) {
          if (spec.pair === 1) throw new Error("killed");
        },
      });
      expect(killed.exitCode).toBe(1);
      const [journal, partial] = ["20260102T030405Z-ab.journal.jsonl", "20260102T030405Z-ab.partial.json"] as const;
      await expect.poll(() => place.names()).toEqual([journal, partial]);
      const services = { journals: { ...fileJournals, isBeingWritten: async () => false } };
      for (const left of [partial, journal]) {
        const dry = await place.run(["ab", "--resume", place.path(left), "--seed", "2"], { services });
        expect(dry.exitCode).toBe(2);
      }
      const { result, exitCode, stderr } = await place.run(["ab", "--resume", place.path(journal)], { services });
      expect(exitCode, stderr).toBe(0);
      expect(result.partial).toBe(false);
      expect(result.design.resumed?.[0]).toMatchObject({ kept: 3, splitPairs: [] });
      for (const name of [journal, partial]) expect(stderr).toContain(`${place.path(name)} is removed`);
      expect(await place.names()).toEqual(["20260102T030405Z-ab.json"]);
    });
  });

  it("leaves a run alone that is still going on", async () => {
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const services = { journals: { ...fileJournals, isBeingWritten: async () => true } };
      const partial = path.replace(".json", ".partial.json");
      const { exitCode, stderr } = await place.run(["ab", "--resume", partial], { services });
      expect(stderr).toContain("must not be of a run that is still going on");
      expect(exitCode).toBe(1);
    });
  });

  it.each<[what: string, args: readonly string[], lines: readonly string[]]>([
    ["another seed", ["--seed", "2"], ["plan.seed: 1 then, 2 now", "the arrivals of off in pair 1 are others now"]],
    ["more pairs", ["--repeats", "8"], ["pairs: 2 then, 8 now", 'design.stopping: "all-pairs" then, "sequential" now']],
    ["another model", ["--sim", "shed:capacity=90"], ["world.model.capacity: 100 then, 90 now"]],
    ["other arms", ["--arm", "off:policy=none", "--arm", "k2:policy=sre,k=3"], ["arms[1].k: 2 then, 3 now", "arms[2]"]],
    ["chance of one's own", ["--chance", "own"], ['design.chance: "common" then, "own" now']],
    ["clients with a past", ["--age", "20s"], ["age"]],
    ["another effect", ["--effect", "1%"], ["design.smallestEffect: 0.05 then, 0.01 now"]],
  ])("refuses %s, and names each difference in a line", async (_what, args, lines) => {
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const { exitCode, stderr, specs } = await place.run(["ab", "--resume", path, ...args]);
      expect(exitCode).toBe(2);
      expect(specs).toEqual([]);
      expect(stderr).toContain(`--resume ${path} is of another experiment:\n`);
      for (const line of lines) expect(stderr).toContain(`\n  ${line}`);
    });
  });

  it("does not ask that metrics are pushed to the same place", async () => {
    await inPlace(async (place) => {
      const real = ["ab", "--rps", "200", "--duration", "1s", ...ARMS, "--repeats", "2"];
      const path = await place.cut([...real, "--push", "http://h/v1/metrics"], 3);
      const { exitCode, stderr, result } = await place.run(["ab", "--resume", path]);
      expect(stderr).not.toContain("another experiment");
      expect([exitCode, result.trials.length]).toEqual([0, 6]);
    });
  });

  it.each<[what: string, change: (trials: readonly TrialResult[]) => readonly TrialResult[], line: string]>([
    ["of an arm that it has not", ([one, ...rest]) => [{ ...one!, arm: "on" }, ...rest], "has no arm 'on'"],
    ["that is there twice", ([one, ...rest]) => [one!, one!, ...rest], "the trial is there twice"],
    [
      "of a pair beyond the last",
      ([one, ...rest]) => [{ ...one!, pair: 2 }, ...rest],
      "in pair 3: the experiment has 2 pairs",
    ],
    [
      "of an arm's name with another's policy",
      ([one, ...rest]) => [{ ...one!, policy: { ...one!.policy, name: "retry" } }, ...rest],
      "its policy is retry, that of the arm is",
    ],
    [
      "whose outcomes do not add up",
      ([one, ...rest]) => [{ ...one!, calls: { ...one!.calls, ok: one!.calls.ok + 1 } }, ...rest],
      "must equal the sum of their outcomes",
    ],
    [
      "whose attempts do not add up",
      ([one, ...rest]) => [{ ...one!, attempts: { ...one!.attempts, accepted: one!.attempts.accepted + 1 } }, ...rest],
      "must equal the sum of their classes and what was in flight",
    ],
  ])("refuses a file with a trial %s", async (_what, change, line) => {
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const cut = await place.read(path);
      await writeFile(path, JSON.stringify({ ...cut, trials: change(cut.trials) }));
      const { exitCode, stderr, specs } = await place.run(["ab", "--resume", path]);
      expect([exitCode, specs.length]).toEqual([2, 0]);
      expect(stderr).toContain(`--resume ${path} has trials that cannot be taken over:\n  `);
      expect(stderr).toContain(line);
    });
  });

  it("refuses what is complete, is of another command, or is no result", async () => {
    await inPlace(async (place) => {
      await place.run(AB);
      const [name = ""] = await place.names();
      const path = place.path(name);
      const complete = await place.run(["ab", "--resume", path]);
      expect(complete.stderr).toContain(`--resume must be a partial result or a journal: "${path}" is complete`);
      const missing = await place.run(["ab", "--resume", place.path("none.json")]);
      expect(missing.stderr).toContain("--resume must be a file that can be read");
      expect([complete.exitCode, missing.exitCode]).toEqual([2, 2]);
    });
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const { exitCode, stderr } = await place.run(["run", "--resume", path]);
      expect(stderr).toContain("is of 'ab', not of 'run'");
      expect(exitCode).toBe(2);
    });
  });

  it("notes in the further trials, and in the design, that the program is another one now", async () => {
    await inPlace(async (place) => {
      const path = await place.cut([...AB, "--workers", "1"], 3);
      const { result } = await place.run(["ab", "--resume", path], { services: { version: () => "9.9.9" } });
      const difference = 'overload-bench: "0.0.0-test" then, "9.9.9" now';
      expect(result.design.resumed?.[0]?.differences).toEqual([difference]);
      const noted = result.trials.map(({ validity }) =>
        validity.reasons.some(({ code }) => code === "resumed-elsewhere"),
      );
      expect(noted).toEqual([false, false, true, true, true, true]);
      expect(result.trials.every(({ validity }) => validity.verdict === "valid")).toBe(true);
    });
  });
});

/** All but what names the run. */
function timelessPart(result: Result): object {
  const { invocation: _asked, config: _options, ...rest } = result;
  return timeless(rest as Result) as object;
}

describe("retire()", () => {
  it.each([
    ["keeps a left-over with a search that is not in the new result", 4, []],
    ["removes one whose search is", 3, ["x.partial.json"]],
  ])("%s", async (_claim, seed, gone) => {
    const search = (pair: number): TrialResult => trialFixture({ arm: "capacity", pair, interrupted: true });
    const left = { ...resultFixture([]), partial: true, capacityTrials: [search(seed)] };
    const removed: string[] = [];
    const notes: string[] = [];
    const host = { readBytes: async () => new TextEncoder().encode(JSON.stringify(left)) } as unknown as Host;
    const journals: Journals = {
      ...fileJournals,
      isBeingWritten: async () => false,
      remove: async (path) => void removed.push(path),
    };
    const services = { journals } as Services;
    const result = { ...resultFixture([]), capacityTrials: [search(3)] };
    await retire(host, services, "x.partial.json", result, (text) => notes.push(text));
    expect(removed).toEqual(gone);
    expect(notes).toHaveLength(1);
  });
});

describe("run --repeats --resume", () => {
  it("continues with the trials that are missing", async () => {
    await inPlace(async (place) => {
      const args = [...SIM, "--policy", "sre,window=2", "--repeats", "4", "--workers", "1"];
      const path = await place.cut(args, 3);
      const { result, specs, stdout, exitCode } = await place.run(["--resume", path]);
      expect(exitCode).toBe(0);
      expect(specs.map(({ pair }) => pair)).toEqual([2, 3]);
      expect(result).toMatchObject({ command: "run", partial: false });
      expect(places(result)).toEqual(["sre0", "sre1", "sre2", "sre3"]);
      expect(stdout).toContain("goodput");
    });
  });
});
