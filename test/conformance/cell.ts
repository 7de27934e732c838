/** One tool against one pathology. */

import { type Expected, expectedOf, faultsOf } from "./judge.ts";
import type { PathologicalProcess } from "./pathological-process.ts";
import type { Row } from "./rows.ts";
import { startTool, type ToolRun } from "./run-tool.ts";
import type { Tool, ToolLoad } from "./tools/tool.ts";
import type { Truth } from "./truth.ts";
import { readTurnedAway } from "./turned-away.ts";

export interface Cell {
  readonly row: Row;
  readonly tool: Tool;
  /** Undefined when the tool is not installed. */
  readonly seen: Seen | undefined;
}

export interface Seen {
  readonly run: ToolRun;
  readonly truth: Truth;
  readonly expected: Expected;
  readonly faults: readonly string[];
}

const CONNECTIONS = 10;
const START_SECONDS = 30;
/** What a tool may take beside its load and one time-out behind it. */
const SPARE_SECONDS = 6;
const LINGER_SECONDS = 45;
const FIRST_REQUEST_POLL_MS = 20;

export interface RunningCell {
  /** Resolves when the tool has sent all that it will: the next one may start. */
  readonly quiet: Promise<void>;
  readonly ended: Promise<Cell>;
}

/** @param opening the row's server, which nobody else uses; closed in the end. */
export function startCell(row: Row, tool: Tool, opening: Promise<PathologicalProcess>): RunningCell {
  let whenQuiet: () => void = () => {};
  const quiet = new Promise<void>((resolve) => {
    whenQuiet = resolve;
  });
  return { quiet, ended: execute(row, tool, opening, whenQuiet).finally(whenQuiet) };
}

async function execute(
  row: Row,
  tool: Tool,
  opening: Promise<PathologicalProcess>,
  whenQuiet: () => void,
): Promise<Cell> {
  const server = await opening;
  try {
    const { rps, seconds, timeoutSeconds } = row;
    const load: ToolLoad = { url: server.url, rps, seconds, timeoutSeconds, connections: CONNECTIONS };
    const turnedAwayBefore = readTurnedAway() ?? 0;
    const loadSeconds = seconds + timeoutSeconds + (tool.lingers ? LINGER_SECONDS : SPARE_SECONDS);
    const started = startTool(tool, load, { startSeconds: START_SECONDS, loadSeconds });
    if (started === undefined) return { row, tool, seen: undefined };
    let running = true;
    const run = started.ended.finally(() => {
      running = false;
    });
    const begun = firstRequest(server, () => running).then(() => started.begun());
    if (tool.lingers) {
      void begun.then(() => pause(1000 * (seconds + timeoutSeconds))).then(whenQuiet);
    }
    const stalledSeconds = await begun.then(() => stall(row, server));
    const ended = await run;
    const truth = await server.settled();
    const turnedAway = (readTurnedAway() ?? 0) - turnedAwayBefore;
    const expected = expectedOf(row, tool.loop, { truth, stalledSeconds, turnedAway });
    return { row, tool, seen: { run: ended, truth, expected, faults: faultsOf(ended, expected) } };
  } finally {
    await server.close();
  }
}

async function stall({ latency }: Row, server: PathologicalProcess): Promise<number> {
  if (latency?.kind !== "stall") return 0;
  await pause(1000 * latency.afterSeconds);
  return await server.stall(latency.forSeconds);
}

/** Resolves when the server has had a request, or the tool has ended without one. */
async function firstRequest(server: PathologicalProcess, running: () => boolean): Promise<void> {
  while (running() && (await server.truth()).requests === 0) await pause(FIRST_REQUEST_POLL_MS);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
