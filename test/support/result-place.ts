/** A folder of its own, in which the program under a fake host keeps its results and journals as it does on a real disk. */

import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { fileJournals } from "../../src/result/journals.ts";
import type { Result } from "../../src/result/schema.ts";
import { FileResultStore, type FileStoreOptions } from "../../src/result/store.ts";
import { type FakeRunOutcome, type FakeSetup, runFake } from "./fake-host.ts";
import { inFolder } from "./journal-fixture.ts";

export class Place {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  async run(args: readonly string[], setup: FakeSetup = {}): Promise<FakeRunOutcome & { readonly result: Result }> {
    const files = Object.fromEntries(
      await Promise.all(
        (await this.names()).map(async (name) => [this.path(name), await readFile(this.path(name), "utf8")] as const),
      ),
    );
    const saved: FakeRunOutcome["saved"][number][] = [];
    const resultStore = (options: FileStoreOptions): FileResultStore => {
      const store = new FileResultStore({ ...options, folder: this.folder });
      const save = store.save.bind(store);
      store.save = async (result, how) => {
        saved.push({ result: structuredClone(result), final: how.final });
        return await save(result, how);
      };
      return store;
    };
    const services = { resultStore, journals: fileJournals, ...setup.services };
    const outcome = await runFake(args, { ...setup, files, services });
    return { ...outcome, saved, result: saved.at(-1)?.result as Result };
  }

  /** Ctrl-C in the middle of the trial with this number, from 1. */
  async cut(args: readonly string[], trial: number): Promise<string> {
    let begun = 0;
    const { exitCode } = await this.run(args, {
      onTrial(_spec, send) {
        begun += 1;
        if (begun === trial) send("SIGINT");
      },
    });
    expect(exitCode).toBe(130);
    const path = this.path((await this.names())[0] ?? "");
    // So short a simulation comes to its end all the same.
    const result = await this.read(path);
    const trials = result.trials.map((one, index) => (index === trial - 1 ? { ...one, interrupted: true } : one));
    await writeFile(path, JSON.stringify({ ...result, trials }));
    return path;
  }

  async names(): Promise<string[]> {
    // What is about to be written has a name that begins with a dot.
    return (await readdir(this.folder)).filter((name) => !name.startsWith(".")).toSorted();
  }

  async read(path: string): Promise<Result> {
    return JSON.parse(await readFile(path, "utf8")) as Result;
  }

  path(name: string): string {
    return join(this.folder, name);
  }
}

export async function inPlace(use: (place: Place) => Promise<void>): Promise<void> {
  await inFolder((folder) => use(new Place(folder)));
}
