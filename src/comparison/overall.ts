/**
 * What to ship where a sweep has several loads: the policy that keeps the limits at all of them and is on the plateau at the most
 * of those that tell the arms apart; of these those whose goodput is the least below the best at their worst load; of these the
 * one that wastes the least of what it sends, at its worst load; of these the one that was named first.
 */

import { formatPercent } from "../figures/number-format.ts";
import type { Sweep, SweepOverall } from "../result/sweep-schema.ts";
import { namesOf, recoveryWarning, recoveryWords } from "./recommend-words.ts";
import { type ArmFacts, spoken } from "./sweep-facts.ts";
import { type LoadFindings, tellsNothing } from "./sweep-findings.ts";
import { pointOn, pointText } from "./sweep-loads.ts";

/** A policy over all loads. */
interface Candidate {
  readonly point: SweepOverall["point"] & object;
  readonly policy: ArmFacts["policy"] | undefined;
  /** Loads at which it is no choice, by why. */
  readonly out: readonly { readonly load: string; readonly why: string }[];
  /** Of the loads that tell, those at which it is on the plateau. */
  readonly onPlateau: number;
  /** The largest share by which its goodput is below the best, and where. */
  readonly regret: number;
  readonly worstLoad: string;
  readonly wasteMax: number;
}

/** Regrets closer than this are the same. */
const REGRET_WITHIN = 0.02;

export function recommendOverall(sweep: Sweep, findings: readonly LoadFindings[]): SweepOverall {
  const telling = findings.filter((found) => !tellsNothing(found) && found.measured.length > 0);
  if (telling.length === 0) {
    return without("Nothing was overloaded at any load, so that they do not tell the cells apart. Raise --rps.");
  }
  const points = new Map(sweep.cells.map(({ point }) => [key(pointOn(sweep.axes, "policy", point)), point]));
  const all = [...points.values()].map((point) =>
    candidateOf(sweep, findings, telling, pointOn(sweep.axes, "policy", point)),
  );
  const able = all.filter(({ out }) => out.length === 0);
  const count = `${telling.length} ${telling.length === 1 ? "load" : "loads"}`;
  if (all.length === 1) {
    return without("Only one policy was run, so there is nothing to choose from: see what became of it at each load.");
  }
  const chosen = choiceOf(able);
  if (chosen === undefined) {
    const closest = all.reduce((least, one) => (one.out.length < least.out.length ? one : least));
    const [first] = closest.out;
    return without(
      `No policy keeps the limits at all loads; the closest is ${spoken(sweep.axes, closest)}, which does not at ${closest.out.length}: at ${first?.load} ${first?.why}.`,
    );
  }
  const name = spoken(sweep.axes, chosen);
  const many =
    telling.length === 1
      ? "the only load that tells"
      : `${telling.length === 2 ? "both" : `all ${telling.length}`} loads that tell`;
  const where =
    chosen.onPlateau === telling.length
      ? `at ${many} the cells apart it is the best or not told apart from it`
      : `at ${chosen.onPlateau} of the ${count} that tell the cells apart it is the best or not told apart from it`;
  const others = all.filter((one) => one !== chosen);
  const returning = findings.find(({ measured }) => measured.some((facts) => isOf(sweep, facts, chosen.point)));
  const facts = returning?.measured.find((one) => isOf(sweep, one, chosen.point));
  const named = returning === undefined ? undefined : namesOf(sweep, returning.load);
  const isSimulated = returning !== undefined && facts !== undefined && named !== undefined;
  return {
    point: chosen.point,
    reasons: [
      chosen.regret > 0
        ? `At its worst load, ${chosen.worstLoad}, its goodput is ${formatPercent(chosen.regret)} below the best.`
        : "Its goodput is the highest at each of them.",
      ...others.slice(0, OTHERS_TOLD).map((one) => otherWords(sweep, one, count)),
      ...(isSimulated ? recoveryWords(returning, facts, named) : []),
      ...(telling.length < findings.length
        ? [
            `At ${findings.length - telling.length} of ${findings.length} loads nothing was overloaded: they say nothing of it.`,
          ]
        : []),
    ],
    sentence: `Over all loads ship ${name}: ${where}.${isSimulated ? recoveryWarning(returning, facts, named) : ""}`,
  };
}

/** Policies told of besides. */
const OTHERS_TOLD = 5;

function isOf(sweep: Sweep, { point }: { readonly point: Candidate["point"] }, policy: Candidate["point"]): boolean {
  return key(pointOn(sweep.axes, "policy", point)) === key(policy);
}

function otherWords(sweep: Sweep, { onPlateau, regret, worstLoad, out, ...one }: Candidate, count: string): string {
  const name = spoken(sweep.axes, one);
  const [first] = out;
  if (first !== undefined)
    return `${name} is out at ${out.length === 1 ? "" : `${out.length} loads, such as `}${first.load}: ${first.why}.`;
  return `${name} is so at ${onPlateau} of ${count}, and at worst ${formatPercent(regret)} below (${worstLoad}).`;
}

function candidateOf(
  sweep: Sweep,
  findings: readonly LoadFindings[],
  telling: readonly LoadFindings[],
  point: Candidate["point"],
): Candidate {
  const own = <T extends { readonly point: Candidate["point"] }>(cells: readonly T[]): T | undefined =>
    cells.find((cell) => key(pointOn(sweep.axes, "policy", cell.point)) === key(point));
  const out = findings.flatMap((found) => {
    const arm = own(found.load.cells)?.arm;
    const why = found.excluded.find((excluded) => excluded.arm === arm)?.why;
    return why === undefined ? [] : [{ load: pointText(found.load.point), why }];
  });
  let regret = 0;
  let worstLoad = pointText(telling[0]?.load.point ?? {});
  for (const { best, measured, load } of telling) {
    const facts = own(measured);
    if (best === undefined || facts === undefined || best.goodput === 0) continue;
    const below = 1 - facts.goodput / best.goodput;
    if (below <= regret) continue;
    regret = below;
    worstLoad = pointText(load.point);
  }
  const policy = findings.map(({ measured }) => own(measured)?.policy).find((found) => found !== undefined);
  const onPlateau = telling.filter(({ plateau }) => own(plateau) !== undefined).length;
  const wasteMax = Math.max(0, ...telling.map(({ measured }) => own(measured)?.waste ?? 0));
  return { point, policy, out, onPlateau, regret, worstLoad, wasteMax };
}

function choiceOf(able: readonly Candidate[]): Candidate | undefined {
  const most = Math.max(...able.map(({ onPlateau }) => onPlateau));
  const onMost = able.filter(({ onPlateau }) => onPlateau === most);
  const regretMax = Math.min(...onMost.map(({ regret }) => regret)) + REGRET_WITHIN;
  const close = onMost.filter(({ regret }) => regret <= regretMax);
  return close.find(({ wasteMax }) => wasteMax === Math.min(...close.map((one) => one.wasteMax)));
}

function key(point: Candidate["point"]): string {
  return JSON.stringify(point);
}

function without(sentence: string): SweepOverall {
  return { point: null, reasons: [], sentence };
}
