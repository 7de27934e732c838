/** What of undici (7.15 or later, 8) is used. It is not imported, so that whoever does not use it need not have it. */

export interface DispatchOptions {
  origin?: string | URL;
  path: string;
  method: string;
  body?: unknown;
  headers?: unknown;
  idempotent?: boolean;
}

export interface DispatchController {
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  // biome-ignore lint/suspicious/noExplicitAny: undici's own types differ from version to version.
  rawHeaders?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  rawTrailers?: any;
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

export type AnswerHeaders = Record<string, string | string[] | undefined>;

export interface DispatchHandler {
  onRequestStart?(controller: DispatchController, context: unknown): void;
  // biome-ignore lint/suspicious/noExplicitAny: a stream.Duplex, whose type is Node's.
  onRequestUpgrade?(controller: DispatchController, status: number, headers: AnswerHeaders, socket: any): void;
  onResponseStart?(controller: DispatchController, status: number, headers: AnswerHeaders, message?: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: a Buffer, whose type is Node's.
  onResponseData?(controller: DispatchController, chunk: any): void;
  onResponseEnd?(controller: DispatchController, trailers: AnswerHeaders): void;
  onResponseError?(controller: DispatchController, error: Error): void;
}

export type Dispatch = (options: DispatchOptions, handler: DispatchHandler) => boolean;

/** What `dispatcher.compose()` takes, in the types of whatever version of undici it is. */
export type Interceptor = <AnyDispatch extends (options: never, handler: never) => boolean>(
  dispatch: AnyDispatch,
) => AnyDispatch;
