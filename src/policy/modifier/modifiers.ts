/** Options that any policy takes, whatever its own rule: what a cooperative client does beside it. */

import type { OptionSpec } from "../option.ts";

/** In the order in which a list shows them. The default of each changes nothing. */
export const modifierOptions = {
  scope: {
    default: "user",
    kind: "choice",
    choices: ["user", "process"],
    doc: "One policy for each virtual user, or one that all users of a process share",
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;
