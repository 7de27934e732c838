/** The parts of the real servers' programs that need no server. */

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findProgram } from "../../targets/real-server/find-program.ts";
import { tellingLine } from "../../targets/real-server/telling-line.ts";

describe("findProgram()", () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "ob-test-"));
    for (const folder of ["bin", "sbin", "other"]) mkdirSync(join(root, folder));
  });

  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function program(...path: string[]): string {
    const file = join(root, ...path);
    writeFileSync(file, "");
    chmodSync(file, 0o755);
    return file;
  }

  test("takes the first on the path, and looks into sbin beside a bin after that", () => {
    const inSbin = program("sbin", "server");
    expect(findProgram("server", join(root, "bin"))).toBe(inSbin);
    expect(findProgram("server", join(root, "other"))).toBeUndefined();
    const inOther = program("other", "server");
    expect(findProgram("server", `${join(root, "bin")}:${join(root, "other")}`)).toBe(inOther);
  });

  test("finds nothing on an empty path, and neither folders nor what cannot be executed", () => {
    expect(findProgram("sh", "")).toBeUndefined();
    mkdirSync(join(root, "bin", "server"));
    writeFileSync(join(root, "other", "server"), "");
    expect(findProgram("server", `${join(root, "bin")}:${join(root, "other")}`)).toBeUndefined();
  });
});

describe("tellingLine()", () => {
  test.each([
    ["nginx: [warn] a\nnginx: [emerg] b\nnginx: [emerg] c\n", "nginx: [emerg] b"],
    [
      "[NOTICE]   (1) : haproxy version\n[ALERT]    (1) : config : b\n[ALERT]    (1) : Fatal\n",
      "[ALERT]    (1) : config : b",
    ],
    [
      'nginx: [alert] could not open error log file: open() "/x" failed (13: Permission denied)\nnginx: [emerg] b\n',
      "nginx: [emerg] b",
    ],
    ["sh: 1: exec: not found\n\n", "sh: 1: exec: not found"],
    ["", ""],
  ])("of %j is %j", (said, line) => {
    expect(tellingLine(said)).toBe(line);
  });
});
