/** What this side of the connections did wrong, or the target in a way that leaves nothing to measure. */

import { isCertificateCode, isNameCode, isOwnCertificateCode } from "../../policy/fault-codes.ts";
import type { Reason } from "../../result/schema.ts";
import { ORDERLY_END_CODE } from "../fault-codes.ts";
import type { ValidityFacts } from "./facts.ts";
import { graded, percent } from "./grade.ts";
import { STALE_SHARE } from "./limits.ts";

export function clientReasons(facts: ValidityFacts): Reason[] {
  return [...refusals(facts), ...clientFaults(facts), ...nothingUnderstood(facts), ...staleConnections(facts)];
}

function refusals({ calls, late, workers, maxInFlight }: ValidityFacts): Reason[] {
  const refused = calls.dropped - late.dropped;
  if (refused === 0) return [];
  const share = workers > 1 ? "a worker had its share of " : "";
  return [
    {
      code: "in-flight-bound",
      severity: "invalid",
      message: `${refused} of ${calls.planned} calls were dropped: ${share}${maxInFlight} were under way already`,
      figure: refused,
      limit: 0,
      hint: "Raise --max-in-flight, or shorten --timeout, so that the generator does not limit the load itself",
    },
  ];
}

function clientFaults({ attempts, errors }: ValidityFacts): Reason[] {
  if (attempts.clientFault === 0) return [];
  return [
    {
      code: "client-fault",
      severity: "invalid",
      message: `${attempts.clientFault} attempts failed on this side, never the target's doing (${mostFrequent(errors)})`,
      figure: attempts.clientFault,
      limit: 0,
      hint: clientFaultHint(Object.keys(errors)),
    },
  ];
}

function nothingUnderstood({ attempts, errors }: ValidityFacts): Reason[] {
  if (attempts.sent === 0 || attempts.failed < attempts.sent) return [];
  return [
    {
      code: "nothing-understood",
      severity: "invalid",
      message: `No attempt was answered or refused in a way that could be understood (${mostFrequent(errors)})`,
      figure: attempts.failed,
      limit: 0,
      hint:
        errors.UND_ERR_RES_EXCEEDED_MAX_SIZE === undefined
          ? "Look at the URL, its scheme and its port: is it an HTTP server?"
          : "Raise --max-response: the answers are longer than that",
    },
  ];
}

/** Whoever ends a connection in order leaves no doubt of what became of a request: those are not held against it. */
function staleConnections({ attempts, errors }: ValidityFacts): Reason[] {
  const doubtful = Math.max(0, attempts.staleConnection - (errors[ORDERLY_END_CODE] ?? 0));
  const stale = attempts.sent === 0 ? 0 : doubtful / attempts.sent;
  return graded(stale, STALE_SHARE, {
    code: "stale-connections",
    message: `${percent(stale)} of the attempts met a connection that the target had closed, and were sent again`,
    hint: "The target closes connections that it keeps alive: if it does so under load, these are resets, not idleness",
  });
}

/** The codes of the faults, most frequent first. */
function mostFrequent(errors: ValidityFacts["errors"]): string {
  return Object.entries(errors)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 3)
    .map(([code]) => code)
    .join(", ");
}

function clientFaultHint(codes: readonly string[]): string {
  const all = codes.join();
  if (codes.some(isCertificateCode))
    return "Name an authority with --cacert or a name with --sni, or accept any certificate with --insecure";
  if (codes.some(isOwnCertificateCode)) return "The target wants a certificate that it trusts: use --cert and --key";
  if (codes.some(isNameCode))
    return "The target's name has no address now: look at the name and at DNS, or use --resolve";
  if (/EMFILE|ENFILE/.test(all))
    return "Too few open files are allowed: raise `ulimit -n`, or lower --rps or --timeout";
  if (codes.includes("ERR_NO_H2")) return "The target does not speak HTTP/2: leave --http2 out";
  if (/EACCES|EPERM/.test(all)) return "This user may not connect there: look at permissions and at the firewall";
  if (/EADDRNOTAVAIL/.test(all)) return "No port was left: widen the range of ephemeral ports, or lower --rps";
  return "The request itself may be at fault: look at the method, headers and body";
}
