/**
 * What a receiver sees: a process that answers every request at once with 200 and notes when each one came. Prints its
 * port; ends when stdin closes. Takes HTTP/1.1 requests without a body, on connections that stay open.
 *
 *   GET /__reset?skipSeconds=2   forgets what came before, and leaves out the first two seconds of what comes now
 *   GET /__gaps                  the gaps between arrivals as JSON
 *   GET /__times                 the arrivals as little-endian doubles, milliseconds since the first that is kept
 *
 * Its own error is the time from a request's arrival to its being noted. What of that can be known stands in the answer:
 * `waitUs`, how long its thread waited for a processor each time it had something to do, on average (Linux). It sleeps
 * between requests: spinning on `setImmediate` makes so much garbage that the collector's threads cost it more.
 */

import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import net from "node:net";
import process from "node:process";

const ANSWER = Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok");
const HEADERS_END = "\r\n\r\n";
/** Index of the second underscore in `GET /__`. */
const CONTROL_INDEX = 6;
const UNDERSCORE = 0x5f;

/** Arrivals kept; more are counted as lost. */
const ARRIVALS_MAX = 4_000_000;
const NO_WAIT = { waitedNanos: 0, slices: 0 };
const arrivals = new Float64Array(ARRIVALS_MAX);
let skipMs = 0;
/** When what is kept begins: known from the first arrival on. */
let keepFromMs = Number.POSITIVE_INFINITY;
let skipped = 0;
let count = 0;
let lost = 0;
let waitedAtFirst = NO_WAIT;

function note(atMs) {
  if (skipped === 0 && count === 0) keepFromMs = atMs + skipMs;
  if (atMs < keepFromMs) skipped += 1;
  else if (count < ARRIVALS_MAX) arrivals[count++] = atMs;
  else lost += 1;
  if (count === 1) waitedAtFirst = readWait();
}

function reset(skipSeconds) {
  skipMs = 1000 * skipSeconds;
  keepFromMs = Number.POSITIVE_INFINITY;
  skipped = 0;
  count = 0;
  lost = 0;
}

/** Time that this thread was ready and waited for a processor, and how often it got one (schedstat in proc(5)). */
function readWait() {
  try {
    const [, waitedNanos, slices] = readFileSync("/proc/self/schedstat", "utf8").split(" ").map(Number);
    return { waitedNanos, slices };
  } catch {
    return NO_WAIT;
  }
}

function waitMicros() {
  const { waitedNanos, slices } = readWait();
  const since = slices - waitedAtFirst.slices;
  return since > 0 ? (waitedNanos - waitedAtFirst.waitedNanos) / since / 1000 : 0;
}

function gaps() {
  const gapsMs = new Float64Array(Math.max(0, count - 1));
  for (let i = 0; i < gapsMs.length; i += 1) gapsMs[i] = arrivals[i + 1] - arrivals[i];
  const mean = gapsMs.reduce((sum, gap) => sum + gap, 0) / gapsMs.length;
  const variance = gapsMs.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gapsMs.length;
  gapsMs.sort();
  const quantile = (share) => gapsMs[Math.min(gapsMs.length - 1, Math.floor(share * gapsMs.length))] ?? 0;
  return {
    arrivals: count,
    skipped,
    lost,
    gaps: gapsMs.length,
    spanSeconds: gapsMs.length > 0 ? (mean * gapsMs.length) / 1000 : 0,
    meanMs: gapsMs.length > 0 ? mean : 0,
    cv: gapsMs.length > 0 ? Math.sqrt(variance) / mean : 0,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    waitUs: waitMicros(),
  };
}

function times() {
  const since = new Float64Array(count);
  for (let i = 0; i < count; i += 1) since[i] = arrivals[i] - arrivals[0];
  return Buffer.from(since.buffer);
}

function control(socket, request) {
  const url = new URL(request.split(" ", 2)[1], "http://receiver");
  switch (url.pathname) {
    case "/__reset":
      reset(Number(url.searchParams.get("skipSeconds") ?? 0));
      respond(socket, "200 OK", "text/plain", Buffer.from("ok"));
      return;
    case "/__gaps":
      respond(socket, "200 OK", "application/json", Buffer.from(JSON.stringify(gaps())));
      return;
    case "/__times":
      respond(socket, "200 OK", "application/octet-stream", times());
      return;
    default:
      respond(socket, "404 Not Found", "text/plain", Buffer.from("no"));
  }
}

function respond(socket, status, type, body) {
  socket.write(`HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nContent-Type: ${type}\r\n\r\n`);
  socket.write(body);
}

const server = net.createServer({ noDelay: true }, (socket) => {
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    const atMs = performance.now();
    if (chunk[CONTROL_INDEX] === UNDERSCORE && chunk[CONTROL_INDEX - 1] === UNDERSCORE) {
      control(socket, chunk.toString("latin1"));
      return;
    }
    let end = chunk.indexOf(HEADERS_END);
    while (end !== -1) {
      note(atMs);
      socket.write(ANSWER);
      end = chunk.indexOf(HEADERS_END, end + HEADERS_END.length);
    }
  });
});
server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => {
  process.stdout.write(`${server.address().port}\n`);
});
process.stdin.on("end", () => process.exit(0)).resume();
