import process from "node:process";
import { UsageError } from "./arguments.ts";
import { die } from "./serve-program.ts";

/** A target as a program. */
export interface Program<Options> {
  /** @throws UsageError for a mistake in the arguments. */
  parse(): Options | "help";
  help(): string;
  serve(options: Options): void | Promise<void>;
}

/** From the arguments to a server; a mistake in them is one line and exit code 2. @param name in front of that line. */
export async function runProgram<Options extends object>(name: string, program: Program<Options>): Promise<void> {
  const options = parsed(name, program);
  if (options === "help") process.stdout.write(program.help());
  else await program.serve(options);
}

function parsed<Options>(name: string, program: Program<Options>): Options | "help" {
  try {
    return program.parse();
  } catch (error) {
    if (error instanceof UsageError) die(name, `${error.message} (see --help)`, 2);
    throw error;
  }
}
