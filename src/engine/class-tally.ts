/** Calls of the measured window by criticality. */

import { CRITICALITIES, CRITICALITY_NAMES } from "../policy/criticality.ts";
import type { TrialResult } from "../result/schema.ts";
import type { Call, Outcome } from "./call.ts";

const COLUMNS = ["planned", "ok", "sent"] as const;
type Column = (typeof COLUMNS)[number];

/** A few counters; as plain data they are {@link ClassTally.counts}, which add up over threads. */
export class ClassTally {
  readonly counts: Uint32Array = new Uint32Array(CRITICALITIES.length * COLUMNS.length);

  arrived(call: Call): void {
    this.#add(call, 0);
  }

  handed(call: Call): void {
    this.#add(call, 2);
  }

  callEnded(call: Call, outcome: Outcome): void {
    if (outcome === "ok") this.#add(call, 1);
  }

  #add(call: Call, column: number): void {
    const index = call.criticality * COLUMNS.length + column;
    this.counts[index] = (this.counts[index] as number) + 1;
  }
}

/** The classes that had calls. */
export function classRows(counts: Uint32Array): NonNullable<TrialResult["criticality"]> {
  const rows = CRITICALITIES.map((criticality) => {
    const start = criticality * COLUMNS.length;
    const of = (column: Column): number => counts[start + COLUMNS.indexOf(column)] as number;
    return { class: CRITICALITY_NAMES[criticality], planned: of("planned"), ok: of("ok"), sent: of("sent") };
  });
  return rows.filter(({ planned }) => planned > 0);
}
