/**
 * A fleet in virtual time: 100,000 users with adaptive throttling at 1,000,000 calls a second for ten simulated minutes, twice what
 * the backend can take. How long does it take, and how much memory?
 *
 *   bun test/bench/fleet.ts [--users 100000] [--rps 1000000] [--minutes 10] [--capacity 500000]
 *   deno run -A test/bench/fleet.ts
 *   node dist/bench/test/bench/fleet.js   (after: npx tsc -p test/bench)
 *
 * That is 600 million calls on one core: ten minutes or so of wall time under Bun, at one microsecond a call, most of which
 * is waiting for memory (see virtual-speed.ts). The budget is 1 GB; `--users 1000000 --minutes 3`, with all windows full, is
 * to fit in 2 GB. One line a simulated minute.
 */

import { readArguments } from "./arguments.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { peakBytes, simulate } from "./virtual-cell.ts";

const MEGABYTE = 1e6;
const { users, rps, minutes, capacity } = readArguments({
  users: 100_000,
  rps: 1_000_000,
  minutes: 10,
  capacity: 500_000,
});
const seconds = 60 * minutes;
const state = (): string =>
  `${((performance.now() - startMs) / 1000).toFixed(0)} s, peak ${(peakBytes() / MEGABYTE).toFixed(0)} MB`;

console.log(describeMachine());
console.log(`${users} users, ${rps}/s, sre, shed:capacity=${capacity}, ${seconds} simulated seconds`);
const steal = watchSteal();
const startMs = performance.now();
let told = 0;
const { calls, attempts } = await simulate(
  { policy: "sre", users, rps, seconds, capacity, latencySeconds: 0 },
  1,
  (simulatedSeconds, planned) => {
    if (simulatedSeconds < 60 * (told + 1)) return;
    told += 1;
    console.log(`  minute ${told}: ${planned} calls, ${state()}`);
  },
);
const wallSeconds = (performance.now() - startMs) / 1000;
console.log(`${state()}, ${(attempts.made / wallSeconds / 1e6).toFixed(2)} M attempts/s, steal ${steal()}`);
console.log(`  ${calls.planned} calls: ${calls.ok} ok, ${calls.throttled} throttled; ${attempts.sent} attempts sent`);
