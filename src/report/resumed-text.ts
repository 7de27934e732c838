/** What a reader must know of an experiment that was measured in more than one go. */

import { formatCount } from "../figures/number-format.ts";
import type { Design } from "../result/design-schema.ts";
import { wrap } from "./wrap.ts";

/** One item for each time it was continued; none for an experiment of one go. */
export function resumedLines({ resumed = [] }: Design): readonly string[] {
  return resumed.flatMap(({ kept, splitPairs, differences }) => {
    const pairs = splitPairs.map((pair) => pair + 1).join(", ");
    const split = splitPairs.length === 0 ? "" : `; of pair ${pairs} some trials are from before, some from after`;
    const changed = differences.length === 0 ? "" : `; then changed ${differences.join(", ")}`;
    return wrap(`Continued with ${formatCount(kept)} ${kept === 1 ? "trial" : "trials"} kept${split}${changed}.`);
  });
}
