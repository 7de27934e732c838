/**
 * Fuzzing by feedback. A case is kept, and changed further, when it makes code of the parser run that never ran, or makes the
 * parsers say a pair of things that they never said (ours, and the one inside undici: two readers as each other's oracle, as in
 * Petsios et al., "NEZHA: Efficient domain-independent differential testing", IEEE S&P 2017).
 *
 * Coverage is taken for a batch at a time, which makes it cheap; where a batch ran something new, its cases run once more, one by
 * one, to find which.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { BlockCoverage, Blocks } from "./block-coverage.ts";
import { Corpus } from "./corpus.ts";
import { describeDifference, describeThrow, kindOf, kindOfThrow } from "./differential.ts";
import { Draws } from "./draws.ts";
import { explain } from "./explanations.ts";
import { bytesOf, type FuzzCase, latin1, type Verdict } from "./fuzz-case.ts";
import { cutsOf, generateCase } from "./generate-case.ts";
import { Invariants } from "./invariants.ts";
import { mutateText, spliceTexts } from "./mutate-text.ts";
import { References } from "./references.ts";
import type { Watchdog } from "./watchdog.ts";

export interface GuidedOptions {
  readonly seed: number;
  /** Undefined: guided by what the parsers say alone. */
  readonly coverage: BlockCoverage | undefined;
  readonly watchdog: Watchdog;
  /** Where the corpus is kept; undefined: a temporary folder. */
  readonly corpusFolder: string | undefined;
  /** Asked after each batch. */
  readonly stopped: () => boolean;
  /** Told each finding at once. */
  readonly onFinding: (text: string) => void;
}

export interface GuidedStatistics {
  readonly executions: number;
  readonly corpus: number;
  readonly corpusFolder: string;
  /** Pairs of verdicts that were seen. */
  readonly pairs: number;
  readonly blocks: Blocks | undefined;
  readonly findings: number;
}

const BATCH = 500;
const BYTES_MAX = 20_000;
/** Of cases: drawn anew, not made of the corpus. */
const FRESH = 0.15;
const SPLICED = 0.15;
const FINDINGS_MAX = 50;

export class GuidedFuzzer {
  readonly #options: GuidedOptions;
  readonly #corpus: Corpus;
  readonly #references = new References();
  readonly #invariants = new Invariants();
  readonly #pairs = new Set<string>();
  readonly #kinds = new Set<string>();
  readonly #told = new Set<string>();
  #executions = 0;

  constructor(options: GuidedOptions) {
    this.#options = options;
    this.#corpus = new Corpus(options.corpusFolder);
  }

  get statistics(): GuidedStatistics {
    const { cases, folder } = this.#corpus;
    return {
      executions: this.#executions,
      corpus: cases.length,
      corpusFolder: folder,
      pairs: this.#pairs.size,
      blocks: this.#options.coverage?.blocks(),
      findings: this.#told.size,
    };
  }

  async run(): Promise<void> {
    await this.#runBatch([...this.#corpus.cases]);
    while (!this.#options.stopped() && this.#told.size < FINDINGS_MAX) {
      const first = this.#executions;
      await this.#runBatch(Array.from({ length: BATCH }, (_, index) => this.#next(first + index)));
      // Timers and signals have their turn.
      await nextTurn();
    }
  }

  async #runBatch(cases: readonly FuzzCase[]): Promise<void> {
    const first = this.#executions;
    for (const [index, tried] of cases.entries()) await this.#execute(tried, first + index);
    this.#executions += cases.length;
    const { coverage } = this.#options;
    if (coverage === undefined) return;
    const ran = coverage.take();
    if (!coverage.isNew(ran)) return;
    for (const [index, tried] of cases.entries()) {
      this.#checkQuietly(tried, first + index);
      const ranAlone = coverage.take();
      if (!coverage.isNew(ranAlone)) continue;
      coverage.add(ranAlone);
      this.#corpus.add(tried);
    }
    // Also what no case runs alone, so that it is not looked for again.
    coverage.add(ran);
  }

  async #execute(tried: FuzzCase, index: number): Promise<void> {
    this.#options.watchdog.begin(tried);
    try {
      this.#invariants.check(tried, this.#drawsOf(index));
      for (const difference of this.#references.parserDifferences(tried)) {
        if (explain(difference) !== undefined || !this.#isNewKind(kindOf(difference))) continue;
        this.#tell(await describeDifference(this.#references, difference));
      }
      if (this.#isNewPair(this.#references.ours(tried), this.#references.llhttp(tried))) this.#corpus.add(tried);
    } catch (error) {
      const kind = kindOfThrow(error);
      if (!this.#isNewKind(kind)) return;
      const check = (candidate: FuzzCase): void => this.#invariants.check(candidate, this.#drawsOf(index));
      this.#tell(await describeThrow(this.#references, tried, kind, check));
    }
  }

  #checkQuietly(tried: FuzzCase, index: number): void {
    try {
      this.#invariants.check(tried, this.#drawsOf(index));
    } catch {
      // Told when it ran first.
    }
  }

  /** The case of an index, which with the corpus decides it. */
  #next(index: number): FuzzCase {
    const draws = new Draws(this.#options.seed, 2 * index);
    const parent = draws.chance(FRESH) ? undefined : this.#corpus.draw(draws);
    if (parent === undefined) return generateCase(this.#options.seed, index);
    let text = latin1(parent.bytes);
    if (draws.chance(SPLICED)) text = spliceTexts(draws, text, latin1((this.#corpus.draw(draws) ?? parent).bytes));
    const bytes = bytesOf(mutateText(draws, text).slice(0, BYTES_MAX));
    const bodiless = draws.chance(0.05) ? !parent.bodiless : parent.bodiless;
    return { bytes, bodiless, cuts: cutsOf(draws, bytes.length) };
  }

  /** Other numbers than those that the case is made of. */
  #drawsOf(index: number): Draws {
    return new Draws(this.#options.seed, 2 * index + 1);
  }

  /** Different kinds may come to the same when they are made small. */
  #tell(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#options.onFinding(text);
  }

  #isNewKind(kind: string): boolean {
    const isNew = !this.#kinds.has(kind);
    this.#kinds.add(kind);
    return isNew;
  }

  #isNewPair(ours: Verdict, theirs: Verdict): boolean {
    const pair = [ours, theirs].map(
      ({ open, ended, reason, status, bodyBytes, persistent }) =>
        `${open} ${ended} ${reason} ${Math.floor(status / 100)} ${bodyBytes > 0} ${persistent}`,
    );
    const size = this.#pairs.size;
    return this.#pairs.add(pair.join(" | ")).size > size;
  }
}
