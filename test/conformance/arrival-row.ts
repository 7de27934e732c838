/** How evenly requests arrive that were asked for 1,000 a second: nobody but the receiver can tell. */

import { benchFile, commandOn } from "../bench/executables.ts";
import { startServer } from "../bench/server-process.ts";
import { captureRequests, gapsOf } from "../bench/wire.ts";
import { startTool } from "./run-tool.ts";
import type { Tool } from "./tools/tool.ts";

export interface ArrivalRow {
  readonly tool: Tool;
  /** Coefficient of variation of the gaps between arrivals: 0 is even, 1 is Poisson. Undefined: not installed, or no rate. */
  readonly cv: number | undefined;
  readonly perSecond: number;
  /** Seen by the kernel (tcpdump), or noted by the receiver. */
  readonly seenBy: "kernel" | "receiver";
}

const RPS = 1000;
const CONNECTIONS = 50;
const SECONDS = 6;
const QUICK_SECONDS = 3;
const SKIP_SECONDS = 2;
const SPARE_SECONDS = 30;

interface Gaps {
  readonly gaps: number;
  readonly spanSeconds: number;
  readonly cv: number;
}

export async function measureArrivals(tools: readonly Tool[], quick: boolean): Promise<ArrivalRow[]> {
  const rows: ArrivalRow[] = [];
  for (const tool of tools) rows.push(await measure(tool, quick ? QUICK_SECONDS : SECONDS));
  return rows;
}

async function measure(tool: Tool, seconds: number): Promise<ArrivalRow> {
  const nothing = { tool, cv: undefined, perSecond: 0, seenBy: "receiver" } as const;
  if (tool.loop === "closed") return nothing;
  const receiver = await startServer(commandOn("bun", benchFile("receiver.mjs")));
  try {
    const origin = `http://127.0.0.1:${receiver.port}`;
    await (await fetch(`${origin}/__reset?skipSeconds=${SKIP_SECONDS}`)).text();
    const capture = await captureRequests(receiver.port);
    const load = { url: `${origin}/`, rps: RPS, seconds, connections: CONNECTIONS, timeoutSeconds: 1 };
    const run = await startTool(tool, load, { startSeconds: seconds + SPARE_SECONDS, loadSeconds: 0 })?.ended;
    const times = await capture?.stop();
    if (run === undefined) return nothing;
    const seen = (await (await fetch(`${origin}/__gaps`)).json()) as Gaps;
    const perSecond = seen.gaps / seen.spanSeconds;
    return times === undefined
      ? { tool, cv: seen.cv, perSecond, seenBy: "receiver" }
      : { tool, cv: gapsOf(times, SKIP_SECONDS).cv, perSecond, seenBy: "kernel" };
  } finally {
    await receiver.stop();
  }
}
