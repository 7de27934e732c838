/** `calibrate`: how much load this generator can make on this machine, and whether a plan fits into that. */

import { Command } from "commander";
import type { TrialSpec } from "../../engine/trial-spec.ts";
import { type Fit, fitOf } from "../../experiment/ceiling.ts";
import { formatPercent } from "../../figures/number-format.ts";
import { peakRps } from "../../plan/describe.ts";
import { parseSine, parseStages } from "../../plan/load-text.ts";
import type { PlanSpec } from "../../plan/plan.ts";
import { parseCount } from "../../plan/units.ts";
import { calibrationText, stepText } from "../../report/calibration-text.ts";
import type { Calibration, CalibrationReport } from "../../result/calibration-schema.ts";
import type { NewFile } from "../../result/new-file.ts";
import { StoreError } from "../../result/store-error.ts";
import { DEFAULT_TRANSPORT } from "../../world/real/default-transport.ts";
import { CliError } from "../cli-error.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { type Add, adderFor } from "../flags/add-option.ts";
import { parseArrival, resolvePlan } from "../flags/arrival-options.ts";
import { isMultiple, multipleText, parseRps } from "../flags/capacity-rate.ts";
import { oneOf, outputFile, positiveDuration, positiveNumber } from "../flags/flag-values.ts";
import { addConfigOption, addLoadOptions, checkTogether, type LoadFlags } from "../flags/load-options.ts";
import { addTransportOption } from "../flags/transport-flag.ts";
import type { Host } from "../host.ts";
import { createProgress, type Progress } from "../live/progress.ts";
import type { Services } from "../services.ts";
import { calibrationKey } from "../session/calibration-key.ts";
import { resolveCommon } from "../session/resolve.ts";
import { CeilingSearch } from "./ceiling-search.ts";

type CalibrateFlags = Pick<
  LoadFlags,
  | "rps"
  | "stages"
  | "sine"
  | "replay"
  | "replaySpeed"
  | "arrival"
  | "pacing"
  | "transport"
  | "json"
  | "output"
  | "quiet"
> & { readonly workers: number; readonly duration: number; readonly again: boolean };

const STEP_SECONDS = 2;
/** More threads than a machine has processors for; each takes some megabytes. */
const WORKERS_MAX = 256;
/** Not a part of that: cold code is slow for about a second, and a ceiling is what a generator holds after it. */
const WARMUP_SECONDS = 1;
/** How long to listen for other programs, and the share of the machine that they may take. */
const LISTEN_SECONDS = 0.5;
const BUSY_MAX = 0.2;
/** A trial that falls behind is to end soon, and not to fill the machine with connections. */
const STEP_LIMITS = { timeout: 1, drain: 1, maxInFlight: 1024 } as const;

/** @param finish takes the exit code of the command that ran. */
export function addCalibrateCommand(
  program: Command,
  host: Host,
  services: Services,
  finish: (code: ExitCode) => void,
): void {
  const command = program
    .command("calibrate")
    .description(
      "find the highest rate that this generator holds here; `run` and `ab` then warn of plans beyond half of it",
    )
    .action(async (_flags: unknown, calibrate: Command) => {
      finish(await runCalibrate(host, services, calibrate.opts<CalibrateFlags>()));
    });
  addOptions(command, adderFor(command));
}

