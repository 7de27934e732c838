/** How many connections Linux has turned away because their server did not take them. */

import { readFileSync } from "node:fs";

/** @returns the count since boot in this network namespace (`ListenOverflows`, proc(5)); undefined where there is none. */
export function readTurnedAway(): number | undefined {
  try {
    const [names = "", values = ""] = readFileSync("/proc/net/netstat", "utf8")
      .split("\n")
      .filter((line) => line.startsWith("TcpExt:"));
    const value = values.split(" ")[names.split(" ").indexOf("ListenOverflows")];
    return value === undefined ? undefined : Number(value);
  } catch {
    return undefined;
  }
}
