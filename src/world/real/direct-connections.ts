import type { ConnectionSpec } from "../../engine/trial-spec.ts";

/** The plain way to a server of our own on loopback: none of what flags may say of the way to the target. */
export const DIRECT_CONNECTIONS: ConnectionSpec = {
  preopen: 0,
  maxRequests: undefined,
  http2: false,
  unixPath: undefined,
  tls: { insecure: false, ca: undefined, cert: undefined, key: undefined, serverName: undefined },
  resolve: [],
  dnsTtlSeconds: 30,
  maxResponseBytes: 1e6,
};