function addOptions(command: Command, add: Add): void {
  command.optionsGroup("Search:");
  add("--pacing <mode>", "precise (sleep, then spin) or timer", oneOf(["precise", "timer"]), "precise", "precise");
  addTransportOption(add);
  add("-w, --workers <count>", "threads that share the users", workerCount, 1, "1");
  add(
    "-d, --duration <time>",
    "length of each trial of the search",
    positiveDuration,
    STEP_SECONDS,
    `${STEP_SECONDS}s`,
  );
  add("--again", "measure, also when a plan is asked about and the ceiling is known", undefined, false);
  command.optionsGroup("Plan (asks whether it fits, of the ceiling that is known; else it is measured first):");
  add("-r, --rps <rate>", "calls per second: 2000, 99.9, 120/m", parseRps);
  add("--stages <list>", "holds, ramps and pulses, as in 10s@500,20s@500..2000,5s@8000", parseStages);
  add("--sine <wave>", "a wave between two rates, as in 500..1500,period=60s", parseSine);
  add("--replay <file>", "a file with a time (and a caller) per line");
  add("--replay-speed <factor>", "play the file that many times faster", positiveNumber);
  add("--arrival <law>", "poisson, constant, or bursty[,peak=5,...]", parseArrival, { law: "poisson" }, "poisson");
  command.optionsGroup("Output:");
  add("--json [style]", "the report as JSON on stdout instead of text: line or pretty", oneOf(["line", "pretty"]));
  add("-o, --output <file>", "the report as JSON in a new file too", outputFile);
  add("-q, --quiet", "no progress on stderr", undefined, false);
  command.optionsGroup("Flags from a file:");
  addConfigOption(add);
}

/** @throws RangeError */
function workerCount(text: string): number {
  const count = parseCount(text);
  if (count <= WORKERS_MAX) return count;
  throw new RangeError(`must be at most ${WORKERS_MAX}: current value is "${text}"`);
}

/** @throws CliError */
async function runCalibrate(host: Host, services: Services, flags: CalibrateFlags): Promise<ExitCode> {
  const plan = await planOf(host, flags);
  const output = await claim(services, flags.output);
  const progress = createProgress(host, flags.quiet);
  try {
    const measured =
      (await known(host, services, flags, progress, plan)) ?? (await measure(host, services, flags, progress));
    if (typeof measured === "number") {
      await output?.discard();
      return measured;
    }
    const report = withPlan(measured, plan);
    progress.end();
    await print(host, flags, report, output);
    return exitCodeOf(report);
  } catch (error) {
    await output?.discard();
    throw error;
  } finally {
    progress.end();
  }
}

/** The plan that is asked about, if one is. */
async function planOf(host: Host, flags: CalibrateFlags): Promise<PlanSpec | undefined> {
  const { rps, stages, sine, replay, replaySpeed, arrival } = flags;
  if (isMultiple(rps)) {
    throw new CliError(`--rps ${multipleText(rps)} is not known before the capacity of its target is: name a rate`);
  }
  const asked = { rps, stages, sine, replay, replaySpeed };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  const planned: LoadFlags = { ...defaultFlags(), ...given, arrival };
  checkTogether(planned);
  const any = [rps, stages, sine, replay].some((value) => value !== undefined);
  return any ? await resolvePlan(host, planned) : undefined;
}

async function claim(services: Services, path: string | undefined): Promise<NewFile | undefined> {
  if (path === undefined) return undefined;
  try {
    return await services.claimFile(path);
  } catch (error) {
    if (error instanceof StoreError) throw new CliError(`--output: ${error.message}`);
    throw error;
  }
}

/** The report from an earlier calibration, where that will do. */
async function known(
  host: Host,
  services: Services,
  flags: CalibrateFlags,
  progress: Progress,
  plan: PlanSpec | undefined,
): Promise<CalibrationReport | undefined> {
  if (plan === undefined || flags.again) return undefined;
  const found = await services.calibrationStore(host.env).find(calibrationKey(services, keyOf(flags)));
  if (found.problem !== undefined) progress.note(`Earlier calibrations are not used: ${found.problem}`);
  if (found.calibration === undefined) return undefined;
  return {
    schemaVersion: 1,
    command: "calibrate",
    calibration: found.calibration,
    steps: [],
    savedTo: found.path ?? null,
  };
}

