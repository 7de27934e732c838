/** Trials on the built-in target, by what an experiment varies. */

import type { TrialResult } from "../../src/result/schema.ts";
import type { RealLab } from "./experiment.ts";

export interface RealLoad {
  /** As in `--policy`. */
  readonly policy: string;
  readonly users: number;
  readonly rps: number;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  /** As in `--target`. */
  readonly target: string;
  /** As in `--script`. */
  readonly script?: string;
  /** Default 1. */
  readonly timeoutSeconds?: number;
  /** Default 0: cold clients. */
  readonly ageSeconds?: number;
}

/** @returns undefined of a trial that shows something. */
export function whyInvalid({ validity: { verdict, reasons } }: TrialResult): string | undefined {
  if (verdict !== "invalid") return undefined;
  return reasons
    .filter(({ severity }) => severity === "invalid")
    .map(({ message }) => message)
    .join(" ");
}

/**
 * Runs the loads one after another.
 *
 * @throws Error when the generator does not vouch for a trial: then it shows nothing.
 */
export async function runReal(lab: RealLab, loads: readonly RealLoad[]): Promise<readonly TrialResult[]> {
  const trials: TrialResult[] = [];
  for (const load of loads) {
    const [trial] = (await lab.run(flagsOf(load))).trials;
    if (trial === undefined) throw new Error("The result has no trial");
    const why = whyInvalid(trial);
    if (why !== undefined) throw new Error(`The trial with ${load.policy} at ${load.rps}/s is invalid: ${why}`);
    trials.push(trial);
  }
  return trials;
}

function flagsOf(load: RealLoad): readonly string[] {
  const {
    policy,
    users,
    rps,
    warmupSeconds,
    durationSeconds,
    target,
    script,
    timeoutSeconds = 1,
    ageSeconds = 0,
  } = load;
  return [
    ...["--policy", policy, "--vus", `${users}`, "--rps", `${rps}`, "--target", target],
    ...["--warmup", `${warmupSeconds}s`, "--duration", `${durationSeconds}s`, "--timeout", `${timeoutSeconds}s`],
    ...(script === undefined ? [] : ["--script", script]),
    ...(ageSeconds === 0 ? [] : ["--age", `${ageSeconds}s`]),
  ];
}
