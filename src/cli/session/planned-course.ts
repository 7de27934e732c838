/** What a command is about to do: its experiment, and before that, where its load is a multiple of it, the search for a capacity. */

import { capacityOf, type FoundCapacity } from "../../experiment/found-capacity.ts";
import { describeGovernor } from "../flags/governor-flag.ts";
import { checkTogether, type LoadFlags } from "../flags/load-options.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { type MultipleLoads, multipleLoads, UNKNOWN_RPS, withoutRates } from "./capacity-loads.ts";
import { planSearch } from "./capacity-search.ts";
import type { LoadCommand } from "./load-command.ts";
import { type PlannedExperiment, planExperiment } from "./planned-experiment.ts";
import { type Resumption, readPartial, resumptionOf } from "./resume.ts";

/** An experiment, and what it is run for. */
export interface KnownExperiment {
  readonly command: LoadCommand;
  readonly planned: PlannedExperiment;
}

/** The search for a capacity, and what follows it. */
export interface PlannedSearch {
  readonly experiment: PlannedExperiment;
  /** The experiment at multiples of what was found. @throws CliError when that is no load for it. */
  planAt(found: FoundCapacity): Promise<KnownExperiment>;
}

export interface PlannedCourse {
  /** The experiment as far as it is known now. */
  readonly known: KnownExperiment;
  /** Loads that are multiples, if there are. */
  readonly loads: MultipleLoads | undefined;
  /** What comes first. Undefined where all loads are figures, and where the capacity is known from before. */
  readonly search: PlannedSearch | undefined;
  readonly resumption: Resumption | undefined;
}

/** Reads what files the flags name; starts nothing. @throws CliError */
export async function planCourse(
  host: Host,
  services: Services,
  flags: LoadFlags,
  command: LoadCommand,
): Promise<PlannedCourse> {
  checkTogether(flags);
  const { resume } = flags;
  const before = resume === undefined ? undefined : await readPartial(host, services, resume);
  const loads = multipleLoads(flags, command);
  const plan = async (found: FoundCapacity | undefined): Promise<KnownExperiment> => {
    if (loads === undefined) return { command, planned: await planExperiment(host, services, flags, command) };
    const at = await loads.at(found?.capacity.goodput ?? UNKNOWN_RPS);
    const planned = await planExperiment(host, services, at.flags, at.command);
    const { governor } = planSearch(planned, flags).common;
    const config = { ...planned.config, ...(governor === undefined ? {} : { governor: describeGovernor(governor) }) };
    return { command: at.command, planned: { ...planned, config, ...(found === undefined ? {} : { found }) } };
  };
  const found = loads === undefined ? undefined : (flags.found ?? (before && capacityOf(before)));
  const asked = await plan(found);
  const isSought = loads !== undefined && found === undefined;
  const said = isSought ? { ...asked, planned: withoutRates(asked.planned, loads) } : asked;
  const resumption =
    resume === undefined || before === undefined ? undefined : resumptionOf(services, resume, before, said.planned);
  return {
    known: continued(said, resumption),
    loads,
    search: isSought
      ? {
          experiment: planSearch(asked.planned, flags),
          planAt: async (capacity) => continued(await plan(capacity), resumption),
        }
      : undefined,
    resumption,
  };
}

function continued({ command, planned }: KnownExperiment, resumption: Resumption | undefined): KnownExperiment {
  if (resumption === undefined) return { command, planned };
  const { resumed, remarks } = resumption;
  return { command, planned: { ...planned, resumed, remarks: [...planned.remarks, ...remarks] } };
}
