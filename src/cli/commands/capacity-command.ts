/** `capacity`: how much the target takes, at a share of failed attempts that is declared bearable. */

import type { Command } from "commander";
import type { GovernorSpec } from "../../engine/trial-spec.ts";
import { formatNumber } from "../../figures/number-format.ts";
import { parseCount } from "../../plan/units.ts";
import { renderCapacity } from "../../report/capacity-text.ts";
import { CliError } from "../cli-error.ts";
import type { ExitCode } from "../exit-codes.ts";
import { type Add, adderFor, longName } from "../flags/add-option.ts";
import { planArm } from "../flags/arm-policy.ts";
import { addRepeatOptions, addResumeOption } from "../flags/experiment-options.ts";
import { positiveDuration } from "../flags/flag-values.ts";
import { addGovernorOption, boundedGovernor } from "../flags/governor-flag.ts";
import { searchText } from "../flags/governor-words.ts";
import { addLoadOptions, type LoadFlags } from "../flags/load-options.ts";
import type { PolicyChoice } from "../flags/policy-flag.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { withCapacity } from "../session/capacity-conclusion.ts";
import { type LoadCommand, runLoadCommand } from "../session/load-command.ts";

interface CapacityFlags extends Omit<LoadFlags, Omitted> {
  readonly maxConcurrency?: number;
  readonly repeats: number;
}

/** What says when calls arrive, which the governor does here. */
type Omitted = "rps" | "stages" | "sine" | "replay" | "replaySpeed" | "warmup";

const OMITTED: ReadonlySet<string> = new Set(["--rps", "--stages", "--sine", "--replay", "--replay-speed", "--warmup"]);

const DURATION_SECONDS = 180;
const NO_POLICY: PolicyChoice = { name: "none", options: {} };

const HELP = `
The search begins with one call per second and doubles the load every two seconds while attempts succeed. Once more than 5 % of
them fail it backs off, by as much as failed, remembers where that was, and comes back to it in small steps. When the load has
stayed within 15 % for 12 windows the search ends: what came back ok meanwhile is the capacity, at that share of failures.

Examples:
  $ overload-bench capacity                                                of the built-in target
  $ overload-bench capacity --url http://127.0.0.1:8080/ --max-rps 2000    of yours, and never more than 2,000/s
  $ overload-bench capacity --url https://staging.example.com/ --allow staging.example.com --abort-on 'p99>500ms:5s'
  $ overload-bench capacity --sim shed:capacity=400                        in simulation
  $ overload-bench capacity --governor high=1%,window=5s --repeats 3       at another bound, three times
  $ overload-bench capacity --governor control=concurrency --max-concurrency 64 --vus 64
                                                                           in calls at once, by a closed loop
  $ overload-bench ab --rps 2x-capacity                                    clients at twice the capacity, which is found first

Exit codes: 0 found, also where the ceiling ended it; 4 the load did not come to rest, more failed than declared, or the
measurement is invalid; others as for all commands.`;

export function addCapacityCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("capacity")
    .description(
      "how much the target takes, found without assaulting it: the load rises until attempts fail, and settles",
    );
  addLoadOptions(command, governedFlags(adderFor(command))).optionsGroup("Search:");
  const add = adderFor(command);
  addGovernorOption(add);
  add("--max-concurrency <count>", "with control=concurrency: the most calls at once (default: --vus)", parseCount);
  addRepeatOptions(add, 1, "searches, each with arrivals of its own; with several the interval is that between them");
  addResumeOption(add);
  command.addHelpText("after", HELP);
  command.action(async (_flags: unknown, asked: Command) => {
    const flags = asked.opts<CapacityFlags>();
    const governor = governorOf(flags);
    const { governor: _, ...load } = { ...flags, duration: flags.duration ?? DURATION_SECONDS, warmup: 0 };
    const arms = [await planArm(host, flags)];
    const planned = { ...load, rps: governor.control === "rate" ? governor.start : 1 };
    finish(await runLoadCommand(host, services, planned, capacityCommand(asked, arms, flags, governor)));
  });
}

function capacityCommand(
  asked: Command,
  arms: LoadCommand["arms"],
  { repeats, duration = DURATION_SECONDS }: CapacityFlags,
  governor: GovernorSpec,
): LoadCommand {
  return {
    command: "capacity",
    asked,
    arms,
    pairs: repeats,
    governor,
    confirms: mostOf(governor),
    remarks: [searchText(governor, duration)],
    concluded: withCapacity,
    render: renderCapacity,
  };
}

/** Adds flags as they are, but for those that the governor answers, and those that have another default here. */
function governedFlags(add: Add): Add {
  return (flags, text, parse, fallback, fallbackText) => {
    const name = longName(flags);
    if (OMITTED.has(name)) return;
    switch (name) {
      case "--duration":
        add(flags, "how long the search may take (default: 3m)", positiveDuration);
        return;
      case "--arrival":
        add(flags, "constant or poisson", parse, { law: "constant" }, "constant");
        return;
      case "--policy":
        add(flags, text, parse, NO_POLICY, "none");
        return;
      case "--workers":
        add(flags, "with --sim searches at a time (default: as many as processors)", parse);
        return;
      default:
        add(flags, text, parse, fallback, fallbackText);
    }
  };
}

/** @throws CliError */
function governorOf(flags: CapacityFlags): GovernorSpec {
  const { governor: given, maxRps, maxConcurrency, vus, arrival, sim, workers = 1 } = flags;
  const governor = boundedGovernor(given, { maxRps, maxConcurrency, users: vus });
  if (arrival.law !== "constant" && arrival.law !== "poisson") {
    throw new CliError(
      `--arrival must be constant or poisson, as the search says how many: current value is "${arrival.law}"`,
    );
  }
  if (sim === undefined && workers > 1) {
    throw new CliError(`--workers is for --sim: a search drives one thread: current value is "${workers}"`);
  }
  return governor;
}

/** For the question whether that may be sent. */
function mostOf({ control, ceiling }: GovernorSpec): string {
  if (control === "concurrency") return `up to ${formatNumber(ceiling)} calls at once`;
  return Number.isFinite(ceiling) ? `up to ${formatNumber(ceiling)} calls/s` : "as many calls/s as it takes";
}
