/** What the program's exit code says. Documented in the README; scripts rely on it. */
export const EXIT = {
  ok: 0,
  failed: 1,
  usage: 2,
  /** An assertion over the result did not hold. */
  assertion: 3,
  /** Measured, but the harness does not vouch for it. */
  invalid: 4,
  sigint: 130,
  sigterm: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
