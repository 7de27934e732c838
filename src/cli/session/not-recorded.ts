/**
 * Flags that say what becomes of a result, where flags come from or which hosts may be loaded: no record of an experiment has
 * them, by their attributes.
 */
export const NOT_RECORDED: ReadonlySet<string> = new Set([
  "allow",
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
