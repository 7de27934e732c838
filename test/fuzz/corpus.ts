/** Cases worth changing further, kept in a folder: a file with the bytes of each, named by their hash and the request. */

import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Draws } from "./draws.ts";
import type { FuzzCase } from "./fuzz-case.ts";

const HEAD_SUFFIX = ".head";
const GET_SUFFIX = ".get";
/** Of draws: among the latest ones, whose surroundings are less explored. */
const LATEST_SHARE = 0.5;
const LATEST = 64;

export class Corpus {
  readonly folder: string;
  readonly #cases: FuzzCase[] = [];
  readonly #names = new Set<string>();

  /** @param folder undefined: a temporary one. What is in it is read. */
  constructor(folder: string | undefined) {
    this.folder = folder ?? mkdtempSync(path.join(tmpdir(), "fuzz-answers-"));
    mkdirSync(this.folder, { recursive: true });
    for (const name of readdirSync(this.folder).sort()) {
      if (!name.endsWith(HEAD_SUFFIX) && !name.endsWith(GET_SUFFIX)) continue;
      this.#names.add(name);
      const bytes = readFileSync(path.join(this.folder, name));
      this.#cases.push({ bytes, bodiless: name.endsWith(HEAD_SUFFIX), cuts: [] });
    }
  }

  get cases(): readonly FuzzCase[] {
    return this.#cases;
  }

  add(tried: FuzzCase): void {
    const hash = createHash("sha256").update(tried.bytes).digest("hex").slice(0, 16);
    const name = hash + (tried.bodiless ? HEAD_SUFFIX : GET_SUFFIX);
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#cases.push(tried);
    writeFileSync(path.join(this.folder, name), tried.bytes);
  }

  /** @returns undefined when it is empty. */
  draw(draws: Draws): FuzzCase | undefined {
    const from = draws.chance(LATEST_SHARE) ? Math.max(0, this.#cases.length - LATEST) : 0;
    return this.#cases[from + draws.below(this.#cases.length - from)];
  }
}
