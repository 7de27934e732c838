import { EXIT, type ExitCode } from "./exit-codes.ts";

/** An error that the user can do something about: one line, an exit code, no stack trace. */
export class CliError extends Error {
  override readonly name: string = "CliError";
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}
