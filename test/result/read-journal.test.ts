import { spawn } from "node:child_process";
import { once } from "node:events";
import { truncate, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, it } from "vitest";
import type { JournalLine, WrittenLine } from "../../src/result/journal-schema.ts";
import { isRunning, ownIdentity, type ProcessIdentity } from "../../src/result/process-identity.ts";
import { isBeingWritten, readJournal } from "../../src/result/read-journal.ts";
import { headerLine, inFolder, journalText, secondLine, startedLine } from "../support/journal-fixture.ts";

const LINES: readonly WrittenLine[] = [headerLine(), startedLine("off"), secondLine(1, 5), secondLine(2, 7)];

async function read(text: string): Promise<JournalLine[]> {
  const lines: JournalLine[] = [];
  await inFolder(async (folder) => {
    const path = join(folder, "x.journal.jsonl");
    await writeFile(path, text);
    for await (const line of readJournal(path)) lines.push(line);
  });
  return lines;
}

describe("readJournal()", () => {
  it("gives the lines that were written", async () => {
    expect((await read(journalText(LINES))).map(({ kind }) => kind)).toEqual(["header", "trial", "second", "second"]);
  });

  it("leaves out what follows the last line break, wherever a kill cut the last line", async () => {
    const text = journalText(LINES);
    const lastLine = text.length - journalText(LINES.slice(-1)).length;
    for (const end of [lastLine + 1, lastLine + 20, text.length - 1]) {
      expect(await read(text.slice(0, end))).toHaveLength(3);
    }
    expect(await read(text.slice(0, 10))).toEqual([]);
    expect(await read("")).toEqual([]);
  });

  it("reads lines longer than what is read at a time", async () => {
    const [second] = [secondLine(1, 5)];
    const errors = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`E${index}`, 0]));
    const long = { ...second, gained: { ...second.gained, measured: { ...second.gained.measured, errors } } };
    const lines = await read(journalText([headerLine(), startedLine("off"), long as WrittenLine, secondLine(2, 7)]));
    expect(lines).toHaveLength(4);
  });

  it.each([
    [
      "a line in the middle that is no JSON",
      `${journalText(LINES.slice(0, 2))}{"kind":"sec\n`,
      "line 3 is not one of a journal",
    ],
    [
      "a line with a field that does not belong",
      journalText([LINES[0], { ...secondLine(1, 1), more: 1 }] as never),
      "line 2",
    ],
    ["a file that is no journal", '{"schemaVersion":1}\n', "line 1"],
    ["a journal without its header", journalText(LINES.slice(1)), "a journal begins with its header"],
    [
      "two journals in one",
      journalText([...LINES, ...LINES]),
      "line 5 is not one of a journal: a header has no place here",
    ],
  ])("refuses %s, in one line", async (_name, text, message) => {
    const refusal = await read(text).catch((error: Error) => error);
    expect(refusal).toMatchObject({ name: "StoreError", code: "broken-journal" });
    expect((refusal as Error).message).toContain(message);
    expect((refusal as Error).message).not.toContain("\n");
  });

  it("names the version of a journal that it cannot read", async () => {
    const text = journalText([{ ...headerLine(), journalVersion: 9, strange: true } as never]);
    await expect(read(text)).rejects.toMatchObject({
      code: "wrong-version",
      message: expect.stringContaining("its journalVersion is 9, this program reads 4"),
    });
  });

  it("says that a file is not there", async () => {
    const lines = readJournal("/nonexistent/x.journal.jsonl");
    await expect(lines.next()).rejects.toMatchObject({ code: "not-readable" });
  });
});

describe("a file that is no journal", () => {
  it("is refused, and neither waited for nor read to its end", async () => {
    await inFolder(async (folder) => {
      await expect(readJournal(folder).next()).rejects.toMatchObject({ code: "not-readable" });
      const path = join(folder, "x.journal.jsonl");
      await writeFile(path, "");
      await truncate(path, 200 * 1024 * 1024);
      await expect(readJournal(path).next()).rejects.toMatchObject({
        code: "broken-journal",
        message: expect.stringContaining("is longer than"),
      });
      expect(await isBeingWritten(path)).toBe(false);
    });
  });
});

describe("isBeingWritten()", () => {
  async function writtenBy(writer: ProcessIdentity): Promise<boolean> {
    let answer = false;
    await inFolder(async (folder) => {
      const path = join(folder, "x.journal.jsonl");
      await writeFile(path, journalText([{ ...headerLine(), writer }]));
      answer = await isBeingWritten(path);
    });
    return answer;
  }

  it("is true while the process that wrote the header runs, and false when it is gone", async () => {
    expect(await writtenBy(await ownIdentity())).toBe(true);
    const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
    await once(child, "exit");
    expect(await writtenBy({ pid: child.pid as number, host: hostname() })).toBe(false);
  });

  it.skipIf(process.platform !== "linux")("is false when another process has its number now", async () => {
    const own = await ownIdentity();
    expect(await isRunning(own)).toBe(true);
    expect(await writtenBy({ ...own, startedTicks: "1" })).toBe(false);
  });

  it("is true of one that was made a moment ago and has no header yet, and false of one that stayed so", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "x.journal.jsonl");
      await writeFile(path, '{"kind":"hea');
      expect(await isBeingWritten(path)).toBe(true);
      const past = new Date(Date.now() - 3_600_000);
      await utimes(path, past, past);
      expect(await isBeingWritten(path)).toBe(false);
    });
  });

  it("is true of one on another machine that was written a moment ago, and false of no journal at all", async () => {
    expect(await writtenBy({ pid: process.pid, host: "another machine" })).toBe(true);
    expect(await isBeingWritten("/nonexistent/x.journal.jsonl")).toBe(false);
  });
});
