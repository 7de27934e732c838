/**
 * A part of an answer as it is read: status line, field lines, chunks. Bytes come in pieces that may end anywhere, so each part
 * remembers where in its grammar it stands.
 */

import type { RefusalCode } from "./refusals.ts";

export interface Part {
  /** The whole part has been read. */
  readonly done: boolean;
  /** Set at the first byte that is wrong. */
  readonly refusal: RefusalCode | "";
  /**
   * Reads on in bytes[at .. to).
   *
   * @returns the index behind what it took: `to`, unless it is done or refuses.
   */
  read(bytes: Uint8Array, at: number, to: number): number;
}
