/** What the codes of errors say that are this side's doing: one reading for the transport and for the verdict. */

/** A certificate that we do not trust, in the words of OpenSSL and of the runtimes: a matter of our settings. */
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UnknownIssuer/;
/** The TLS alerts (RFC 8446, 6.2) by which the target says that it wants another certificate from us, or one at all. */
const OWN_CERTIFICATE = /ALERT_(\w*CERT|UNKNOWN_CA)/;
/** The codes of getaddrinfo and of DNS. */
const NAME = /^(DNS_)?(ENOTFOUND|ENODATA|ESERVFAIL|EAI_[A-Z]+)$/;

/** Whether the target's certificate did not verify. */
export function isCertificateCode(code: string): boolean {
  return CERTIFICATE.test(code) && !isOwnCertificateCode(code);
}

/** Whether the target did not take our certificate, or the lack of one. */
export function isOwnCertificateCode(code: string): boolean {
  return OWN_CERTIFICATE.test(code);
}

/** Whether no address could be found for the target's name. */
export function isNameCode(code: string): boolean {
  return NAME.test(code);
}

/**
 * The code of a request that a server did not begin with because it ended its HTTP/2 connection in order (RFC 9113, 6.8), as
 * nginx does after a thousand: the server says so itself, and the request is safely sent again.
 */
export const ORDERLY_END_CODE = "H2_GOAWAY_NO_ERROR";
