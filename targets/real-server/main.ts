import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { runtimeName } from "../overloadable/runtime.ts";
import { urlOf } from "../program/address.ts";
import { describeFlags, parseFlags } from "../program/flags.ts";
import { runProgram } from "../program/run-program.ts";
import { die } from "../program/serve-program.ts";
import { answersOn } from "./ask.ts";
import { makeCertificate } from "./certificate.ts";
import { Failure } from "./failure.ts";
import { findProgram } from "./find-program.ts";
import { freePort } from "./free-port.ts";
import { connectionsThatFit } from "./open-files.ts";
import type { RealServerOptions } from "./options.ts";
import type { Place, RealServer } from "./real-server.ts";
import { fired, stopSignal } from "./stop-signal.ts";
import { type Supervised, supervise } from "./supervised.ts";
import { tellingLine } from "./telling-line.ts";
import { openUpstream } from "./upstream.ts";

/** Free ports that are tried, should others take them first. */
const PORTS_MAX = 5;
const READY_MS_MAX = 10_000;
const POLL_MS = 20;
/** What a server in trouble says again and again is passed on so often. */
const LINES_MAX = 20;

/**
 * The program of a target that is a real server: starts it, says where it listens, and stops it when it is told to. Exit
 * codes: 0 after a signal or the end of standard input, 1 when it fails, 2 for bad flags.
 */
export async function runRealServer<Options extends RealServerOptions>(
  server: RealServer<Options>,
  args: readonly string[],
): Promise<void> {
  const { name, flags, about } = server;
  await runProgram(name, {
    parse: () => parseFlags(flags, args),
    help: () => `Usage: overload-bench target ${name} [options]\n\n${about}\n${describeFlags(flags)}`,
    async serve(options) {
      try {
        await serve(server, options);
      } catch (error) {
        if (error instanceof Failure) die(name, error.message, 1);
        throw error;
      }
      process.exit(0);
    },
  });
}

async function serve<Options extends RealServerOptions>(server: RealServer<Options>, options: Options): Promise<void> {
  const program = findProgram(server.name);
  if (program === undefined) throw new Failure(`${server.name} is not installed: apt-get install ${server.name}`);
  const stop = stopSignal(options.exitWithParent);
  const running = await startOnPort(server, program, options, stop);
  if (running === undefined) return;
  process.stdout.write(`${JSON.stringify(readyLine(server, options, running))}\n`);
  const reason = await Promise.race([running.child.ended, fired(stop)]);
  await running.child.stop();
  rmSync(running.place.folder, { recursive: true, force: true });
  if (reason !== undefined) throw new Failure(`The server has gone by itself (${reason})`);
}

interface Started {
  readonly child: Supervised;
  readonly place: Place;
}

/** @returns undefined when it was told to stop meanwhile. */
async function startOnPort<Options extends RealServerOptions>(
  server: RealServer<Options>,
  program: string,
  options: Options,
  stop: AbortSignal,
): Promise<Started | undefined> {
  for (let attempt = 1; !stop.aborted; attempt += 1) {
    const port = options.port === 0 ? await freePort(options.host) : options.port;
    const started = await startOnce(server, program, options, port, stop);
    if (typeof started !== "string") return started;
    const isTaken = /address (already )?in use/i.test(started);
    if (!isTaken || options.port !== 0 || attempt === PORTS_MAX) throw new Failure(`It did not start: ${started}`);
  }
  return undefined;
}

/**
 * Everything that one start needs is in one folder, which goes with the server.
 *
 * @returns what the server said when it did not start; undefined when it was told to stop meanwhile.
 */
async function startOnce<Options extends RealServerOptions>(
  server: RealServer<Options>,
  program: string,
  options: Options,
  port: number,
  stop: AbortSignal,
): Promise<Started | string | undefined> {
  const folder = temporaryFolder(server.name);
  let isReady = false;
  try {
    const place = {
      folder,
      port,
      upstreamSocket: join(folder, "upstream.sock"),
      ownSocket: join(folder, "own.sock"),
      certificate: options.tls ? makeCertificate(folder, options.host) : undefined,
      connectionsMax: connectionsThatFit(),
    };
    for (const [name, text] of Object.entries(server.files(options, place))) writeFileSync(join(folder, name), text);
    const upstream = await openUpstream(place.upstreamSocket, options);
    const passOn = passerOn(server.name);
    const child = supervise(folder, [program, ...server.args(place)], (line) => {
      if (isReady && !stop.aborted) passOn(line);
    });
    isReady = await untilReady(child, place.ownSocket, stop);
    if (isReady) return { child, place };
    await child.stop();
    upstream.close();
    return stop.aborted ? undefined : tellingLine(child.said()) || (await child.ended);
  } finally {
    if (!isReady) rmSync(folder, { recursive: true, force: true });
  }
}

function temporaryFolder(name: string): string {
  try {
    return mkdtempSync(join(tmpdir(), `overload-bench-${name}-`));
  } catch (error) {
    throw new Failure(`Cannot make a temporary folder: ${(error as Error).message}`);
  }
}

async function untilReady(child: Supervised, socket: string, stop: AbortSignal): Promise<boolean> {
  const giveUpMs = performance.now() + READY_MS_MAX;
  while (!child.hasEnded() && !stop.aborted && performance.now() < giveUpMs) {
    if (await answersOn(socket, READY_MS_MAX)) return true;
    await sleep(POLL_MS);
  }
  return false;
}

function readyLine<Options extends RealServerOptions>(
  server: RealServer<Options>,
  options: Options,
  { place: { folder, port, certificate } }: Started,
) {
  const { capacityRps, waitMsMax } = server.theory(options);
  return {
    ready: true,
    url: urlOf(options.tls ? "https" : "http", options.host, port),
    port,
    pid: process.pid,
    runtime: runtimeName(),
    server: server.name,
    serverPid: Number(readFileSync(join(folder, "server.pid"), "utf8")),
    capacityRps: Math.round(capacityRps * 1000) / 1000,
    waitMsMax: Math.round(waitMsMax * 1000) / 1000,
    ...(certificate === undefined ? {} : { certificate: certificate.certificateFile }),
  };
}

function passerOn(name: string): (line: string) => void {
  let told = 0;
  return (line) => {
    told += 1;
    if (told <= LINES_MAX) process.stderr.write(`${name}: ${line}\n`);
    if (told === LINES_MAX) process.stderr.write(`${name}: what it says from here on is not passed on\n`);
  };
}
