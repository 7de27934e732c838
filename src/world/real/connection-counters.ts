/** What became of the connections of one transport; the fields of the result's `connections`, where they are explained. */

import type { TrialResult } from "../../result/schema.ts";

export class ConnectionCounters {
  /** wanted = opened + failed + givenUp + those being opened now. */
  wanted = 0;
  failed = 0;
  /** Of the failed ones, those for which this process had no file left. */
  lackedFiles = 0;
  /** Opening ended by ourselves: a deadline passed, or the trial ended. */
  givenUp = 0;
  opened = 0;
  preopened = 0;
  reused = 0;
  closedByPeer = 0;
  stale = 0;
  resumed = 0;
  peak = 0;
  #open = 0;
  readonly #secure: boolean;

  /** @param secure whether connections have TLS, so that sessions can be resumed. */
  constructor(secure: boolean) {
    this.#secure = secure;
  }

  readonly connectionOpened = (): void => {
    this.opened += 1;
    this.#open += 1;
    if (this.#open > this.peak) this.peak = this.#open;
  };

  readonly connectionClosed = (): void => {
    this.#open -= 1;
  };

  /** @param addresses connections opened, by address. */
  toResult(addresses: Record<string, number>): NonNullable<TrialResult["connections"]> {
    const { wanted, opened, failed, preopened, reused, closedByPeer, peak, stale, resumed } = this;
    return {
      ...{ wanted, opened, failed, preopened, reused, closedByPeer, peak, stale },
      ...(this.#secure ? { resumed } : {}),
      addresses,
    };
  }
}
