// The whole suite: build, lint, types, package checks, then the tests on Node, Bun and Deno.
//
//   npm test
//   npm test -- --only bun test/policy      one part (checks, node, bun, deno; repeatable), further arguments to vitest
//
// Each check counts as one test. The last line printed is "N passed, N failed", with ", N skipped" when there are any.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const PART_TIME_LIMIT_MS = 20 * 60 * 1000;
const VITEST = "node_modules/vitest/vitest.mjs";
const root = fileURLToPath(new URL("../..", import.meta.url));

const CHECKS = [
  { name: "build", command: ["npm", "run", "--silent", "build"] },
  { name: "format and lint", command: ["node_modules/.bin/biome", "ci", "--error-on-warnings", "."] },
  { name: "types", command: ["node_modules/.bin/tsc", "-p", "."] },
  { name: "types of the pure folders", command: ["node_modules/.bin/tsc", "-p", "tsconfig.pure.json"] },
  { name: "knip", command: ["node_modules/.bin/knip"] },
  { name: "publint", command: ["npm", "run", "--silent", "check:publint"] },
  { name: "attw", command: ["npm", "run", "--silent", "check:types"] },
];

const RUNTIMES = [
  { name: "node", command: [process.execPath, VITEST, "run"] },
  { name: "bun", command: ["node_modules/.bin/bun", "--bun", VITEST, "run"] },
  { name: "deno", command: ["node_modules/.bin/deno", "run", "-A", VITEST, "run"] },
];

const PARTS = ["checks", ...RUNTIMES.map(({ name }) => name)];

/** @returns {{ only: Set<string>, vitestArgs: string[] }} */
function parseArguments(args) {
  const only = new Set();
  const vitestArgs = [];
  for (let index = 0; index < args.length; index++) {
    if (args[index] !== "--only") {
      vitestArgs.push(args[index]);
      continue;
    }
    index++;
    if (!PARTS.includes(args[index])) {
      throw new Error(`--only must be one of ${PARTS.join(", ")}: current value is ${args[index] ?? "missing"}`);
    }
    only.add(args[index]);
  }
  return { only: only.size > 0 ? only : new Set(PARTS), vitestArgs };
}

/** Runs a command with this process's output. @returns {Promise<boolean>} whether it exited with 0 */
function run(command, environment = {}) {
  process.stdout.write(`\n> ${command.join(" ")}\n`);
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "inherit", "inherit"],
    });
    const limit = setTimeout(() => {
      process.stdout.write(`No end after ${PART_TIME_LIMIT_MS / 60_000} minutes: killed.\n`);
      child.kill("SIGKILL");
    }, PART_TIME_LIMIT_MS);
    const end = (succeeded) => {
      clearTimeout(limit);
      resolve(succeeded);
    };
    child.on("error", (error) => {
      process.stdout.write(`${error.message}\n`);
      end(false);
    });
    child.on("close", (code) => end(code === 0));
  });
}

async function runCheck(command) {
  const succeeded = await run(command);
  return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
}

/** Counts the tests in a report of vitest. A file that failed without a failed test (it did not load) counts as one. */
function countTests(report) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const file of report.testResults) {
    const failedBefore = counts.failed;
    for (const { status } of file.assertionResults) {
      counts[status === "passed" || status === "failed" ? status : "skipped"]++;
    }
    if (file.status === "failed" && counts.failed === failedBefore) {
      counts.failed++;
    }
  }
  return counts;
}

async function runTests({ name, command }, vitestArgs, reports) {
  const reportFile = join(reports, `${name}.json`);
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  const succeeded = await run([...command, ...reporters, ...vitestArgs], {
    OVERLOAD_BENCH_TEST_RUNTIME: name,
    DENO_NO_UPDATE_CHECK: "1",
  });
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    counts = countTests(JSON.parse(readFileSync(reportFile, "utf8")));
  } catch (error) {
    process.stdout.write(`No report from vitest on ${name}: ${error.message}\n`);
  }
  if (counts.passed + counts.failed === 0) {
    process.stdout.write(`Not one test ran on ${name}.\n`);
    counts.failed = 1;
  }
  if (!succeeded && counts.failed === 0) {
    process.stdout.write(`vitest failed on ${name} though no test did.\n`);
    counts.failed = 1;
  }
  return counts;
}

function describe({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

async function main() {
  const { only, vitestArgs } = parseArguments(process.argv.slice(2));
  const reports = mkdtempSync(join(tmpdir(), "overload-bench-suite-"));
  const steps = [
    ...CHECKS.map(({ name, command }) => ({ part: "checks", name, execute: () => runCheck(command) })),
    ...RUNTIMES.map((runtime) => ({
      part: runtime.name,
      name: `tests on ${runtime.name}`,
      execute: () => runTests(runtime, vitestArgs, reports),
    })),
  ];
  const total = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  for (const { part, name, execute } of steps) {
    if (!only.has(part)) {
      continue;
    }
    const startMs = performance.now();
    const counts = await execute();
    const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
    lines.push(`${name.padEnd(26)} ${seconds.padStart(6)} s   ${describe(counts)}`);
    for (const key of Object.keys(total)) {
      total[key] += counts[key];
    }
  }
  rmSync(reports, { recursive: true, force: true });
  process.stdout.write(`\n${lines.join("\n")}\n\n${describe(total)}\n`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
