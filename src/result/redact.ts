/**
 * Keeps secrets out of result files. What must be hidden is told by its name: header fields and query parameters with a
 * name such as `Authorization` or `api_key`, and the user information of a URL. Everything else stays byte for byte.
 */

const REDACTED = "REDACTED";

/** Anywhere in a name. */
const SECRET_PART =
  /authori[sz]|authenti|cookie|token|key|secret|passw|passphrase|credential|session|signature|bearer|jwt|private/u;
/** As a word of its own in a name: inside others (`author`, `design`) these letters mean nothing. */
const SECRET_WORD = /(?:^|[^a-z0-9])(?:x?auth|sig|sid|pass|pwd|pw|pin|otp|code|nonce|csrf|xsrf)(?:$|[^a-z0-9])/u;
/** A value that is a credential whatever its name. */
const SECRET_VALUE = /^\s*(?:basic|bearer|digest|negotiate|ntlm|hmac|aws4-hmac-sha256)\s+\S/iu;

/**
 * Header fields with the values of the sensitive ones replaced by `REDACTED`.
 *
 * @param headers pairs of name and value.
 */
export function redactHeaders(headers: readonly (readonly [string, string])[]): [string, string][] {
  return headers.map(([name, value]) => [name, isSecretName(name) || SECRET_VALUE.test(value) ? REDACTED : value]);
}

/**
 * A URL with its user information and the values of its sensitive parameters, in the query and in the fragment, replaced
 * by `REDACTED`. Text that is no URL is treated as one that might have been meant.
 */
export function redactUrl(url: string): string {
  const [, locator = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/su.exec(hideUser(url)) ?? [];
  return locator + hideParameters(query) + hideParameters(fragment);
}

function isSecretName(name: string): boolean {
  // `apiKey` and `userPwd` are two words each.
  const words = name.replace(/([a-z0-9])([A-Z])/gu, "$1-$2").toLowerCase();
  return SECRET_PART.test(words) || SECRET_PART.test(words.replace(/[^a-z0-9]/gu, "")) || SECRET_WORD.test(words);
}

function hideUser(url: string): string {
  // Browsers' rules (WHATWG): http needs no slashes, takes any number of them, and backslashes too.
  const scheme = /^\s*(?:(?:https?|wss?|ftp):|[a-z][a-z0-9+.-]*:(?=[/\\]))?[/\\\s]*/iu.exec(url)?.[0] ?? "";
  const rest = url.slice(scheme.length);
  // In text that is no URL, a password with an unescaped `/`, `?` or `#` may be the reason: then everything up to the
  // last `@` is hidden.
  const authority = URL.canParse(url) ? (/^[^/\\?#]*/u.exec(rest)?.[0] ?? "") : rest;
  const at = authority.lastIndexOf("@");
  return at <= 0 ? url : scheme + REDACTED + rest.slice(at);
}

/** @param text with its leading `?` or `#`. */
function hideParameters(text: string): string {
  return text.replace(/[^&]+/gu, hideParameter);
}

/** @param text what stands between two `&`. A sensitive name hides all that follows, also a `;` or `?` of the value. */
function hideParameter(text: string): string {
  for (const match of text.matchAll(/(?<=^|[?#;])([^?#;=]*)=/gu)) {
    const end = match.index + match[0].length;
    if (end < text.length && isSecretName(unescapeAscii(match[1] ?? ""))) return text.slice(0, end) + REDACTED;
  }
  return text;
}

/** Percent-decoding that cannot fail; the names looked for are ASCII. */
function unescapeAscii(text: string): string {
  return text.replace(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
