/** What a lint says, and what it is told. */

/** A doubt about a policy under a load, in the words of the report. Nothing is wrong with the measurement itself. */
export interface Warning {
  /** Stable, kebab-case. */
  readonly code: string;
  /** One sentence with the figure, without a full stop. */
  readonly message: string;
  /** What to do about it, one sentence without a full stop. */
  readonly hint: string;
  readonly figure: number;
  readonly limit: number;
}

/** The load as one policy sees it, and for how long. */
export interface LoadFacts {
  /** Clients with a policy of their own: users, or with the scope `process` the processes. */
  readonly clients: number;
  /** Calls per second of all of them together, on average. */
  readonly callsPerSecond: number;
  /** The healthy past that the clients are given before it, and what its answers take. Default none: they are cold. */
  readonly age?: { readonly seconds: number; readonly latencySeconds: number } | undefined;
  readonly warmupSeconds: number;
  readonly durationSeconds: number;
  /** The time that an attempt may take. */
  readonly timeoutSeconds: number;
  /** The time that an accepted attempt takes, where it is known. */
  readonly latencySeconds?: number | undefined;
  /** Classes of criticality that occur among the calls. */
  readonly criticalities: number;
}

/** What was measured of the attempts, the warm-up included. */
export interface MeasuredFacts {
  readonly accepted: number;
  readonly overloaded: number;
  /** Faults that are no overload. */
  readonly failed: number;
  /** Calls that an admission throttle rejected. */
  readonly throttled: number;
  /** The longest stretch of whole seconds with attempts of which none was accepted. */
  readonly outageSeconds: number;
  /** The median time of an accepted attempt; undefined where there was none. */
  readonly latencySeconds: number | undefined;
}

/** Calls per second of one client. */
export function perClient({ callsPerSecond, clients }: LoadFacts): number {
  return callsPerSecond / clients;
}

/** What clients have behind them when the run begins. */
export function agedSeconds({ age }: LoadFacts): number {
  return age?.seconds ?? 0;
}

/** With the warm-up, in which policies learn too. */
export function ranSeconds({ warmupSeconds, durationSeconds }: LoadFacts): number {
  return warmupSeconds + durationSeconds;
}

/** A figure in a message: three digits. */
export function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
