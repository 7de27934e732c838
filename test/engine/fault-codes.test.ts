import { describe, expect, it } from "vitest";
import { isCertificateCode, isNameCode, isOwnCertificateCode } from "../../src/engine/fault-codes.ts";

describe("fault codes", () => {
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
  ])("of %s: %s", (code, whose) => {
    expect([isCertificateCode(code), isOwnCertificateCode(code), isNameCode(code)]).toEqual([
      whose === "theirs",
      whose === "ours",
      whose === "name",
    ]);
  });
});
