import { describe, expect, it } from "vitest";
import { faultOf as faultOfAttempt } from "../../src/adapters/fault-of.ts";
import { faultTold, isCertificateCode, isNameCode, isOwnCertificateCode } from "../../src/policy/fault-codes.ts";
import type { Fault } from "../../src/policy/policy.ts";
import { errorCodeOf, faultOf as faultOfCode } from "../../src/world/real/faults.ts";

/** As the harness reads an error. */
function faultInTrial(error: Error): Fault {
  return faultOfCode(errorCodeOf(error), error.message);
}

function coded(code: string, message = ""): Error {
  return Object.assign(new Error(message), { code });
}

function named(name: string, message = ""): Error {
  return Object.assign(new Error(message), { name });
}

/** What each way gives for an error, and for the same one as the cause of another. */
function readings(error: Error): Fault[] {
  const wrapped = new TypeError("fetch failed", { cause: error });
  return [faultInTrial(error), faultOfAttempt(error), faultOfAttempt(wrapped)];
}

const CODES: Readonly<Record<Exclude<Fault, "none" | "stale">, readonly string[]>> = {
  refused: ["ECONNREFUSED", "ConnectionRefused", "EHOSTUNREACH", "ENETUNREACH", "ENOENT", "EAGAIN"],
  reset: [
    "ECONNRESET",
    "ECONNABORTED",
    "EPIPE",
    "ConnectionReset",
    "UND_ERR_SOCKET",
    "HPE_INVALID_EOF_STATE",
    "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
    "H1_NO_ANSWER",
    "H1_CUT_HEAD",
    "H1_CUT_BODY",
  ],
  timeout: ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"],
  client: [
    "EMFILE",
    "ENFILE",
    "EADDRNOTAVAIL",
    "EADDRINUSE",
    "EAFNOSUPPORT",
    "ENOBUFS",
    "ENOMEM",
    "EACCES",
    "EPERM",
    "ENOTFOUND",
    "ENODATA",
    "ESERVFAIL",
    "EAI_AGAIN",
    "EAI_NONAME",
    "DNS_ENOTFOUND",
    "ERR_INVALID_URL",
    "ERR_INVALID_ARG_VALUE",
    "ERR_NO_H2",
    "UND_ERR_INVALID_ARG",
    "UND_ERR_NOT_SUPPORTED",
    "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH",
    "UND_ERR_DESTROYED",
    "UND_ERR_CLOSED",
    "H1_REQUEST_FIELD",
    "CERT_HAS_EXPIRED",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "ERR_SSL_TLSV1_ALERT_UNKNOWN_CA",
  ],
  other: [
    "UND_ERR_RES_EXCEEDED_MAX_SIZE",
    "UND_ERR_HEADERS_OVERFLOW",
    "ERR_SSL_WRONG_VERSION_NUMBER",
    "H1_BARE_LF",
    "SomethingNew",
  ],
};

describe.each(Object.entries(CODES))("codes of the fault %s", (fault, codes) => {
  it.each(codes)("%s: as the harness reads it, so do the adapters", (code) => {
    expect(readings(coded(code, "whatever it says"))).toEqual([fault, fault, fault]);
    expect(faultTold(code, "") ?? "other").toBe(fault);
  });
});

describe("errors without a code of their own", () => {
  it.each([
    // One code of undici's for two things.
    [coded("UND_ERR_SOCKET", "other side closed"), "reset"],
    [coded("UND_ERR_SOCKET", "bad response"), "other"],
    [coded("UND_ERR_SOCKET", "bad upgrade"), "other"],
    // An answer that the connection's end cut short, and one that is no HTTP.
    [named("HTTPParserError", "Response does not match the HTTP/1.1 protocol (Invalid EOF state)"), "reset"],
    [named("HTTPParserError", "Response does not match the HTTP/1.1 protocol (Expected HTTP/)"), "other"],
    [named("TimeoutError", "The operation was aborted due to timeout"), "timeout"],
    [new Error("client error (Connect): tcp connect error: Connection refused (os error 111)"), "refused"],
    [new Error("client error (Connect): tcp connect error: No route to host (os error 113)"), "refused"],
    [new Error("client error (SendRequest): connection closed before message completed"), "reset"],
    [new Error("client error (Connect): tcp connect error: Connection timed out (os error 110)"), "timeout"],
    [new Error("client error (Connect): dns error: the look-up timed out"), "client"],
    [new Error("client error (Connect): tcp open error: Too many open files (os error 24)"), "client"],
    [new Error("client error (Connect): invalid peer certificate: UnknownIssuer"), "client"],
    [new Error("client error (SendRequest): received fatal alert: CertificateRequired"), "client"],
    [new Error("client error (SendRequest): received fatal alert: BadCertificate"), "client"],
    [new Error("client error (Connect): received fatal alert: HandshakeFailure"), "other"],
    [new Error("Invalid URL: 'nope'"), "client"],
    [new Error("Url scheme 'ftp' not supported"), "client"],
    [new Error("unknown scheme"), "client"],
    [new Error("Fetch failed: Requests to port 1 are blocked"), "client"],
    [new Error("client error (SendRequest): invalid HTTP version parsed"), "other"],
    [new Error("no idea"), "other"],
  ] as const)("%s: %s", (error, fault) => {
    expect(readings(error)).toEqual([fault, fault, fault]);
  });
});

describe("what is wrong with a certificate or a name", () => {
  it.each([
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "theirs"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "theirs"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "theirs"],
    ["CERT_HAS_EXPIRED", "theirs"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "theirs"],
    ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "ours"],
    ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "ours"],
    ["ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE", "ours"],
    ["ENOTFOUND", "name"],
    ["EAI_AGAIN", "name"],
    ["EAI_NONAME", "name"],
    ["DNS_ENOTFOUND", "name"],
    ["ECONNREFUSED", "none"],
    ["ECONNRESET", "none"],
    ["EAGAIN", "none"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "none"],
    ["timeout", "none"],
  ])("%s: %s", (code, whose) => {
    expect([isCertificateCode(code), isOwnCertificateCode(code), isNameCode(code)]).toEqual([
      whose === "theirs",
      whose === "ours",
      whose === "name",
    ]);
  });
});
