/** The flag that names the HTTP/1.1 client which sends the requests. */

import type { TransportName } from "../../engine/trial-spec.ts";
import { DEFAULT_TRANSPORT } from "../../world/real/default-transport.ts";
import type { Add } from "./add-option.ts";
import { oneOf } from "./flag-values.ts";

const TRANSPORTS: readonly TransportName[] = ["wire", "undici"];

export interface TransportFlags {
  readonly transport?: TransportName;
  readonly http2?: boolean;
}

export function addTransportOption(add: Add): void {
  add(
    "--transport <client>",
    `the HTTP/1.1 client that sends: wire, our own and lean, or undici (default: ${DEFAULT_TRANSPORT})`,
    oneOf(TRANSPORTS),
  );
}

/** The client as resolved; undefined over HTTP/2, which has one of its own. */
export function transportOf({ transport, http2 }: TransportFlags): TransportName | undefined {
  return http2 === true ? undefined : (transport ?? DEFAULT_TRANSPORT);
}
