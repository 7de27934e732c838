/** `capacity` as a user meets it: processes, real sockets, a terminal. Bounds are coarse. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import process from "node:process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Running, Workplace } from "../support/run-cli.ts";
import { programCommand } from "../support/run-program.ts";
import { deadUrl } from "../support/servers.ts";
import { IS_THOROUGH } from "../support/thorough.ts";

let workplace: Workplace;
const started: Running[] = [];

beforeEach(async () => {
  workplace = await Workplace.open();
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    signal(child.pid, child, "SIGKILL");
    await ended;
  }
  await workplace.close();
});

function start(args: readonly string[]): Running {
  const running = workplace.start(args);
  started.push(running);
  return running;
}

/** By process id: Deno reports a child that was told through its handle as killed, whatever its exit code. */
function signal(pid: number | undefined, child: ChildProcess, name: NodeJS.Signals): void {
  if (pid === undefined || child.exitCode !== null) return;
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}

/** The built-in target as a program of its own. */
async function target(): Promise<{ readonly url: string; readonly running: Running }> {
  const running = start(["target", "--port", "0"]);
  await running.said('"ready":true');
  const { url } = JSON.parse(running.output().split("\n", 1)[0] ?? "") as { url: string };
  return { url, running };
}

/** So fast that a search of a slow machine is done in seconds. */
const SHORT = ["--governor", "start=10,window=1s,hold=4,band=40%"];

describe.runIf(IS_THOROUGH)("overload-bench capacity", { timeout: 90_000 }, () => {
  it("finds a simulated capacity of 400/s within 3 %, at an offer of which 1 to 5 % is turned away", async () => {
    const { exitCode, stdout } = await workplace.run(["capacity", "--sim", "shed:capacity=400", "--json", "-q"]);
    expect(exitCode).toBe(0);
    const { capacity } = JSON.parse(stdout) as { capacity: { goodput: number; offer: number; held: boolean } };
    expect(capacity.held).toBe(true);
    expect(Math.abs(capacity.goodput / 400 - 1)).toBeLessThan(0.03);
    expect(capacity.offer).toBeGreaterThan(400 / 0.99);
    expect(capacity.offer).toBeLessThanOrEqual(400 / 0.95);
  });

  it("drives the built-in target, tells each movement as it happens and leaves one file", async () => {
    const running = start(["capacity", ...SHORT, "-d", "40s"]);
    await running.said("climbing, rate 10 -> 20");
    expect(running.child.exitCode).toBeNull();
    const { exitCode, stdout, stderr } = await running.ended;
    expect([0, 4]).toContain(exitCode); // 4 when this machine is too busy to tell.
    expect(stderr).toMatch(/ \d+\.\d s {2}.*% of attempts failed .* > 5\.0 %: rate \S+ -> \S+/u);
    expect(stdout).toContain("Latency of accepted attempts against the offer");
    const results = Object.values(await workplace.results());
    expect(results).toHaveLength(1);
    const { capacity, trials } = results[0] ?? {};
    expect(capacity?.knee.length).toBeGreaterThan(3);
    expect(trials?.[0]?.governor?.windows.length).toBeGreaterThan(5);
  });

  it("ends at once at a port where nobody listens", async () => {
    const { exitCode, stdout, stderr } = await workplace.run(["capacity", "--url", await deadUrl()]);
    expect(exitCode).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toContain("Cannot reach the target of --url");
  });

  it("finds no capacity of a target that dies half-way, and says so with exit code 4", async () => {
    const { url, running } = await target();
    const search = start(["capacity", "--url", url, ...SHORT, "-d", "12s"]);
    await search.said("climbing, rate 20 -> 40");
    signal(running.child.pid, running.child, "SIGKILL");
    const { exitCode, stdout, stderr } = await search.ended;
    expect(exitCode).toBe(4);
    expect(stderr).toMatch(/100\.0 % of attempts failed/u);
    expect(stdout).toMatch(/ECONNREFUSED/u);
    const [result] = Object.values(await workplace.results());
    expect(result?.capacity?.held === true && result.capacity.saturated === false).toBe(false);
  });

  it("gives after Ctrl-C what was found so far, with exit code 130", async () => {
    const search = start(["capacity", ...SHORT]);
    await search.said("climbing, rate 20 -> 40");
    signal(search.child.pid, search.child, "SIGINT");
    const { exitCode, stdout } = await search.ended;
    expect(exitCode).toBe(130);
    expect(stdout).toContain("PARTIAL:");
    expect(stdout.replace(/\s+/gu, " ")).toContain("ended by hand");
    const [result] = Object.values(await workplace.results());
    expect(result?.partial).toBe(true);
    expect(result?.trials[0]?.governor?.ended).toBe("interrupted");
    expect(result?.capacity?.knee.length).toBeGreaterThan(1);
  });

  it("ends when a guard says so, with exit code 4", async () => {
    const { url } = await target();
    const { exitCode, stdout } = await workplace.run([
      "capacity",
      ...["--url", url, "--governor", "start=2000,window=1s", "--abort-on", "errors>20%:1s", "-d", "20s"],
    ]);
    expect(exitCode).toBe(4);
    expect(stdout.replace(/\s+/gu, " ")).toContain("given up by a guard");
    expect(stdout).toContain("[aborted]");
  });

  it("refuses a host elsewhere where nobody can be asked", async () => {
    const { exitCode, stderr } = await workplace.run(["capacity", "--url", "http://192.0.2.1/"]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain("--allow 192.0.2.1:80");
    expect(stderr.trim().split("\n")).toHaveLength(1);
  });
});

/** The `script` of util-linux runs a program in a terminal of its own. */
const hasTerminal = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux") ?? false;

describe.skipIf(!hasTerminal)("the question of capacity in a terminal", { timeout: 60_000 }, () => {
  /** @param typed once the question is there. */
  async function ask(typed: string): Promise<{ readonly exitCode: number | null; readonly output: string }> {
    const { command, args } = programCommand("bin/overload-bench");
    const words = [command, ...args, "capacity", "--url", "http://192.0.2.1/", "--max-rps", "5", "-d", "5s"];
    const program = words.map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qec", program, "/dev/null"], {
      cwd: workplace.path,
      env: { ...process.env, TERM: "xterm-256color", CI: "", NO_COLOR: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    let output = "";
    let isTyped = false;
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
      if (isTyped || !output.includes("[y/N] ")) return;
      isTyped = true;
      child.stdin?.write(typed);
    });
    const exitCode = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { exitCode, output };
  }

  it("goes no further after a no", async () => {
    const { exitCode, output } = await ask("n\n");
    expect(output).toContain("Send up to 5.00 calls/s to 192.0.2.1:80? [y/N] ");
    expect(output).toContain("Nothing was sent to 192.0.2.1:80, as the answer was not yes");
    expect(exitCode).toBe(2);
  });

  it("ends at Ctrl-C with 130", async () => {
    const { exitCode, output } = await ask("\u0003");
    expect(output).toContain("Interrupted: nothing was sent to 192.0.2.1:80");
    expect(exitCode).toBe(130);
  });

  it("tries to reach the target after a yes", async () => {
    const { exitCode, output } = await ask("y\n");
    expect(output).toContain("Cannot reach the target of --url http://192.0.2.1");
    expect(exitCode).toBe(1);
  });
});
