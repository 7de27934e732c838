import type * as z from "zod";

/** The first thing that is wrong with a document, in one line: `trials[0].calls.ok: expected int, received string`. */
export function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return "unknown issue";
  let path = "";
  for (const key of issue.path) {
    path += typeof key === "number" ? `[${key}]` : path === "" ? String(key) : `.${String(key)}`;
  }
  const rule = issue.message.replace(/^Invalid input: /u, "").replace(/\s+/gu, " ");
  return `${path === "" ? "the document" : path}: ${rule}`;
}
