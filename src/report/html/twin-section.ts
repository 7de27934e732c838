/** What the virtual twin of a real trial says, in the words of the text report. */

import { twinLines } from "../twin-text.ts";
import { EMPTY, type Html, html } from "./html.ts";
import { section } from "./section.ts";
import type { Subject } from "./subject.ts";

export function twinSection(subject: Subject): Html {
  const { twin } = subject.result;
  const real = subject.arms[0]?.first;
  if (twin === undefined || real === undefined) return EMPTY;
  return section(
    subject,
    "The same in simulation",
    html`<p class="muted">A simulated backend with the law that the real one showed, under the same calls: where both agree, the law explains what was seen.</p><pre tabindex="0">${twinLines(twin, real).join("\n")}</pre>`,
  );
}
