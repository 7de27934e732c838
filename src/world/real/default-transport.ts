/** Which HTTP/1.1 client sends the requests when nobody says. */

import type { TransportName } from "../../engine/trial-spec.ts";

export const DEFAULT_TRANSPORT: TransportName = "wire";
