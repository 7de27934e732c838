import * as nodeFs from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, extname, join } from "node:path";
import { FileJournal, type Journal } from "./journal-file.ts";
import { JOURNAL_VERSION, type WrittenHeader } from "./journal-schema.ts";
import { JOURNAL_EXTENSION } from "./journals.ts";
import { ownIdentity } from "./process-identity.ts";
import { createFile, discard, type FileSystem, publishFile, replaceFile } from "./publish.ts";
import { resultName } from "./result-name.ts";
import { type Result, resultSchema } from "./schema.ts";
import { describeIssue } from "./schema-issue.ts";
import { describeFault, StoreError } from "./store-error.ts";

/** Where a result went. */
export interface SavedResult {
  readonly path: string;
  /** Why it is not where it was wanted; absent when it is. */
  readonly fallbackReason?: string;
}

/** Keeps the results of one experiment. */
export interface ResultStore {
  /**
   * Checks, before anything is measured, that the result can be saved.
   *
   * @throws StoreError with code `not-writable` or `exists`.
   */
  prepare(): Promise<void>;

  /**
   * Saves the result so far, in place of what was saved before (`final: false`), or the finished one under a name of its
   * own that never was there (`final: true`).
   *
   * @throws StoreError with code `invalid-result` (it was written all the same, to the error's path) or `unsaved`.
   */
  save(result: Result, options: { readonly final: boolean }): Promise<SavedResult>;

  /**
   * Begins a journal beside the result, `<name>.journal.jsonl`, to be removed when the result has been saved.
   *
   * @param failed is told, once, when it cannot be written; nothing else comes of that.
   */
  startJournal(header: ExperimentHeader, failed: (why: string) => void): Promise<Journal | undefined>;
}

/** The first line of a journal, but for what every journal has. */
export type ExperimentHeader = Omit<WrittenHeader, "kind" | "journalVersion" | "writer">;

export interface FileStoreOptions {
  /** Folder for results, created when needed. Default `results`. */
  readonly folder?: string;
  /** The file of the final result. Default: a file in `folder`, named after time, command and label. */
  readonly output?: string;
  /** The same, but with a number in its name where that file exists. `output` goes before it. */
  readonly suggested?: string;
  /** Wall time of the start of the experiment. */
  readonly startedAt: Date;
  readonly command: string;
  /** A word of the user's that becomes part of the name. */
  readonly label?: string;
  /** Where results go that cannot be written where they belong. Default: the system's folder for temporary files. */
  readonly fallbackFolder?: string;
  /** Default `node:fs/promises`. */
  readonly fs?: FileSystem;
}

type Kind = "final" | "partial" | "invalid";

const EXTENSION: Readonly<Record<Kind, string>> = { final: "", partial: ".partial", invalid: ".invalid" };

/** Results as files: `<name>.partial.json` while the experiment goes on, `<name>.json` in the end. */
export class FileResultStore implements ResultStore {
  readonly #fs: FileSystem;
  readonly #output: string | undefined;
  /** Path of the final result without its extension. */
  readonly #stem: string;
  readonly #extension: string;
  readonly #fallbackStem: string;
  #partialPath: string | undefined;

  constructor(options: FileStoreOptions) {
    this.#fs = options.fs ?? nodeFs;
    this.#output = options.output;
    const path =
      options.output ??
      options.suggested ??
      join(options.folder ?? "results", `${resultName(options.startedAt, options.command, options.label)}.json`);
    this.#extension = extname(path);
    this.#stem = path.slice(0, path.length - this.#extension.length);
    this.#fallbackStem = join(options.fallbackFolder ?? tmpdir(), `overload-bench-${basename(this.#stem)}`);
  }

  async prepare(): Promise<void> {
    if (this.#output !== undefined && (await this.#exists(this.#output))) {
      const problem = `Cannot write to '${this.#output}' as it exists and results are never overwritten`;
      throw new StoreError("exists", this.#output, problem, "remove it or give --output another name");
    }
    const folder = dirname(this.#stem);
    try {
      await this.#fs.mkdir(folder, { recursive: true });
      const probe = `${this.#stem}.probe`;
      await discard(this.#fs, await publishFile(this.#fs, probe, ".tmp", "probe\n", 0o666));
    } catch (cause) {
      const problem = `Cannot write results to '${folder}': ${describeFault(cause)}`;
      throw new StoreError("not-writable", folder, problem, "name a file in another folder with --output", { cause });
    }
  }

  async save(result: Result, { final }: { readonly final: boolean }): Promise<SavedResult> {
    const text = `${JSON.stringify(result, undefined, 2)}\n`;
    const parsed = resultSchema.safeParse(result);
    const saved = await this.#write(parsed.success ? (final ? "final" : "partial") : "invalid", text);
    if (!parsed.success) {
      const problem = `Internal error: the result breaks its own schema at ${describeIssue(parsed.error)}`;
      throw new StoreError(
        "invalid-result",
        saved.path,
        problem,
        `it was written to '${saved.path}', please report it`,
      );
    }
    if (final && this.#partialPath !== undefined) {
      await discard(this.#fs, this.#partialPath);
      this.#partialPath = undefined;
    }
    return saved;
  }

  async startJournal(header: ExperimentHeader, failed: (why: string) => void): Promise<Journal | undefined> {
    try {
      const writer = await ownIdentity();
      const { path, file } = await createFile(this.#fs, this.#stem, JOURNAL_EXTENSION, 0o666);
      const journal = new FileJournal(path, file, failed);
      journal.append({ kind: "header", journalVersion: JOURNAL_VERSION, writer, ...header });
      return journal;
    } catch (error) {
      failed(`'${this.#stem}${JOURNAL_EXTENSION}' cannot be written: ${describeFault(error)}`);
      return undefined;
    }
  }

  async #write(kind: Kind, text: string): Promise<SavedResult> {
    try {
      await this.#fs.mkdir(dirname(this.#stem), { recursive: true });
      return { path: await this.#writeTo(this.#stem, kind, text, 0o666) };
    } catch (first) {
      const fallbackReason = `'${dirname(this.#stem)}' could not be written: ${describeFault(first)}`;
      try {
        // Readable by the user alone: the folder for temporary files is everybody's.
        return { path: await this.#writeTo(this.#fallbackStem, kind, text, 0o600), fallbackReason };
      } catch (second) {
        const problem = `Cannot save the result: ${fallbackReason}, and '${dirname(this.#fallbackStem)}' neither: ${describeFault(second)}`;
        const hint = "it is printed instead";
        throw new StoreError("unsaved", this.#stem + this.#extension, problem, hint, { cause: first, json: text });
      }
    }
  }

  async #writeTo(stem: string, kind: Kind, text: string, mode: number): Promise<string> {
    const extension = EXTENSION[kind] + (this.#extension === "" && kind !== "final" ? ".json" : this.#extension);
    if (kind !== "partial") return await publishFile(this.#fs, stem, extension, text, mode);
    const own = this.#partialPath;
    if (own !== undefined && dirname(own) === dirname(stem)) {
      await replaceFile(this.#fs, own, text, mode);
      return own;
    }
    // The first time the name must be a new one: another experiment's partial result is not ours to replace.
    this.#partialPath = await publishFile(this.#fs, stem, extension, text, mode);
    if (own !== undefined) await discard(this.#fs, own);
    return this.#partialPath;
  }

  async #exists(path: string): Promise<boolean> {
    return await this.#fs.lstat(path).then(
      () => true,
      () => false,
    );
  }
}
