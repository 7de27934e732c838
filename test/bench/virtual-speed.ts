/**
 * How many attempts a second the virtual world makes on one core, by policy and by number of users, and what a user costs in
 * memory; beside it, in the same run, a straightforward simulation of the same model in SimPy.
 *
 *   bun test/bench/virtual-speed.ts [--rounds 3] [--users 10,1000,100000,1000000] [--rps 100000] [--seconds 10] [--capacity 50000]
 *   deno run -A test/bench/virtual-speed.ts
 *   node dist/bench/test/bench/virtual-speed.js   (after: npx tsc -p test/bench)
 *
 * SimPy: `apt-get install -y --no-install-recommends python3-simpy3` (or python3-simpy, which is SimPy 2); where it is not
 * installed, that part is left out.
 *
 * The same load is spread over more and more users: Poisson arrivals, twice what the `shed` model can take. From a million users
 * on it is ten times as high, so that each user has ten calls. Attempts are those of all calls, local rejects among them. Each
 * cell runs in a process of its own; medians of the rounds, of the whole trial (with the making of all users) and of its second
 * half. What grows with the users is the time to fetch a user's state from memory: see the last table. Quiet machine: about ten
 * minutes; `--users 1000` takes two.
 */

import { median } from "../../src/stats/median.ts";
import { readArguments } from "./arguments.ts";
import { describeMachine, watchSteal } from "./machine.ts";
import { dependentReadNanos } from "./memory-latency.ts";
import { printTable } from "./print-table.ts";
import { findPython, type SimPyResult, simulateInSimPy } from "./simpy/simpy-cell.ts";
import { type CellResult, measureCell, measureIfCell, type VirtualLoad } from "./virtual-cell.ts";

/** With fewer, what a user takes is lost in what the program takes. */
const COUNTED_USERS_MIN = 100_000;
/** From so many users on the load is ten times as high. */
const MANY_USERS = 1_000_000;
/** SimPy takes gigabytes for more. */
const SIMPY_USERS_MAX = 100_000;
const SIMPY_POLICIES: readonly string[] = ["none", "retry", "sre"];
/** Two simulations of one model differ by chance: by less than this share of the calls. */
const NOISE = 0.02;
const WORKING_SETS_MB = [0.03, 0.25, 1, 4, 16, 64, 256];

/** A row of the table: a policy, and what every answer takes. */
interface Row {
  readonly policy: string;
  readonly latencySeconds: number;
}

const ROWS: readonly Row[] = [
  ...["none", "retry", "sre", "sre-sent-only", "grpc-retry-throttling", "breaker-ratio"].map((policy) => ({
    policy,
    latencySeconds: 0,
  })),
  ...["none", "sre"].map((policy) => ({ policy, latencySeconds: 0.05 })),
];

const millions = (perSecond: number): string => (perSecond / 1e6).toFixed(2);
const nameOf = ({ policy, latencySeconds }: Row): string =>
  latencySeconds === 0 ? policy : `${policy}, ${latencySeconds * 1000} ms`;

async function main(): Promise<void> {
  const { rounds, users, rps, seconds, capacity } = readArguments({
    rounds: 3,
    users: [10, 1000, 100_000, 1_000_000],
    rps: 100_000,
    seconds: 10,
    capacity: 50_000,
  });
  const loadOf = ({ policy, latencySeconds }: Row, count: number): VirtualLoad => {
    const factor = count >= MANY_USERS ? 10 : 1;
    return { policy, latencySeconds, users: count, rps: factor * rps, capacity: factor * capacity, seconds };
  };
  console.log(describeMachine());
  const steal = watchSteal();
  const cells = new Map<string, CellResult>();
  const cellOf = (row: Row, count: number): CellResult => cells.get(`${nameOf(row)} ${count}`) as CellResult;
  for (const row of ROWS) {
    for (const count of users) cells.set(`${nameOf(row)} ${count}`, measureCell(loadOf(row, count), rounds));
  }
  const table = (title: string, figure: (row: Row, count: number) => string): void => {
    console.log(`\n${title}`);
    printTable([
      ["", ...users.map((count) => `${count} users`)],
      ...ROWS.map((row) => [nameOf(row), ...users.map((count) => figure(row, count))]),
    ]);
  };
  table("Million attempts per second, whole trial", (row, count) => millions(median(cellOf(row, count).rates)));
  table("Million attempts per second, second half", (row, count) => millions(median(cellOf(row, count).warmRates)));
  const least = Math.min(...users);
  table(`Bytes per user: the process's peak above that with ${least} users`, (row, count) =>
    count < COUNTED_USERS_MIN
      ? "-"
      : ((cellOf(row, count).peakBytes - cellOf(row, least).peakBytes) / count).toFixed(0),
  );
  compareWithSimPy(
    users.filter((count) => count <= SIMPY_USERS_MAX),
    (policy, count) => loadOf({ policy, latencySeconds: 0 }, count),
    (policy, count) => cellOf({ policy, latencySeconds: 0 }, count),
  );
  console.log("\nWhat a read costs here that has to wait for the one before, ns, by the memory it falls in");
  printTable([
    WORKING_SETS_MB.map((megabytes) => `${megabytes} MB`),
    WORKING_SETS_MB.map((megabytes) => dependentReadNanos(megabytes).toFixed(1)),
  ]);
  console.log(`  steal ${steal()}`);
}

function compareWithSimPy(
  users: readonly number[],
  loadOf: (policy: string, count: number) => VirtualLoad,
  cellOf: (policy: string, count: number) => CellResult,
): void {
  const python = findPython();
  if (python === undefined) {
    console.log("\nSimPy is not installed: nothing to compare with.");
    return;
  }
  let version = "";
  const rows = SIMPY_POLICIES.flatMap((policy) =>
    users.map((count) => {
      const load = loadOf(policy, count);
      const theirs = simulateInSimPy(python, load, "inline");
      const asProcesses = simulateInSimPy(python, load, "process");
      const ours = cellOf(policy, count);
      version = theirs.simpy;
      const rate = median(ours.rates);
      // Of ours: the same model makes the same number of attempts.
      const attempts = (simpy: SimPyResult): number => (simpy.sent + simpy.throttled) / simpy.wallSeconds;
      return [
        ...[policy, `${count}`, millions(rate)],
        ...[theirs, asProcesses].flatMap((simpy) => [
          millions(attempts(simpy)),
          `${(rate / attempts(simpy)).toFixed(0)}x`,
        ]),
        ...(["sent", "accepted", "throttled"] as const).map(
          (kind) => `${perCall(ours, kind)} ${perCall(theirs, kind)}`,
        ),
        agreement(ours, [theirs, asProcesses]),
      ];
    }),
  );
  console.log(`\nThe same model in SimPy ${version}: million attempts per second, and for 100 calls, ours and SimPy's`);
  printTable([
    ["", "users", "ours", "one process", "", "one a call", "", "sent", "accepted", "throttled", ""],
    ...rows,
  ]);
}

type Counts = Pick<CellResult, "calls" | "sent" | "accepted" | "throttled">;

function perCall(counts: Counts, kind: "sent" | "accepted" | "throttled"): string {
  return ((100 * counts[kind]) / counts.calls).toFixed(1);
}

function agreement(ours: Counts, theirs: readonly Counts[]): string {
  const differs = theirs.some((other) =>
    (["sent", "accepted", "throttled"] as const).some(
      (kind) => Math.abs(ours[kind] / ours.calls - other[kind] / other.calls) > NOISE,
    ),
  );
  return differs ? "THEY DIFFER" : "agree";
}

if (!(await measureIfCell())) await main();
