/** The HTTP/1.1 client that the tests of this process send by: they run once for each, see vitest.config.ts. */

import process from "node:process";
import type { TransportName } from "../../src/engine/trial-spec.ts";
import { DEFAULT_TRANSPORT } from "../../src/world/real/default-transport.ts";

export const TRANSPORT: TransportName =
  process.env.OVERLOAD_BENCH_TEST_TRANSPORT === "undici" ? "undici" : DEFAULT_TRANSPORT;

/** What the two differ in. */
export function byTransport<Value>(values: Readonly<Record<TransportName, Value>>): Value {
  return values[TRANSPORT];
}
