import type { FileHandle } from "node:fs/promises";
import { open, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { FileJournal } from "../../src/result/journal-file.ts";
import type { WrittenLine } from "../../src/result/journal-schema.ts";
import { endedLine, inFolder, journalText } from "../support/journal-fixture.ts";
import { trialFixture } from "../support/trial-fixture.ts";

const LINES: readonly WrittenLine[] = Array.from({ length: 20 }, (_, pair) => endedLine(trialFixture({ pair })));

/** A file in memory that takes at most so many bytes a write, and fails when told to after having taken some. */
class Disk {
  content: Buffer = Buffer.alloc(0);
  full = false;
  writing = 0;
  writingMax = 0;

  async write(bytes: Buffer, offset: number, length: number, position: number): Promise<{ bytesWritten: number }> {
    this.writing += 1;
    this.writingMax = Math.max(this.writingMax, this.writing);
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.writing -= 1;
    const taken = Math.min(length, 1000);
    const grown = Buffer.alloc(Math.max(this.content.length, position + taken));
    this.content.copy(grown);
    bytes.copy(grown, position, offset, offset + taken);
    this.content = grown;
    if (this.full) throw Object.assign(new Error("full"), { code: "ENOSPC" });
    return { bytesWritten: taken };
  }

  async close(): Promise<void> {}

  get handle(): FileHandle {
    return this as unknown as FileHandle;
  }
}

describe("FileJournal", () => {
  it("writes the lines in order, one write at a time, however the file system cuts them up", async () => {
    const disk = new Disk();
    const journal = new FileJournal("j", disk.handle, () => {});
    for (const line of LINES) journal.append(line);
    await journal.close();
    expect(disk.content.toString()).toBe(journalText(LINES));
    expect(disk.writingMax).toBe(1);
  });

  it("tells of a full disk once, and makes the file whole when there is room again", async () => {
    const disk = new Disk();
    const told: string[] = [];
    const journal = new FileJournal("j", disk.handle, (why) => told.push(why));
    for (const [index, line] of LINES.entries()) {
      disk.full = index >= 5 && index < 15;
      journal.append(line);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await journal.close();
    expect(told).toEqual(["'j' cannot be written: the disk is full (ENOSPC)"]);
    expect(disk.content.toString()).toBe(journalText(LINES));
  });

  it("leaves whole lines when the disk stays full, and close() does not wait for room", async () => {
    const disk = new Disk();
    const journal = new FileJournal("j", disk.handle, () => {});
    journal.append(LINES[0] as WrittenLine);
    await expect.poll(() => disk.content.length).toBe(journalText(LINES.slice(0, 1)).length);
    disk.full = true;
    journal.append(LINES[1] as WrittenLine);
    await journal.close();
    expect(disk.content.toString().startsWith(journalText(LINES.slice(0, 1)))).toBe(true);
  });

  it("takes no line after close()", async () => {
    const disk = new Disk();
    const journal = new FileJournal("j", disk.handle, () => {});
    await journal.close();
    journal.append(LINES[0] as WrittenLine);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(disk.content.length).toBe(0);
  });

  it("flush() has all lines in the file when it returns, also beside a write under way", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "j.journal.jsonl");
      const journal = new FileJournal(path, await open(path, "wx"), () => {});
      for (const line of LINES) journal.append(line);
      journal.flush();
      expect(await readFile(path, "utf8")).toBe(journalText(LINES));
      await journal.close();
      expect(await readFile(path, "utf8")).toBe(journalText(LINES));
    });
  });

  it("remove() leaves no file, also when lines are on their way", async () => {
    await inFolder(async (folder) => {
      const path = join(folder, "j.journal.jsonl");
      const journal = new FileJournal(path, await open(path, "wx"), () => {});
      for (const line of LINES) journal.append(line);
      await journal.remove();
      await expect(stat(path)).rejects.toMatchObject({ code: "ENOENT" });
    });
  });
});
