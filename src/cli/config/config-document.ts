/** The text of a configuration file: YAML, and so JSON too, as a list of its entries. */

import { isMap, isScalar, LineCounter, type Pair, parseDocument, type YAMLError } from "yaml";

export interface ConfigEntry {
  readonly key: string;
  /** From 1. */
  readonly line: number;
  readonly value: unknown;
}

/** What is wrong with the text. The message has no place in it. */
export class ConfigSyntaxError extends Error {
  override readonly name = "ConfigSyntaxError";
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/**
 * Reads a map of settings. A file with nothing in it but comments has none.
 *
 * @throws ConfigSyntaxError for what is no YAML, for tags that YAML does not know, and when it is no map.
 */
export function readConfigDocument(text: string): readonly ConfigEntry[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const lineAt = (offset: number | undefined): number => lines.linePos(offset ?? 0).line || 1;
  const [problem] = [...document.errors, ...document.warnings];
  if (problem !== undefined) throw new ConfigSyntaxError(explain(problem, text), lineAt(problem.pos[0]));
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents)) throw new ConfigSyntaxError("it must be a map of flags and their values", 1);
  return contents.items.map((pair: Pair) => {
    const { key, value } = pair;
    const line = lineAt(isScalar(key) ? key.range?.[0] : undefined);
    if (!isScalar(key)) throw new ConfigSyntaxError("its keys must be names of flags", line);
    try {
      return { key: String(key.value), line, value: (value as { toJS(of: unknown): unknown } | null)?.toJS(document) };
    } catch (error) {
      // An alias of nothing, or of far too much.
      throw new ConfigSyntaxError(`it is no YAML: ${(error as Error).message}`, line);
    }
  });
}

/** The parser's words, but for those that speak of its own interface. */
function explain({ code, message, pos }: YAMLError, text: string): string {
  if (code === "MULTIPLE_DOCS") return "it must be one document, without a line of ---";
  if (code !== "DUPLICATE_KEY") return `it is no YAML: ${message.split("\n", 1)[0]}`;
  const [key = ""] = /^[^\s:,]+/u.exec(text.slice(pos[0])) ?? [];
  return `'${key.replace(/^["']|["']$/gu, "")}' is there twice`;
}
