import { parseArgs } from "node:util";
import type { ProgramOptions } from "../program/serve-program.ts";

export const HELP = `Usage: null-server [options]

An HTTP/1.1 server that answers every request with 200 at once and does nothing else. One JSON line on stdout says where
it listens.

  --port N            port, 0 picks a free one (default 8080)
  --host ADDRESS      address to bind to (default 127.0.0.1)
  --exit-with-parent  exit when standard input closes
  --help              print this text

GET /__stats answers with the number of other requests so far as JSON.
`;

/** A mistake in the arguments. Its message is one line. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

const PORT_MAX = 65_535;

/**
 * Reads the command line.
 *
 * @returns the options, or `"help"`.
 * @throws UsageError for anything unknown, malformed or out of range.
 */
export function parseOptions(args: readonly string[]): ProgramOptions | "help" {
  const { values } = parseStrictly(args);
  if (values.help === true) return "help";
  const { port = "8080", host = "127.0.0.1", "exit-with-parent": exitWithParent = false } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > PORT_MAX) {
    throw new UsageError(
      `Cannot use --port as it must be a whole number from 0 to ${PORT_MAX}: current value is '${port}'`,
    );
  }
  if (host === "") throw new UsageError("Cannot use --host as it must be an address: current value is ''");
  return { port: Number(port), host, exitWithParent };
}

function parseStrictly(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        port: { type: "string" },
        host: { type: "string" },
        "exit-with-parent": { type: "boolean" },
        help: { type: "boolean" },
      },
      strict: true,
    });
  } catch (error) {
    const [firstSentence] = String(error instanceof Error ? error.message : error).split(/\.\s|\n/);
    throw new UsageError(firstSentence);
  }
}
