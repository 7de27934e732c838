/**
 * How many attempts a second the virtual world makes, and what a user costs in memory.
 *
 *   bun test/bench/virtual-speed.ts
 *   deno run -A test/bench/virtual-speed.ts
 */

import { median } from "../../src/stats/median.ts";
import { executeTrial } from "../../src/world/execute-trial.ts";
import { trialSpec, UNWATCHED } from "../support/trial-spec.ts";

const ROUNDS = 5;

for (const policy of ["none", "retry", "sre", "sre-sent-only"]) {
  for (const users of [10, 1000, 100_000]) {
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      const trial = await executeTrial(
        trialSpec({
          plan: {
            seed: round,
            arrival: { law: "poisson", rate: { kind: "constant", rps: 100_000 } },
            warmupSeconds: 0,
            durationSeconds: 10,
            users,
          },
          policy: { name: policy, options: {} },
          world: {
            kind: "virtual",
            model: { name: "shed", capacity: 10_000, burst: 10, rejectCost: 0.3, latencySeconds: 0 },
          },
        }),
        UNWATCHED,
      );
      rates.push(trial.attempts.made / ((performance.now() - start) / 1000));
    }
    console.log(
      `${policy.padEnd(14)} ${String(users).padStart(7)} users  ${(median(rates) / 1e6).toFixed(2)} M attempts/s`,
    );
  }
}
