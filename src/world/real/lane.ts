/**
 * One connection of HTTP/1.1 with at most one request under way, as the transport sees it, whichever client drives it. Lanes
 * are kept in a free list of our own, which costs less than a client's pool and shows what a pool would hide: the wait for
 * a socket.
 */

import type { Call } from "../../engine/call.ts";
import type { Fault } from "../../policy/policy.ts";

export interface Lane {
  /**
   * Opens the connection ahead of the first request. Nothing is sent to the target.
   *
   * @param opened called once; false when no connection could be opened, or {@link cancel} was called.
   */
  openAhead(opened: (success: boolean) => void): void;
  /** Sends the request of the call's attempt, on a new connection where there is none. */
  dispatch(call: Call): void;
  /** Gives the request up. The lane is reported free when it can take another one. */
  cancel(): void;
  /** Ends the connection. Fulfilled when it is closed. */
  close(): Promise<void>;
}

/** What a lane reports to its transport. */
export interface LaneOwner {
  /** The request is on its connection, which may have carried others before. */
  started(call: Call, reused: boolean): void;
  /** The call's attempt ended with an answer. */
  answered(call: Call, status: number, headers: readonly string[] | undefined): void;
  /**
   * The call's attempt ended without an answer.
   *
   * @param stale whether the target may have closed the connection before the request came.
   */
  broke(call: Call, errorCode: string, fault: Fault, stale: boolean): void;
  /** The lane can take another request. */
  free(lane: Lane): void;
  /** The target closed or reset the lane's connection. */
  closedByPeer(): void;
}

/** Makes the lanes of one transport. */
export type LaneMaker = (owner: LaneOwner) => Lane;
