import { describe, expect, it } from "vitest";
import type { WrittenLine } from "../../src/result/journal-schema.ts";
import { journalLineSchema } from "../../src/result/journal-schema.ts";
import type { ExperimentHeader, ResultStore } from "../../src/result/store.ts";
import { StoreError } from "../../src/result/store-error.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "../support/fake-host.ts";

const SIM = ["--sim", "shed:capacity=100", "--rps", "200", "-d", "5s"];

interface Kept extends FakeRunOutcome {
  readonly header: ExperimentHeader | undefined;
  readonly lines: readonly WrittenLine[];
  /** What was done to the journal, and to the result. */
  readonly done: readonly string[];
}

/** Runs the program with a journal in memory. */
async function run(args: readonly string[], setup: FakeSetup = {}, save?: ResultStore["save"]): Promise<Kept> {
  let header: ExperimentHeader | undefined;
  const lines: WrittenLine[] = [];
  const done: string[] = [];
  const store: ResultStore = {
    prepare: async () => {},
    async save(result, options) {
      done.push(options.final ? "saved" : "saved so far");
      return (await save?.(result, options)) ?? { path: "results/fake.json" };
    },
    async startJournal(first) {
      header = first;
      return {
        path: "results/fake.journal.jsonl",
        isWhole: true,
        append: (line) => void lines.push(structuredClone(line)),
        flush: () => void done.push("flushed"),
        close: async () => void done.push("closed"),
        remove: async () => void done.push("removed"),
      };
    },
  };
  const outcome = await runFake(args, { ...setup, services: { resultStore: () => store, ...setup.services } });
  return { ...outcome, header, lines, done };
}

describe("the journal of a run", () => {
  it("has a line when each trial starts, and all of the trial when it ended; it goes when the result is saved", async () => {
    const { lines, header, done, saved: _ } = await run(["ab", ...SIM, "--repeats", "1"]);
    expect(lines.map(({ kind }) => kind)).toEqual(["trial", "ended", "trial", "ended"]);
    expect(header?.result).toMatchObject({ design: { arms: ["off", "on"], pairs: 1 }, trials: [], partial: true });
    for (const line of lines) expect(() => journalLineSchema.parse(JSON.parse(JSON.stringify(line)))).not.toThrow();
    expect(done).toEqual(["saved so far", "saved", "removed"]);
  });

  it("holds no secret of the request", async () => {
    const secret = ["-H", "Authorization: s3cr3t", "-b", "s3cr3t"];
    const args = ["--url", "http://u:s3cr3t@127.0.0.1:1/?token=s3cr3t", ...secret, "--rps", "50", "-d", "1s"];
    const { lines, header } = await run(args);
    expect(lines).not.toEqual([]);
    expect(JSON.stringify([header, lines])).not.toContain("s3cr3t");
  });

  it("stays when the result could be saved nowhere, and is named", async () => {
    const lost = new StoreError("unsaved", "r", "Cannot save the result", "printed", { json: "{}" });
    const { done, stderr, exitCode } = await run(SIM, {}, () => Promise.reject(lost));
    expect(done).toEqual(["saved", "closed"]);
    expect(stderr).toContain(
      "What was measured so far is in the journal: overload-bench recover results/fake.journal.jsonl",
    );
    expect(exitCode).toBe(1);
  });

  it("stays when the generator fails in a later trial, and goes when nothing had been measured", async () => {
    const failure = async (after: number): Promise<Kept> => {
      let trials = 0;
      return await run(["ab", ...SIM, "--repeats", "1"], {
        onTrial() {
          trials += 1;
          if (trials > after) throw new Error("broken");
        },
      });
    };
    expect((await failure(1)).done).toEqual(["saved so far", "closed"]);
    expect((await failure(1)).stderr).toContain("overload-bench recover results/fake.journal.jsonl");
    const first = await failure(0);
    expect(first.done).toEqual(["removed"]);
    expect(first.stderr).not.toContain("recover");
  });

  it("is complete and named when a second signal ends the program at once", async () => {
    const { done, stderr, events } = await run(["ab", ...SIM, "--repeats", "1"], {
      onTrial(spec, send) {
        if (spec.arm !== "on") return;
        send("SIGINT");
        send("SIGINT");
      },
    });
    expect(done.slice(0, 2)).toEqual(["saved so far", "flushed"]);
    expect(events).toContain("exit 130");
    expect(stderr).toContain("overload-bench recover results/fake.journal.jsonl");
  });

  it("is not needed: a run without one ends as it would with it", async () => {
    const { exitCode, stderr, stdout } = await runFake(SIM);
    expect(exitCode).toBe((await run(SIM)).exitCode);
    expect(stdout).toContain("Result:");
    expect(stderr).not.toContain("journal");
  });

  it("that others left behind is told of when a run starts", async () => {
    const journals = {
      find: async () => ["a", "b", "c", "live", "d", "e"].map((name) => `results/${name}.journal.jsonl`),
      isBeingWritten: async (path: string) => path.includes("live"),
      read: () => {
        throw new Error("not to be read");
      },
      remove: async () => {},
    };
    const { stderr } = await run(SIM, { services: { journals } });
    expect(stderr).toContain(
      "results/a.journal.jsonl is of a run that was killed: overload-bench recover results/a.journal.jsonl, or continue it with --resume\n",
    );
    expect(stderr).toContain("So are 2 more journals beside it\n");
    expect(stderr).not.toContain("live");
  });
});
