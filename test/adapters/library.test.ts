/** What `import ... from "overload-bench"` brings with it: the policies, the governor and the adapters, and nothing else. */

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import * as library from "../../src/index.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "overload-bench-library-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EXPORTS = [
  "AdaptiveThrottle",
  "AttemptTimeoutError",
  "CallRecord",
  "MEMORY_CLEAR_STREAK",
  "OverloadClient",
  "OverloadControlError",
  "ThrottleGovernor",
  "decide",
  "memoryClearStep",
  "overloadControl",
  "overloadFetch",
  "policyPresets",
  "resolvePolicy",
  "resolvePreset",
  "userPolicies",
];

/** Whole statements, also over several lines; those of types only are gone when the code runs. */
const LOADS = /^(?:import|export)\s+(?!type\b)(?:[^"';]*?\bfrom\s+)?"([^"]+)"/gm;

/** The files that loading `file` loads, itself included, and what else it asks for. */
function walk(file: string, found = { files: new Set<string>(), packages: new Set<string>() }): typeof found {
  if (found.files.has(file)) return found;
  found.files.add(file);
  const source = readFileSync(path.join(root, file), "utf8");
  expect(source, `${file} imports as it runs`).not.toMatch(/\bimport\(|\brequire\(/);
  for (const [, specifier = ""] of source.matchAll(LOADS)) {
    if (specifier.startsWith(".")) walk(path.posix.join(path.posix.dirname(file), specifier), found);
    else found.packages.add(specifier);
  }
  return found;
}

describe("the library", () => {
  test("loads the policies, the governor and the adapters only: no package, no part of the runtime", () => {
    const { files, packages } = walk("src/index.ts");
    expect([...packages]).toEqual([]);
    expect([...files].filter((file) => !/^src\/(index|(policy|governor|adapters)\/.+)\.ts$/.test(file))).toEqual([]);
    expect(files.size).toBeGreaterThan(20);
    // The walk sees what there is to see.
    expect([...walk("src/engine/histogram.ts").packages]).toContain("hdr-histogram-js");
  });

  test("runs from a copy of those files alone, in a process of its own", () => {
    const isNode = !("Bun" in globalThis || "Deno" in globalThis);
    const from = path.join(root, isNode ? "dist/src" : "src");
    const extension = isNode ? "js" : "ts";
    const copy = path.join(folder, "copy");
    for (const part of [`index.${extension}`, "policy", "governor", "adapters"]) {
      cpSync(path.join(from, part), path.join(copy, part), { recursive: true });
    }
    writeFileSync(path.join(copy, "package.json"), '{ "type": "module" }');
    writeFileSync(path.join(copy, "empty.js"), "export const nothing = 0;\n");
    const program = path.join(copy, "main.js");
    writeFileSync(
      program,
      `
        await import("./empty.js");
        const modules = () => globalThis.process?.moduleLoadList ?? [];
        const before = new Set(modules());
        const library = await import("./index.${extension}");
        const loaded = modules().filter((name) => !before.has(name));
        const client = new library.OverloadClient({ now: () => 0 }, { random: () => 0.5 });
        const guarded = library.overloadFetch(async () => new Response("answer"));
        const text = await (await guarded("http://a.test/")).text();
        console.log(JSON.stringify({ loaded, names: Object.keys(library), outcome: client.call(() => "ok"), text }));
      `,
    );
    // Without any permission on Deno: it reads no file, no variable and no address.
    const args = "Deno" in globalThis ? ["run", "--no-prompt", "--no-config", program] : [program];
    const run = spawnSync(process.execPath, args, { cwd: copy, encoding: "utf8", timeout: 20_000 });
    expect(run.stderr).toBe("");
    expect(JSON.parse(run.stdout)).toEqual({ loaded: [], names: EXPORTS, outcome: "ok", text: "answer" });
  });

  test("exports what its users need", () => {
    expect(Object.keys(library).sort()).toEqual([...EXPORTS].sort());
  });

  test("leaves out of a bundle what is not used", () => {
    const bundle = (name: string): string => {
      const entry = path.join(folder, `${name}.ts`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(
        entry,
        `import { ${name} } from ${JSON.stringify(path.join(root, "src/index.ts"))};\nconsole.log(${name});\n`,
      );
      const bun = path.join(root, "node_modules/.bin/bun");
      const run = spawnSync(bun, ["build", "--minify", entry], { encoding: "utf8", timeout: 20_000 });
      expect(run.stderr).toBe("");
      return run.stdout;
    };
    const client = bundle("OverloadClient");
    expect(client).toContain("maxAttempts");
    expect(client).not.toContain("overload_control");
    expect(client).not.toContain("sre-sent-only");
    expect(client.length).toBeLessThan(10_000);
    const adapter = bundle("overloadFetch");
    expect(adapter).toContain("overload_control.attempts");
    expect(adapter).toContain("sre-sent-only");
    expect(adapter).not.toContain("onRequestUpgrade");
  });
});
