/** `--script`: where it can be played, and what is to be said of it before the run. */

import type { BackendsSpec } from "../../engine/trial-spec.ts";
import { formatScript, type ScriptChange } from "../../plan/script.ts";
import { formatDuration } from "../../plan/units.ts";
import type { Reason } from "../../result/schema.ts";
import { CliError } from "../cli-error.ts";

export type Script = readonly ScriptChange[];

interface ScriptedFlags {
  readonly script?: Script;
  readonly url?: string;
  readonly sim?: { readonly backends?: BackendsSpec };
  readonly stats: boolean;
}

/** @throws CliError for a script that nothing here can play. */
export function checkScript({ script, url, sim, stats }: ScriptedFlags): void {
  if (script === undefined) return;
  if (url !== undefined) {
    throw new CliError(
      "--script and --url exclude each other: give it to the target itself (overload-bench target --script ...), and the run starts it there",
    );
  }
  if (sim === undefined && !stats) {
    throw new CliError(
      "--script and --no-stats exclude each other: the target is found to have a script by its counters",
    );
  }
  const count = sim?.backends?.count ?? 1;
  const least = sim === undefined ? 0 : count;
  const beyond = script.find(({ backend = -1 }) => backend >= least);
  if (beyond === undefined) return;
  const rule = count === 1 ? "no backend, as there is one" : `backends from 1 to ${count}, as many as there are`;
  throw new CliError(`--script must name ${rule}: current value is "${formatScript([beyond])}"`);
}

/** Changes that this run does not see, or not the end of. @param durationSeconds of the measured window. */
export function scriptRemarks(script: Script, durationSeconds: number): readonly Reason[] {
  return script.flatMap((change) => {
    const { fromSeconds, toSeconds = Number.NEGATIVE_INFINITY } = change;
    const text = formatScript([change]);
    const window = `the measured window of ${formatDuration(durationSeconds)}`;
    if (fromSeconds >= durationSeconds) {
      return remark("script-unseen", `The script's ${text} has no effect: it begins after ${window}`, fromSeconds);
    }
    return toSeconds > durationSeconds
      ? remark("script-unended", `The script's ${text} does not end within ${window}`, toSeconds)
      : [];
  });

  function remark(code: string, message: string, figure: number): Reason[] {
    const hint = "Run for longer (--duration), or change the script: its times are seconds of the measured window";
    return [{ code, severity: "note", message, figure, limit: durationSeconds, hint }];
  }
}
