/** The program killed in the middle, and what `recover` makes of its journal. Bounds are coarse. */

import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseResult } from "../../src/result/read-result.ts";
import type { Result } from "../../src/result/schema.ts";
import { type Running, Workplace } from "../support/run-cli.ts";
import { httpServer, type TestServer } from "../support/servers.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

/** A line is written once a second at best; a busy machine takes longer. */
const UNKNOWN_SECONDS_MAX = 3;

let workplace: Workplace;
const started: Running[] = [];
const servers: TestServer[] = [];

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  for (const running of started.splice(0)) await kill(running);
  await Promise.all(servers.splice(0).map((server) => server.close()));
  await workplace.close();
});

function start(args: readonly string[]): Running {
  const running = workplace.start(args);
  started.push(running);
  return running;
}

/** By process id: Deno reports a child that was told through its handle as killed, whatever its exit code. */
async function kill({ child, ended }: Running, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null) {
    try {
      process.kill(child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  }
  await ended;
}

interface Counting {
  readonly url: string;
  /** Requests so far, and when each came, in milliseconds of this process. */
  readonly requestsMs: readonly number[];
}

async function countingServer(answers = true): Promise<Counting> {
  const requestsMs: number[] = [];
  const server = await httpServer((_request, response) => {
    requestsMs.push(performance.now());
    if (answers) response.end("ok");
  });
  servers.push(server);
  return { url: server.url, requestsMs };
}

async function journals(): Promise<string[]> {
  const names = await readdir(join(workplace.path, "results")).catch(() => []);
  return names.filter((name) => name.endsWith(".journal.jsonl"));
}

/** Resolves when the journal holds `count` lines of the kind. */
async function journalHas(kind: string, count: number): Promise<void> {
  const lines = async (): Promise<number> => {
    const [name] = await journals();
    if (name === undefined) return 0;
    const text = await readFile(join(workplace.path, "results", name), "utf8");
    return text.split(`{"kind":"${kind}"`).length - 1;
  };
  await expect.poll(lines, { timeout: 25_000, interval: 50 }).toBeGreaterThanOrEqual(count);
}

interface Recovered {
  readonly result: Result;
  readonly stdout: string;
  readonly exitCode: number | null;
}

/** @returns what was recovered; the journal is gone, and a second recovery has nothing to do. */
async function recover(): Promise<Recovered> {
  const [journal = ""] = await journals();
  const { exitCode, stdout, stderr } = await workplace.run(["recover"]);
  expect(stderr).toBe("");
  expect(await journals()).toEqual([]);
  const results = await workplace.results();
  const name = journal.replace(".journal.jsonl", ".json");
  expect(Object.keys(results)).toEqual([name]);
  expect(stdout).toContain(`Result: ${join("results", name)}`);
  const result = results[name] as Result;
  const invalid = result.trials.some((trial) => trial.validity.verdict === "invalid");
  expect(exitCode).toBe(invalid ? 4 : 0);
  return { result, stdout, exitCode };
}

function parsedTrial(line = ""): Result["trials"][number] {
  return (JSON.parse(line) as { trial: Result["trials"][number] }).trial;
}

function sentOf({ attempts, warmup }: Result["trials"][number]): number {
  return attempts.sent + (warmup?.attempts.sent ?? 0);
}

function sumOfOutcomes({ calls: { planned: _, ...outcomes } }: Result["trials"][number]): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

const LOAD = ["--no-stats", "--no-sentinel", "--rps", "200", "--vus", "10", "--policy", "none", "--pacing", "timer"];

describe.runIf(IS_THOROUGH)("overload-bench recover", () => {
  it.each([1, 2])("gives back a killed run up to its last second: workers %d", async (workers) => {
    const { url, requestsMs } = await countingServer();
    const running = start([...LOAD, "--url", url, "--duration", "60s", "--workers", String(workers)]);
    await journalHas("second", 3);
    await kill(running);
    const killedMs = performance.now();
    const { result, stdout } = await recover();
    const [trial] = result.trials as [Result["trials"][number]];
    expect(result.partial).toBe(true);
    expect(trial).toMatchObject({ recovered: true, interrupted: true, generator: { workers } });
    expect(trial.users).toBeUndefined();
    expect(trial.calls.planned).toBe(sumOfOutcomes(trial));
    expect(trial.durationSeconds).toBeGreaterThanOrEqual(2);
    expect(trial.connections?.opened).toBeGreaterThan(0);
    // The rehearsal's requests went to a server of its own: these are the trial's.
    expect(sentOf(trial)).toBeLessThanOrEqual(requestsMs.length + 20);
    const known = requestsMs.filter((atMs) => atMs < killedMs - 1000 * UNKNOWN_SECONDS_MAX).length;
    expect(sentOf(trial)).toBeGreaterThanOrEqual(known);
    expect(stdout).toContain("[recovered]");
    expect(stdout).toContain("not known: the trial was recovered from its journal");
  });

  it("gives back the warm-up of a run that was killed in it, and no figure that it has not", async () => {
    const { url } = await countingServer();
    const running = start([...LOAD, "--url", url, "--warmup", "30s", "--duration", "30s"]);
    await journalHas("second", 2);
    await kill(running);
    const { result, exitCode } = await recover();
    expect(exitCode).toBe(4);
    expect(result.trials[0]).toMatchObject({ durationSeconds: 0, calls: { planned: 0 }, rates: { goodput: 0 } });
    expect(result.trials[0]?.warmup?.calls.planned).toBeGreaterThan(50);
  });

  it("counts as unfinished what was under way when the run was killed while it drained", async () => {
    const { url, requestsMs } = await countingServer(false);
    const running = start([...LOAD, "--url", url, "-d", "1s", "-t", "50s", "--drain", "50s"]);
    await journalHas("second", 3);
    await kill(running);
    const { result } = await recover();
    const [trial] = result.trials as [Result["trials"][number]];
    expect(trial.durationSeconds).toBe(1);
    expect(trial.drainSeconds).toBeGreaterThan(0.5);
    expect(trial.calls.unfinished).toBe(trial.calls.planned);
    expect(trial.attempts.inFlight).toBe(requestsMs.length);
    const { unfinished } = trial.latency.response;
    expect(unfinished).toMatchObject({ count: requestsMs.length, censored: requestsMs.length });
    expect(unfinished?.minMs).toBeGreaterThan(500);
  });

  it("keeps the trials of ab that had ended as they were, and removes what had been saved of them", async () => {
    const { url } = await countingServer();
    const running = start(["ab", ...LOAD, "--url", url, "-d", "2s", "--repeats", "2", "--pause", "0s"]);
    await journalHas("ended", 2);
    await journalHas("trial", 3);
    await kill(running);
    const { result, stdout } = await recover();
    expect(result.trials.slice(0, 2).map(({ arm, recovered }) => [arm, recovered])).toEqual([
      ["off", undefined],
      ["on", undefined],
    ]);
    expect(result.comparison?.baseline).toBe("off");
    expect(stdout).toContain("Goodput, pair by pair");
  });

  it("is not needed to continue: ab --resume keeps what had ended and runs the rest, with the flags of the killed run", async () => {
    const { url } = await countingServer();
    const arms = ["--arm", "once:policy=none", "--arm", "again:policy=retry"];
    const load = ["--no-stats", "--no-sentinel", "--rps", "200", "--vus", "10", "--pacing", "timer", "-d", "2s"];
    const running = start(["ab", ...load, ...arms, "--url", url, "--repeats", "1", "--pause", "0s"]);
    await journalHas("ended", 1);
    await journalHas("second", 4);
    await kill(running);
    const [journal = ""] = await journals();
    const path = join("results", journal);
    const kept = (await readFile(join(workplace.path, path), "utf8"))
      .split("\n")
      .find((line) => line.includes('{"kind":"ended"'));
    const { exitCode, stderr } = await workplace.run(["ab", "--resume", path]);
    expect(exitCode, stderr).not.toBe(1);
    expect(stderr).toContain(`Continuing ${path}: 1 of at most 2 trials are kept`);
    const [name, ...others] = Object.keys(await workplace.results());
    expect([name, ...others]).toEqual([journal.replace(".journal.jsonl", ".json")]);
    const result = (await workplace.results())[name as string] as Result;
    expect(result).toMatchObject({
      partial: false,
      design: { resumed: [{ kept: 1, splitPairs: [0], differences: [] }] },
    });
    expect(new Set(result.trials.map(({ arm, interrupted }) => `${arm} ${interrupted}`))).toEqual(
      new Set(["once false", "again false"]),
    );
    expect(result.trials).toContainEqual(parsedTrial(kept));
    expect(await journals()).toEqual([]);
  });

  it("says that nothing is known of a run that was killed before its first line, and clears up", async () => {
    const { url } = await countingServer();
    const running = start([...LOAD, "--url", url, "--duration", "60s"]);
    await journalHas("header", 1);
    await kill(running);
    const [journal = ""] = await journals();
    const path = join(workplace.path, "results", journal);
    const [header = ""] = (await readFile(path, "utf8")).split("\n", 1);
    await writeFile(path, `${header}\n{"kind":"tri`);
    const { exitCode, stderr } = await workplace.run(["recover"]);
    expect(exitCode).toBe(1);
    expect(stderr).toBe(
      `The run was killed before anything was known of it: there is no result, and '${join("results", journal)}' is removed\n`,
    );
    expect(await journals()).toEqual([]);
  });

  it("leaves alone what is no journal", async () => {
    const path = join(workplace.path, "notes.txt");
    await writeFile(path, "precious notes");
    await utimes(path, new Date(0), new Date(0));
    const { exitCode, stderr } = await workplace.run(["recover", "notes.txt"]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("it has no header");
    expect(await readFile(path, "utf8")).toBe("precious notes");
  });

  it("is named by a run that finds a journal, and refuses the journal of a run that goes on", async () => {
    const { url } = await countingServer();
    const running = start([...LOAD, "--url", url, "--duration", "60s"]);
    await journalHas("second", 1);
    const [journal = ""] = await journals();
    const path = join("results", journal);
    const live = await workplace.run(["recover", path]);
    expect(live.exitCode).toBe(1);
    expect(live.stderr).toBe(`overload-bench: Cannot recover '${path}' as the run that writes it is still going on\n`);
    expect((await workplace.run(["recover"])).exitCode).toBe(2);
    const sim = ["--sim", "shed:capacity=100", "--rps", "100", "-d", "1s"];
    expect((await workplace.run(sim)).stderr).not.toContain("recover");
    await kill(running);
    expect((await workplace.run(sim)).stderr).toContain(
      `${path} is of a run that was killed: overload-bench recover ${path}`,
    );
    expect(await journals()).toEqual([journal]);
  });

  it("prints the document with --json, saves it where -o says, and overwrites nothing", async () => {
    const { url } = await countingServer();
    const running = start([...LOAD, "--url", url, "--duration", "60s"]);
    await journalHas("second", 1);
    await kill(running);
    await writeFile(join(workplace.path, "mine.json"), "{}");
    const refused = await workplace.run(["recover", "-o", "mine.json"]);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("never overwritten");
    expect(await journals()).toHaveLength(1);
    const { stdout } = await workplace.run(["recover", "-o", "yours.json", "--json"]);
    const text = await readFile(join(workplace.path, "yours.json"), "utf8");
    expect(parseResult(text, "yours.json")).toEqual(JSON.parse(stdout));
    expect(await journals()).toEqual([]);
  });

  it("refuses a journal with a broken line in its middle, and leaves it where it is", async () => {
    await workplace.run(["--sim", "shed:capacity=100", "--rps", "10", "-d", "1s"]);
    const path = join(workplace.path, "results", "x.journal.jsonl");
    await writeFile(path, '{"kind":"header"}\n{"kind":"trial"}\n');
    const { exitCode, stderr } = await workplace.run(["recover"]);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^overload-bench: Cannot read 'results\/x\.journal\.jsonl' as line 1 .*\n$/);
    expect((await stat(path)).size).toBeGreaterThan(0);
  });
});

describe("a run that is stopped", () => {
  it("leaves no journal beside a saved result, and the journal holds no secret while it lasts", async () => {
    const { url } = await countingServer();
    const secret = ["-H", "Authorization: Bearer s3cr3t", "-b", "s3cr3t", "-H", "X-Api-Key: s3cr3t"];
    const running = start([...LOAD, ...secret, "--url", `${url}/?token=s3cr3t`, "--duration", "60s"]);
    await journalHas("second", 1);
    const [journal = ""] = await journals();
    const text = await readFile(join(workplace.path, "results", journal), "utf8");
    expect(text).not.toContain("s3cr3t");
    await kill(running, "SIGTERM");
    expect((await running.ended).exitCode).toBe(143);
    expect(await journals()).toEqual([]);
    expect(Object.values(await workplace.results())[0]).toMatchObject({ partial: true });
  });

  it("is stopped in order by SIGHUP, the terminal's end", async () => {
    const { url } = await countingServer();
    const running = start([...LOAD, "--url", url, "--duration", "60s"]);
    await journalHas("second", 1);
    await kill(running, "SIGHUP");
    expect((await running.ended).exitCode).toBe(143);
    expect(Object.values(await workplace.results())[0]?.trials[0]).toMatchObject({ interrupted: true });
  });

  it("names its journal at the second signal, from which the run is recovered", async () => {
    const { url } = await countingServer(false);
    const running = start([...LOAD, "--url", url, "--duration", "60s", "-t", "60s", "--drain", "60s"]);
    await journalHas("second", 2);
    process.kill(running.child.pid as number, "SIGINT");
    await running.said("Stopping");
    await kill(running, "SIGINT");
    const { exitCode, stderr } = await running.ended;
    expect(exitCode).toBe(130);
    const [journal = ""] = await journals();
    expect(stderr).toContain(
      `What was measured so far is in the journal: overload-bench recover ${join("results", journal)}`,
    );
    const { result } = await recover();
    expect(result.trials[0]?.calls.unfinished).toBeGreaterThan(100);
  });
});
