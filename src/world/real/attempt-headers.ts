/** The headers that belong to one attempt, beside those of every request. */

import type { Call } from "../../engine/call.ts";
import { CRITICALITY_NAMES } from "../../policy/criticality.ts";

/** The policy's own, and how much the call matters where calls differ. */
export class AttemptHeaders {
  /** By criticality. */
  readonly #fields: readonly (readonly string[])[] | undefined;

  /** @param criticalityHeader the name of the header that tells it; undefined: none does. */
  constructor(criticalityHeader: string | undefined) {
    if (criticalityHeader !== undefined) this.#fields = CRITICALITY_NAMES.map((name) => [criticalityHeader, name]);
  }

  /** Name, value, ... */
  of({ requestHeaders, criticality }: Call): readonly string[] | undefined {
    const fields = this.#fields?.[criticality];
    if (fields === undefined || requestHeaders === undefined) return fields ?? requestHeaders;
    return [...fields, ...requestHeaders];
  }
}
