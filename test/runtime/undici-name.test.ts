import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const PLAIN_NAME = /\b(?:from|import|require)\s*\(?\s*["'`]undici["'`]/;

test("the pattern knows every way to import the plain name", () => {
  const plain = [
    "from 'undici'",
    'import "undici"',
    'await import("undici")',
    'require("undici")',
    'import ("undici")',
  ];
  expect(plain.filter((text) => PLAIN_NAME.test(text))).toEqual(plain);
  expect(PLAIN_NAME.test('from "undici/index.js"')).toBe(false);
});

test.each(["src", "bin", "targets"])("%s never imports undici by its plain name, a stub on Bun", (folder) => {
  const sources = readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const guilty = sources.filter((name) => PLAIN_NAME.test(readFileSync(join(root, folder, name), "utf8")));
  expect(guilty).toEqual([]);
});