/** @returns an exit code when it was interrupted. */
async function measure(
  host: Host,
  services: Services,
  flags: CalibrateFlags,
  progress: Progress,
): Promise<CalibrationReport | ExitCode> {
  const search = new CeilingSearch(host, services, progress, (step) => {
    if (!flags.quiet) progress.note(stepText(step));
  });
  try {
    const busy = (await services.busyShare(LISTEN_SECONDS)) ?? 0;
    const disturbed = busy > BUSY_MAX;
    if (disturbed) {
      progress.note(
        `Other programs keep ${formatPercent(busy)} of this machine busy: what is found is what they leave, and is not kept`,
      );
    }
    const end = await search.run((rps, url) => trialAt(host, flags, rps, url), flags.duration);
    if (end === undefined) {
      progress.note("Interrupted: nothing was found out, and nothing is kept");
      return search.interruptedWith ?? EXIT.failed;
    }
    const report: Omit<CalibrationReport, "calibration" | "savedTo"> = {
      schemaVersion: 1,
      command: "calibrate",
      steps: [...end.steps],
    };
    if (end.ceilingRps === undefined) return { ...report, calibration: null, savedTo: null };
    const calibration: Calibration = {
      ...calibrationKey(services, keyOf(flags)),
      ceilingRps: end.ceilingRps,
      stepSeconds: flags.duration,
      measuredAt: host.now().toISOString(),
    };
    if (disturbed) return { ...report, calibration, savedTo: null };
    const saved = await services.calibrationStore(host.env).save(calibration);
    if ("problem" in saved) {
      progress.note(`It is not kept, so \`run\` and \`ab\` will not warn: ${saved.problem}`);
      return { ...report, calibration, savedTo: null };
    }
    if (!flags.quiet) progress.note(`Kept in ${saved.path}`);
    return { ...report, calibration, savedTo: saved.path };
  } finally {
    await search.close();
  }
}

async function trialAt(host: Host, flags: CalibrateFlags, rps: number, url: string): Promise<TrialSpec> {
  const { duration } = flags;
  const defaults = defaultFlags();
  const load: LoadFlags = {
    ...defaults,
    ...STEP_LIMITS,
    ...{ url, rps, duration, ...keyOf(flags), warmup: WARMUP_SECONDS },
    vus: Math.max(defaults.vus, flags.workers),
    maxInFlight: STEP_LIMITS.maxInFlight * flags.workers,
  };
  const plan = await resolvePlan(host, load);
  const common = await resolveCommon(host, load, plan);
  return { ...common, arm: "calibrate", pair: 0, plan, policy: { name: "none", options: {} } };
}

/** What a ceiling depends on, of what the flags say. */
function keyOf({ pacing, transport = DEFAULT_TRANSPORT, workers }: CalibrateFlags) {
  return { pacing, transport, workers };
}

function defaultFlags(): LoadFlags {
  return addLoadOptions(new Command()).opts<LoadFlags>();
}

function withPlan(report: CalibrationReport, plan: PlanSpec | undefined): CalibrationReport {
  if (plan === undefined || report.calibration === null) return report;
  const { ceilingRps } = report.calibration;
  const peak = peakRps(plan);
  return { ...report, plan: { peakRps: peak, share: peak / ceilingRps, fit: fitOf(peak, ceilingRps) } };
}

async function print(
  host: Host,
  { json }: CalibrateFlags,
  report: CalibrationReport,
  output: NewFile | undefined,
): Promise<void> {
  if (json === undefined) host.stdout.write(calibrationText(report));
  else host.stdout.write(`${JSON.stringify(report, undefined, json === "pretty" ? 2 : undefined)}\n`);
  try {
    await output?.write(`${JSON.stringify(report, undefined, 2)}\n`);
  } catch (error) {
    if (error instanceof StoreError) throw new CliError(error.message, EXIT.failed);
    throw error;
  }
}

/** A plan beyond the ceiling would be measured, and invalid. */
function exitCodeOf({ calibration, plan }: CalibrationReport): ExitCode {
  const fit: Fit = plan?.fit ?? "fits";
  return calibration === null || fit === "beyond" ? EXIT.invalid : EXIT.ok;
}
