/** Flags that say what becomes of a result, or where flags come from: no record of an experiment has them, by their attributes. */
export const NOT_RECORDED: ReadonlySet<string> = new Set([
  "config",
  "dryRun",
  "github",
  "json",
  "output",
  "push",
  "pushFormat",
  "pushHeader",
  "quiet",
  "report",
  "resume",
]);
