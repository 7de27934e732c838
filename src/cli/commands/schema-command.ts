/** `schema`: the JSON Schemas of what the program writes and reads. */

import { Argument, type Command } from "commander";
import { comparisonJsonSchema, resultJsonSchema } from "../../result/json-schema.ts";
import { configJsonSchema } from "../config/config-schema.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Host } from "../host.ts";

const DOCUMENTS = ["result", "config", "comparison"] as const;

/** @param finish takes the exit code of the command that ran. */
export function addSchemaCommand(program: Command, host: Host, finish: (code: ExitCode) => void): void {
  program
    .command("schema")
    .description("print the JSON Schema of the result file, of configuration files, or of a comparison")
    .addArgument(new Argument("[document]", "which one").choices([...DOCUMENTS]).default("result"))
    .action((document: (typeof DOCUMENTS)[number]) => {
      host.stdout.write(`${JSON.stringify(schemaOf(document, program.commands), undefined, 2)}\n`);
      finish(EXIT.ok);
    });
}

function schemaOf(document: (typeof DOCUMENTS)[number], commands: readonly Command[]): Record<string, unknown> {
  switch (document) {
    case "result":
      return resultJsonSchema();
    case "config":
      return configJsonSchema(commands);
    case "comparison":
      return comparisonJsonSchema();
    default:
      return document satisfies never;
  }
}
