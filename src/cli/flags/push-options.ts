/** `--push`: where live metrics go, and in which words. */

import { CliError } from "../cli-error.ts";
import type { Add } from "./add-option.ts";
import { header, oneOf, url } from "./flag-values.ts";

export type PushFormat = "otlp" | "openmetrics";

export interface PushFlags {
  readonly push?: string;
  readonly pushFormat?: PushFormat;
  readonly pushHeader: readonly (readonly [string, string])[];
}

/** An endpoint that takes metrics. */
export interface PushEndpoint {
  /** Without credentials. */
  readonly url: string;
  readonly format: PushFormat;
  readonly method: "POST" | "PUT";
  readonly headers: readonly (readonly [string, string])[];
}

/** The path at which OTLP/HTTP takes metrics. */
const OTLP_PATH = /\/v1\/metrics\/?$/;
/** Where a Pushgateway takes a group of metrics: PUT replaces the group, so that nothing is left of the trial before. */
const PUSHGATEWAY_PATH = /\/metrics\/job(?:@base64)?\//;

export function addPushOptions(add: Add): void {
  add("--push <url>", "send metrics there once a second while real load runs: OTLP/HTTP JSON or OpenMetrics text", url);
  add(
    "--push-format <format>",
    "otlp or openmetrics (default: otlp for a URL that ends in /v1/metrics, else openmetrics)",
    oneOf(["otlp", "openmetrics"]),
  );
  add("--push-header <header>", "'Name: value' to send with them, such as a token; may be repeated", header, []);
}

/** @throws CliError */
export function checkPush({ push, pushFormat, pushHeader }: PushFlags, simulates: boolean): void {
  if (push === undefined) {
    if (pushFormat !== undefined) throw new CliError("--push-format needs --push");
    if (pushHeader.length > 0) throw new CliError("--push-header needs --push");
    return;
  }
  if (simulates) {
    throw new CliError(
      "--push tells what happens by the second, and a simulation has seconds of its own: it excludes --sim",
    );
  }
}

/** @returns undefined when nothing is to be pushed. */
export function pushEndpoint({ push, pushFormat, pushHeader }: PushFlags): PushEndpoint | undefined {
  if (push === undefined) return undefined;
  const at = new URL(push);
  const { username, password, pathname } = at;
  const hasUser = username !== "" || password !== "";
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  at.username = "";
  at.password = "";
  const format = pushFormat ?? (OTLP_PATH.test(pathname) ? "otlp" : "openmetrics");
  return {
    url: at.href,
    format,
    method: format === "openmetrics" && PUSHGATEWAY_PATH.test(pathname) ? "PUT" : "POST",
    headers: [...(hasUser ? [["Authorization", `Basic ${base64(credentials)}`] as const] : []), ...pushHeader],
  };
}

/** Of the text in UTF-8 (RFC 7617, 2.1). */
function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
