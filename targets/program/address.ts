/** `HOST:PORT` as URLs write it, `[::1]:80` with an address of IPv6. */
export function addressOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Where a client on this machine reaches a server that is bound to `host`. */
export function urlOf(scheme: "http" | "https", host: string, port: number): string {
  const isAny = host === "0.0.0.0" || host === "::";
  return `${scheme}://${addressOf(isAny ? "127.0.0.1" : host, port)}`;
}
