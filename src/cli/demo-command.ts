/** `demo`: the main job on the built-in target, with nothing to set. */

import { Command } from "commander";
import { abCommand, DEFAULT_PAUSE_SECONDS } from "./ab-command.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Host } from "./host.ts";
import { runLoadCommand } from "./load-command.ts";
import { addLoadOptions, type LoadFlags } from "./load-options.ts";
import type { Services } from "./services.ts";

/** The demo: eight seconds of about twice the built-in target's capacity, off and on, two pairs: under a minute. */
const DEMO = {
  vus: 100,
  duration: 8,
  pairs: 2,
  policy: { name: "sre", options: { k: "2", window: "8" } },
};

export function addDemoCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const defaults = addLoadOptions(new Command()).opts<LoadFlags>();
  program
    .command("demo")
    .description("ab on the built-in target at about twice its capacity; under a minute")
    .action(async () => {
      const flags: LoadFlags = { ...defaults, ...DEMO, pause: DEFAULT_PAUSE_SECONDS };
      finish(await runLoadCommand(host, services, flags, await abCommand("demo", host, flags, DEMO.pairs)));
    });
}
