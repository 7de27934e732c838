import type { CallSource } from "./call-source.ts";

/** Calls of which as many come as are offered: per second, or at once. */
export interface GovernedCalls extends Omit<CallSource, "arrivalsEnded"> {
  /** In force. */
  readonly offer: number;
  /** Puts another one into force. @throws Error that says why it cannot be. */
  setOffer(offer: number, nowSeconds: number): void;
}
