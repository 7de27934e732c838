/** Reads many cases with all parsers and sorts what they differ in. */

import type { Difference, ReferenceName } from "./difference.ts";
import { caseLiteral, verdictLine } from "./escape.ts";
import { explain } from "./explanations.ts";
import type { FuzzCase } from "./fuzz-case.ts";
import { generateCase } from "./generate-case.ts";
import { References } from "./references.ts";
import { shrinkCase } from "./shrink-case.ts";

export interface DifferentialOptions {
  readonly cases: number;
  /** An integer, at least 0. */
  readonly seed: number;
  /** Whole clients to compare with besides the parsers. */
  readonly clients: readonly ReferenceName[];
  /** Which of the cases the clients read: every n-th. */
  readonly clientsEvery: number;
  /** Told now and then. */
  readonly onProgress?: (done: number, report: DifferentialReport) => void;
  /** Told each case before it is read. */
  readonly onCase?: (tried: FuzzCase) => void;
  /** Ends the run early. */
  readonly stopped?: () => boolean;
}

export interface DifferentialReport {
  readonly cases: number;
  /** Cases that are a complete answer to our parser. */
  readonly complete: number;
  /** Differences, and of them the lax ones, by the class that explains them: "llhttp: name". */
  readonly explained: ReadonlyMap<string, number>;
  /** One of each kind, made small, ready to read. */
  readonly findings: readonly string[];
}

/** Of findings of one run: more of them say nothing new. */
const FINDINGS_MAX = 12;
const PROGRESS_EVERY = 10_000;

export async function runDifferential(options: DifferentialOptions): Promise<DifferentialReport> {
  const references = new References();
  const explained = new Map<string, number>();
  const findings = new Map<string, string>();
  let complete = 0;
  let done = 0;
  const report = (): DifferentialReport => ({ cases: done, complete, explained, findings: [...findings.values()] });
  for (; done < options.cases && findings.size < FINDINGS_MAX && options.stopped?.() !== true; done += 1) {
    const tried = generateCase(options.seed, done);
    options.onCase?.(tried);
    const clients = done % options.clientsEvery === 0 ? options.clients : [];
    const outcome = await compareCase(references, tried, clients);
    if (typeof outcome === "string") {
      if (!findings.has(outcome)) findings.set(outcome, await describeThrow(references, tried, outcome));
      continue;
    }
    if (outcome.complete) complete += 1;
    for (const difference of outcome.differences) {
      const rule = explain(difference);
      if (rule === undefined) {
        const kind = kindOf(difference);
        if (!findings.has(kind)) findings.set(kind, await describeDifference(references, difference));
      } else {
        const name = `${difference.reference}: ${rule.name}`;
        explained.set(name, (explained.get(name) ?? 0) + 1);
      }
    }
    if ((done + 1) % PROGRESS_EVERY === 0) options.onProgress?.(done + 1, report());
  }
  return report();
}

interface Compared {
  readonly complete: boolean;
  readonly differences: readonly Difference[];
}

/** @returns what was thrown, when our parser contradicts itself. */
async function compareCase(
  references: References,
  tried: FuzzCase,
  clients: readonly ReferenceName[],
): Promise<Compared | string> {
  try {
    const differences = references.parserDifferences(tried);
    for (const client of clients) differences.push(...(await references.clientDifferences(tried, client)));
    return { complete: references.ours(tried).ended === "complete", differences };
  } catch (error) {
    return kindOfThrow(error);
  }
}

/** Without the values in it. */
export function kindOfThrow(error: unknown): string {
  return String(error).replace(/: \{.*$/s, "");
}

export function kindOf({ reference, aspect, lax, ours, theirs }: Difference): string {
  return [reference, aspect, lax, ours.open, ours.ended, ours.reason, theirs.open, theirs.ended, theirs.reason].join(
    "|",
  );
}

/** Shrinks it and puts into words what a reader needs. */
export async function describeDifference(references: References, difference: Difference): Promise<string> {
  const { reference, aspect, lax } = difference;
  const again = async (tried: FuzzCase): Promise<Difference | undefined> => {
    try {
      const isClient = reference === "undici" || reference === "node";
      const found = isClient
        ? await references.clientDifferences(tried, reference)
        : references.parserDifferences(tried);
      return found.find(
        (other) =>
          other.reference === reference && other.aspect === aspect && other.lax === lax && explain(other) === undefined,
      );
    } catch {
      return undefined;
    }
  };
  const small = await shrinkCase(difference.tried, async (tried) => (await again(tried)) !== undefined);
  const { ours, theirs } = (await again(small)) ?? difference;
  return [
    `Unexplained: ${aspect} differs from ${reference}${lax ? ", and ours is the lax one" : ""}`,
    `  ${caseLiteral(small)}`,
    `  ours: ${verdictLine(ours)}`,
    `  ${reference}: ${verdictLine(theirs)}`,
  ].join("\n");
}

/** @param check what else may throw. */
export async function describeThrow(
  references: References,
  tried: FuzzCase,
  kind: string,
  check: (tried: FuzzCase) => void = () => {},
): Promise<string> {
  let message = kind;
  const small = await shrinkCase(tried, async (candidate) => {
    try {
      references.parserDifferences(candidate);
      check(candidate);
      return false;
    } catch (error) {
      if (kindOfThrow(error) !== kind) return false;
      message = String(error);
      return true;
    }
  });
  return `Broken: ${message}\n  ${caseLiteral(small)}`;
}
