import type { LatencySummary, TrialResult } from "../../result/schema.ts";

/** A latency distribution of a trial, by the name that assertions give it: `response.ok`, `wait`. */
export interface NamedLatency {
  readonly name: string;
  readonly latency: LatencySummary;
}

/** All that are not empty. */
export function trialLatencies({ latency }: TrialResult): readonly NamedLatency[] {
  const { response, service, wait, lateness } = latency;
  const named = [
    ...Object.entries(response).map(([outcome, of]) => ({ name: `response.${outcome}`, latency: of })),
    ...Object.entries(service).map(([kind, of]) => ({ name: `service.${kind}`, latency: of })),
    { name: "wait", latency: wait },
    { name: "lateness", latency: lateness },
  ];
  return named.filter((each): each is NamedLatency => each.latency !== undefined && each.latency.count > 0);
}
