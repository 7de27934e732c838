import type { Result } from "../result/schema.ts";

/** A result and what to call it: its file's name. */
export interface NamedResult {
  readonly name: string;
  readonly result: Result;
}
