/** What the verdict reads of the codes of errors beyond what `policy/fault-codes.ts` says of them. */

/**
 * The code of a request that a server did not begin with because it ended its HTTP/2 connection in order (RFC 9113, 6.8), as
 * nginx does after a thousand: the server says so itself, and the request is safely sent again.
 */
export const ORDERLY_END_CODE = "H2_GOAWAY_NO_ERROR";
