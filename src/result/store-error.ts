/**
 * Why a result could not be read or written.
 *
 * - `not-writable`: the folder cannot be created or written;
 * - `exists`: the output file is already there, and nothing is ever overwritten;
 * - `invalid-result`: the document breaks the schema;
 * - `unsaved`: nowhere could the result be written; {@link StoreError.json} holds it;
 * - `not-readable`, `not-json`, `wrong-version`: a file that is no result this program can read;
 * - `broken-journal`: a journal from which no result can be put together.
 */
export type StoreErrorCode =
  | "not-writable"
  | "exists"
  | "invalid-result"
  | "unsaved"
  | "not-readable"
  | "not-json"
  | "wrong-version"
  | "broken-journal";

/** An expected failure of the result store. Its message is one line: the path, the rule, and what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly code: StoreErrorCode;
  /** The file or folder in question. */
  readonly path: string;
  /** What to do about it. Part of the message. */
  readonly hint: string;
  /** The result document, where it could not be written: print it, so that nothing measured is lost. */
  readonly json: string | undefined;

  constructor(
    code: StoreErrorCode,
    path: string,
    problem: string,
    hint: string,
    options: { cause?: unknown; json?: string } = {},
  ) {
    super(`${problem}; ${hint}`.replace(/\s+/gu, " "), { cause: options.cause });
    this.code = code;
    this.path = path;
    this.hint = hint;
    this.json = options.json;
  }
}

/** What went wrong in words, for an error of the file system: `permission denied (EACCES)`. */
export function describeFault(error: unknown): string {
  const code = errorCode(error);
  const words = code === undefined ? undefined : FAULTS[code];
  if (words !== undefined) return `${words} (${code})`;
  return code ?? (error instanceof Error ? error.message : String(error));
}

/** The code of an error of the file system, such as `EEXIST`. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

const FAULTS: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EDQUOT: "the disk quota is used up",
  EEXIST: "something else has that name",
  EISDIR: "it is a folder",
  ENAMETOOLONG: "the name is too long",
  ENOENT: "there is no such file or folder",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is no folder",
  EPERM: "not permitted",
  EROFS: "the file system is read-only",
};
