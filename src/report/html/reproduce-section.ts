/** What was run, where, and how to run it again. */

import { formatCount, formatNumber, formatPercent, formatSeconds } from "../../figures/number-format.ts";
import { policySpec } from "../../figures/policy-text.ts";
import type { Invocation } from "../../result/design-schema.ts";
import type { Result, TrialResult } from "../../result/schema.ts";
import { multipleWords } from "../capacity-load-text.ts";
import { commandLine, shellFile } from "../command-line.ts";
import { pastText } from "../trial-details.ts";
import { nameText } from "./arm-name.ts";
import { dataTable } from "./data-table.ts";
import { type Child, EMPTY, type Html, html } from "./html.ts";
import { part, section } from "./section.ts";
import type { Subject } from "./subject.ts";

const BYTES_PER_GIB = 2 ** 30;

export function reproduceSection(subject: Subject): Html {
  const { result, name } = subject;
  return section(
    subject,
    "What was run, and how to run it again",
    html`<p>Run it again from the file, and compare:</p><pre data-copy tabindex="0">overload-bench reproduce ${shellFile(name)}</pre>${invocationPart(result.invocation)}${part("Arms")}${armTable(subject)}${part("Plan, design and environment")}${facts(result)}${part("Configuration")}<details><summary>Every option as it was resolved</summary><pre tabindex="0">${JSON.stringify(result.config, undefined, 2)}</pre></details>`,
  );
}

function invocationPart(invocation: Invocation | undefined): Html {
  if (invocation === undefined) return EMPTY;
  const { redacted } = invocation;
  return html`<p>Or by its flags:</p><pre data-copy tabindex="0">${commandLine(invocation)}</pre>${redacted.length > 0 && html`<p class="muted">Secrets are not in the file and must be given again: ${redacted.join(", ")}.</p>`}`;
}

function armTable({ arms }: Subject): Html {
  return dataTable({
    caption: "Arms with all options of their policies",
    head: ["Arm", { prose: "Policy" }, { prose: "Load" }, "trials"],
    rows: arms.map(({ name, first, trials }) => ({
      cells: [
        html`<bdi class="long">${name}</bdi>`,
        { prose: html`<code>${policySpec(first.policy)}</code>` },
        { prose: `${first.plan.rate}, ${formatCount(first.plan.users)} users` },
        formatCount(trials.length),
      ],
    })),
  });
}

function facts(result: Result): Html {
  const { plan, design, environment, tool, trials } = result;
  const first = trials[0];
  const burstiness =
    plan.dispersion !== undefined && plan.dispersion > 1
      ? `, index of dispersion ${formatNumber(plan.dispersion)}`
      : "";
  const entries: readonly (readonly [string, Child])[] = [
    [
      "Load",
      `${plan.arrival} arrivals at ${plan.rate}${multipleWords(result, plan.rps)} for ${formatSeconds(plan.durationSeconds)}${plan.warmupSeconds > 0 ? ` after ${formatSeconds(plan.warmupSeconds)} of warm-up` : ""}, ${formatCount(plan.users)} users${burstiness}`,
    ],
    ["Plan", html`<code>${plan.hash}</code>, seed ${String(plan.seed)}, ${formatCount(plan.arrivals)} calls`],
    ...(first === undefined ? [] : [["World", worldText(first.world, first.model)] as const]),
    ...(first?.script === undefined ? [] : [["Script", html`<code>${first.script}</code>`] as const]),
    ...(first === undefined ? [] : [["Clients", clientsFact(first)] as const]),
    ["Design", designText(design)],
    ...(design.idle === undefined ? [] : [["Between trials", design.idle] as const]),
    ...(design.resumed ?? []).map(
      ({ kept, differences }) =>
        [
          "Continued",
          `${formatCount(kept)} trials were kept${differences.length > 0 ? `; not the same as before: ${differences.join(", ")}` : ""}`,
        ] as const,
    ),
    [
      "Order of the trials",
      html`${trials.slice(0, 40).map(({ arm, pair }, index) => html`${index > 0 && ", "}${nameText(arm, 20)} ${pair + 1}`)}${trials.length > 40 && ", …"}`,
    ],
    ...(first === undefined ? [] : [["Started", first.startedAt] as const]),
    [
      "Machine",
      `${environment.cpuModel}, ${formatCount(environment.cpus)} processors, ${formatNumber(environment.memoryBytes / BYTES_PER_GIB)} GiB, ${environment.platform} ${environment.arch}`,
    ],
    ["Program", `${tool.name} ${tool.version} on ${environment.runtime} ${environment.runtimeVersion}`],
  ];
  return html`<dl class="facts">${entries.map(([label, text]) => html`<dt>${label}</dt><dd>${text}</dd>`)}</dl>`;
}

/** Cold is what had no past, whatever a warm-up gave it since. */
function clientsFact(trial: TrialResult): string {
  const past = pastText(trial);
  return past === undefined ? "cold: no past before the trial" : `aged: ${past}`;
}

function worldText(world: "real" | "virtual", model: string | undefined): Child {
  if (world === "real") return "real: requests over sockets";
  return html`simulated${model !== undefined && html`: <code>${model}</code>`}`;
}

function designText({ arms, pairs, seed, chance, stopping }: Result["design"]): string {
  const rule =
    stopping.rule === "all-pairs"
      ? "all of them run"
      : `may stop after ${stopping.looks.join(", ")} pairs, with an error rate of ${formatPercent(stopping.alpha)} over all looks`;
  const shared =
    chance === "common"
      ? "the arms of a pair share all random numbers"
      : "the arms of a pair share their arrivals, each has its own random numbers beside";
  const count = arms.length === 1 ? "1 arm" : `${formatCount(arms.length)} arms`;
  return `${count}, ${formatCount(pairs)} ${pairs === 1 ? "pair" : "pairs"} at most, ${rule}; ${shared}; order from seed ${seed}`;
}
