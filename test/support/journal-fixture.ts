/** Lines of a journal, made from the fixtures of results. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WrittenLine } from "../../src/result/journal-schema.ts";
import type { Result, TrialResult } from "../../src/result/schema.ts";
import { resultFixture } from "./trial-fixture.ts";
import { PLAN_LABEL } from "./trial-spec.ts";

/** Of a process that is gone: numbers end below this on every system. */
const NOBODY = { pid: 2 ** 30, host: "nowhere" };

export function headerLine(
  arms: readonly string[] = ["off", "on"],
  pairs = 1,
  change: Partial<Result["design"]> = {},
): Extract<WrittenLine, { kind: "header" }> {
  const command = arms.length === 1 ? "run" : "ab";
  const design = { pairs, seed: 1, chance: "common", stopping: { rule: "all-pairs" } } as const;
  const result = resultFixture([], { command, partial: true, design: { ...design, arms: [...arms], ...change } });
  return { kind: "header", journalVersion: 4, writer: NOBODY, result };
}

export function startedLine(arm: string, pair = 0): Extract<WrittenLine, { kind: "trial" }> {
  return {
    kind: "trial",
    planned: { ...PLAN_LABEL, hash: `plan-${pair}` },
    spec: {
      arm,
      pair,
      policy: { name: "none", options: { maxAttempts: 3 } },
      plan: { seed: 1, warmupSeconds: 0, durationSeconds: 10 },
      world: { kind: "real" },
      maxInFlight: 1000,
      late: { kind: "send" },
      workers: 1,
    },
    remarks: [],
  };
}

/** `calls` calls that came back ok in the second that ends at `elapsedSeconds`; none is under way. */
export function secondLine(elapsedSeconds: number, calls: number): Extract<WrittenLine, { kind: "second" }> {
  const instant = { count: calls, zeros: calls, sumSeconds: 0, minSeconds: 0, maxSeconds: 0, bins: "" };
  const [offered, late, sent, accepted, ok] = [calls, 0, calls, calls, calls];
  return {
    kind: "second",
    elapsedSeconds,
    arrivalsEndSeconds: elapsedSeconds,
    drainSeconds: 0,
    worstLatenessP99Seconds: 0,
    gained: {
      measured: {
        planned: calls,
        made: calls,
        sent: calls,
        outcomes: { ok: calls },
        classes: { accepted: calls },
        statuses: { "200": calls },
        errors: {},
        response: { ok: instant },
        service: { accepted: instant },
        wait: instant,
        lateness: instant,
      },
      series: [[elapsedSeconds - 1, offered, late, sent, sent, accepted, ok, 0, 0, 0, 0, 0, 0, 0, 0]],
    },
    open: { series: [] },
    facts: { startedAt: "2026-01-02T03:04:05.000Z", remarks: [] },
  };
}

export function endedLine(trial: TrialResult): Extract<WrittenLine, { kind: "ended" }> {
  return { kind: "ended", trial };
}

export function journalText(lines: readonly WrittenLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** A folder that is removed after `use`. */
export async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "overload-bench-journal-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
