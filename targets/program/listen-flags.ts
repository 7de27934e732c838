import { type Flags, numberFlag, refusal, switchFlag } from "./flags.ts";
import type { ProgramOptions } from "./serve-program.ts";

/** Where a target listens, and how long it lives. */
export const LISTEN_FLAGS: Flags<ProgramOptions> = {
  port: numberFlag(
    "port",
    { placeholder: "N", unit: "number", min: 0, max: 65_535 },
    8080,
    "port, 0 picks a free one (default 8080)",
  ),
  host: {
    name: "host",
    placeholder: "ADDRESS",
    help: "address to bind to (default 127.0.0.1)",
    fallback: "127.0.0.1",
    read(text) {
      // It goes into configurations as it is.
      if (!/^[0-9a-z.:-]+$/i.test(text)) throw refusal("host", "an address", text);
      return text;
    },
  },
  exitWithParent: switchFlag("exit-with-parent", "exit when standard input closes"),
};
