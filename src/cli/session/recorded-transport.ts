/** Which HTTP/1.1 client a recorded experiment was sent by. */

import type { TransportName } from "../../engine/trial-spec.ts";
import type { Result } from "../../result/schema.ts";

interface RecordedWorld {
  readonly kind?: unknown;
  readonly transport?: TransportName;
  readonly connections?: { readonly http2?: unknown };
}

/** @returns undefined where there is none: a simulation, HTTP/2. Of records that do not say it, undici was the only one. */
export function recordedTransport({ world }: Result["config"]): TransportName | undefined {
  const { kind, transport, connections } = (world ?? {}) as RecordedWorld;
  if (kind !== "real" || connections?.http2 === true) return undefined;
  return transport ?? "undici";
}

/** The options of a record as they would stand there today. */
export function withTransport(config: Result["config"]): Result["config"] {
  const transport = recordedTransport(config);
  return transport === undefined ? config : { ...config, world: { ...(config.world as object), transport } };
}
