/** What of `fetch` is used, so that any implementation of it can be wrapped: this runtime's, undici's, a test's. */

import type { WebStream } from "./drain-body.ts";

export interface FetchAnswer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: WebStream | null;
}

export type Fetch<Input, Init, Answer extends FetchAnswer> = (input: Input, init?: Init) => Promise<Answer>;

/** The members of a `RequestInit` that are looked at. */
export interface FetchInit {
  readonly method?: string | undefined;
  readonly body?: unknown;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly signal?: AbortSignal | null | undefined;
}

/** A `Request`, as far as it is looked at. */
export interface FetchRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

/** A `URL` has no `url`, a `Request` has. */
export function isFetchRequest(input: unknown): input is FetchRequest {
  return typeof input === "object" && input !== null && "url" in input;
}
