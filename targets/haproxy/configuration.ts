import type { Place } from "../real-server/real-server.ts";
import type { HaproxyOptions } from "./options.ts";

/**
 * The configuration. `noreuseport`: HAProxy would else share the port with any other HAProxy of the same user, silently.
 * Paths stand in quotes; the temporary folder's name has none in it.
 */
export function haproxyConfiguration(options: HaproxyOptions, place: Place): string {
  const { maxconn, queueTimeoutMs, abortOnClose, threads, host } = options;
  const { connectionsMax, upstreamSocket, ownSocket, port } = place;
  return `global
  maxconn ${connectionsMax}
  nbthread ${threads}
  noreuseport
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  timeout queue ${queueTimeoutMs}ms
  http-reuse always
${abortOnClose ? "  option abortonclose\n" : ""}frontend front
  bind "${host}:${port}" backlog 4096${protocolOf(options, place)}
  bind "unix@${ownSocket}"
  http-request return status 200 content-type text/plain string "healthy\\n" if { path /__health }
  http-response del-header keep-alive
  use_backend counters if { path /__stats }
  default_backend slow
backend slow
  errorfile 503 "${place.folder}/${REFUSAL_FILE}"
  server upstream "unix@${upstreamSocket}" maxconn ${maxconn}
backend counters
  server upstream "unix@${upstreamSocket}"
`;
}

/** The name of the file with what HAProxy answers when a request has waited too long. */
export const REFUSAL_FILE = "refusal.http";

/** The text of that file, an HTTP response. HAProxy takes any status in it. */
export function haproxyRefusal({ status, retryAfter }: HaproxyOptions): string {
  const body = "overloaded\n";
  const lines = [`HTTP/1.1 ${status} Overloaded`, "Content-Type: text/plain", `Content-Length: ${body.length}`];
  if (retryAfter !== null) lines.push(`Retry-After: ${retryAfter}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function protocolOf({ tls, http2 }: HaproxyOptions, { certificate }: Place): string {
  if (!tls || certificate === undefined) return http2 ? " proto h2" : "";
  return ` ssl crt "${certificate.bothFile}" alpn ${http2 ? "h2,http/1.1" : "http/1.1"}`;
}
