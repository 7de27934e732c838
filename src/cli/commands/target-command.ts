/** `target`: a server to be overloaded, in the foreground, in a process of its own. */

import type { Command } from "commander";
import type { TargetName } from "../../world/real/target-process.ts";
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";

const TARGETS: Readonly<Record<TargetName, string>> = {
  overloadable: "burns CPU for what it accepts and for what it rejects (the default)",
  nginx: "nginx with limit_req before a slow upstream; needs nginx",
  haproxy: "HAProxy with maxconn and a queue time-out before a slow upstream; needs haproxy",
  null: "answers everything at once: what it is said to have taken is the client's own doing",
};

/** What every target's program has in common: it ends when its standard input closes. */
const EXIT_WITH_PARENT = "--exit-with-parent";

export function addTargetCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  program
    .command("target")
    .description(`run a target in the foreground: ${Object.keys(TARGETS).join(", ")}; --help tells more`)
    .allowUnknownOption()
    .helpOption(false)
    .argument("[name-and-flags...]")
    .action(async (words: string[]) => {
      const [first = ""] = words;
      const isNamed = isTargetName(first);
      if (!isNamed && !SPEC_OR_FLAG.test(first)) {
        const names = Object.keys(TARGETS).join(", ");
        throw new CliError(
          `target must be one of ${names}, or settings of the built-in one: current value is "${first}"`,
        );
      }
      const flags = isNamed ? words.slice(1) : words;
      if (!isNamed && flags.includes("--help")) host.stdout.write(listTargets());
      const { command, args } = services.targetCommand(isNamed ? first : "overloadable");
      finish((await host.runForeground(command, [...args, EXIT_WITH_PARENT, ...flags])) as ExitCode);
    });
}

/** A flag, settings such as `shed:queue=10`, or nothing. */
const SPEC_OR_FLAG = /^(-.*|(shed|fifo|slope|bernoulli)(:.*)?|)$/;

function isTargetName(word: string): word is TargetName {
  return Object.hasOwn(TARGETS, word);
}

function listTargets(): string {
  const width = Math.max(...Object.keys(TARGETS).map((name) => name.length));
  const rows = Object.entries(TARGETS).map(([name, what]) => `  ${name.padEnd(width)}  ${what}\n`);
  return `Usage: overload-bench target [NAME] [flags]\n\n${rows.join("")}\ntarget NAME --help tells its flags. Without a NAME:\n\n`;
}
