/** Bytes as they can be pasted into a test. */

import { type FuzzCase, latin1, type Verdict } from "./fuzz-case.ts";

/** A literal of JavaScript in latin1, such as `"HTTP/1.1 200 OK\r\n\x00"`. */
function literalOf(bytes: Uint8Array): string {
  const escaped = latin1(bytes).replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, (char) => {
    switch (char) {
      case "\r":
        return "\\r";
      case "\n":
        return "\\n";
      case "\t":
        return "\\t";
      case '"':
      case "\\":
        return `\\${char}`;
      default:
        return `\\x${char.charCodeAt(0).toString(16).padStart(2, "0")}`;
    }
  });
  return `"${escaped}"`;
}

/** A whole case, as an argument of `caseOf` in the tests. */
export function caseLiteral({ bytes, bodiless, cuts }: FuzzCase): string {
  const where = cuts.length > 0 && cuts.length === bytes.length - 1 ? '"bytewise"' : `[${cuts.join(", ")}]`;
  return `{ text: ${literalOf(bytes)}, bodiless: ${bodiless}, cuts: ${where} }`;
}

export function verdictLine(verdict: Verdict): string {
  const { open, ended, reason, status, bodyBytes, persistent, excessBytes, headers } = verdict;
  const outcome = open === "incomplete" ? `${ended} at the end` : open;
  if (ended === "refused") return `${outcome} (${reason || "no reason"})`;
  const rest = `${bodyBytes} bytes, ${persistent ? "persistent" : "closing"}, ${excessBytes ?? "?"} behind it`;
  return `${outcome}: ${status}, ${rest}, headers ${JSON.stringify(headers)}`;
}
