/** What both protocols need to know of the request of a trial. */

/** Methods that may be sent twice (RFC 9110, 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);

export function isIdempotent(method: string): boolean {
  return IDEMPOTENT.has(method);
}

/** The user and password of a URL as Basic authorization (RFC 7617); undefined where it has none. */
export function basicAuthorization(url: URL): string | undefined {
  if (url.username === "") return undefined;
  const user = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(user).toString("base64")}`;
}
