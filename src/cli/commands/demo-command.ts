/** `demo`: the main job on the built-in target, with nothing to set. */

import { Command } from "commander";
import { renderAb } from "../../report/ab-text.ts";
import type { ExitCode } from "../exit-codes.ts";
import { adderFor } from "../flags/add-option.ts";
import { DEFAULT_PAUSE_SECONDS } from "../flags/experiment-options.ts";
import { addLoadOptions, type LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { addExportOptions, type ExportFlags } from "../session/exports.ts";
import { type LoadCommand, runLoadCommand } from "../session/load-command.ts";
import { offAndOn } from "./ab-command.ts";

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
  const command = program
    .command("demo")
    .description("ab on the built-in target at about twice its capacity, with a report; under a minute");
  addExportOptions(adderFor(command));
  command.action(async (_flags: unknown, demo: Command) => {
    const asked = demo.opts<ExportFlags>();
    const flags: LoadFlags = { ...defaults, ...DEMO, ...asked, pause: DEFAULT_PAUSE_SECONDS };
    const arms = await offAndOn(host, flags);
    const load: LoadCommand = { command: "demo", asked: demo, arms, pairs: DEMO.pairs, page: true, render: renderAb };
    finish(await runLoadCommand(host, services, flags, load));
  });
}
