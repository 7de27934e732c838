/** Where the options of two experiments differ, as their results keep them. */

import type { Result } from "../../result/schema.ts";
import { type Difference, fields } from "./field-differences.ts";
import { withTransport } from "./recorded-transport.ts";

/** Virtual trials at a time: no figure depends on it. */
const AT_A_TIME = "workers";

export function configDifferences(then: Result["config"], now: Result["config"]): readonly Difference[] {
  const isVirtual = (now.world as { readonly kind?: unknown } | undefined)?.kind === "virtual";
  return fields("", withTransport(then), asWritten(now), new Set(isVirtual ? [AT_A_TIME] : []));
}

/** As it comes back from a file. */
function asWritten(config: Result["config"]): unknown {
  return JSON.parse(JSON.stringify(config));
}

/** One short phrase. */
export function differenceText({ field, recorded, now }: Difference): string {
  if (field.endsWith("policySha256")) return "the policy's file has changed";
  if (field.endsWith("bodySha256")) return "the body is another one";
  return `${field}: ${shown(recorded)} then, ${shown(now)} now`;
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}
