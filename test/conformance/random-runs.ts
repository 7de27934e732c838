/**
 * Runs of the program that are drawn at random, against servers that misbehave, half of them with Ctrl-C at a random moment:
 * in each the counts must add up, by a check that is not the program's own, and agree with what the server counted.
 *
 *   bun test/conformance/random-runs.ts [--runs 1000] [--seed 1] [--together 2]
 *   deno run -A test/conformance/random-runs.ts
 *
 * Prints every breach with the command line that makes it, and exits with 1 when there was one.
 */

import process from "node:process";
import { readArguments } from "../bench/arguments.ts";
import { describeMachine } from "../bench/machine.ts";
import { startPathologicalProcess } from "./pathological-process.ts";
import { PATHOLOGY_NAMES } from "./pathologies.ts";
import { type Configuration, randomConfigurations } from "./random-configuration.ts";
import { commandLine, tryOut } from "./random-run.ts";

const { runs, seed, together } = readArguments({ runs: 1000, seed: 1, together: 2 });
console.log(describeMachine());
const configurations = randomConfigurations(PATHOLOGY_NAMES, runs, seed);
const seen = { results: 0, partial: 0, invalid: 0, calls: 0, attempts: 0, exits: new Map<number | null, number>() };
let broken = 0;
let next = 0;

async function work(): Promise<void> {
  while (next < configurations.length) {
    const configuration = configurations[next] as Configuration;
    next += 1;
    if (next % 50 === 0) console.error(`${next} of ${runs}`);
    const server = await startPathologicalProcess(configuration.mode);
    try {
      const { ended, found } = await tryOut(configuration, server, () => server.settled());
      seen.exits.set(ended.exitCode, (seen.exits.get(ended.exitCode) ?? 0) + 1);
      for (const trial of ended.result?.trials ?? []) {
        seen.results += 1;
        if (trial.interrupted) seen.partial += 1;
        if (trial.validity.verdict === "invalid") seen.invalid += 1;
        seen.calls += trial.calls.planned + (trial.warmup?.calls.planned ?? 0);
        seen.attempts += trial.attempts.sent + (trial.warmup?.attempts.sent ?? 0);
      }
      if (found.length > 0) {
        broken += 1;
        console.log(`${commandLine(configuration)}\n  ${found.join("\n  ")}`);
      }
    } finally {
      await server.close();
    }
  }
}

await Promise.all(Array.from({ length: together }, work));
const exits = [...seen.exits].map(([code, count]) => `${code}: ${count}`).join(", ");
console.log(`${runs} runs (seed ${seed}), exit codes ${exits}`);
console.log(`${seen.results} results, ${seen.partial} of them cut short, ${seen.invalid} invalid`);
console.log(`${seen.calls} calls, ${seen.attempts} attempts`);
console.log(broken === 0 ? "All counts add up." : `Counts do not add up in ${broken} runs.`);
process.exitCode = broken === 0 ? 0 : 1;
