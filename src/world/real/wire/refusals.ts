/** Why the bytes that came are no answer: a stable code for each reason, which the result counts. */

/** The connection ended, in order, before the answer did: the target broke off. They count as resets. */
export const CUTS = {
  H1_NO_ANSWER: "the connection ended before the first byte of an answer",
  H1_CUT_HEAD: "the connection ended within the head of an answer",
  H1_CUT_BODY: "the connection ended within the body of an answer",
} as const;

/** What came breaks the rules of HTTP/1.1 (RFC 9112), or goes beyond what we take: the attempt failed. */
export const REFUSALS = {
  H1_STATUS_LINE: "the answer does not begin with a status line",
  H1_VERSION: "the answer is of another version than HTTP/1.0 and HTTP/1.1",
  H1_FIELD_NAME: "a field has no name, or one with characters that none may have",
  H1_FIELD_VALUE: "a field's value has a character that none may have",
  H1_BARE_LF: "a line ends with LF alone",
  H1_BARE_CR: "a CR stands without its LF",
  H1_FOLDED_LINE: "a field goes on in the next line, or a line begins with a blank",
  H1_HEAD_SIZE: "the head, or the trailer section, is too long",
  H1_LENGTH: "Content-Length is no number that can be counted to",
  H1_LENGTHS: "Content-Length is said more than once",
  H1_LENGTH_AND_CODING: "Content-Length stands beside Transfer-Encoding",
  H1_CODING: "Transfer-Encoding is said wrongly: chunked twice or not last, nothing at all, or in HTTP/1.0",
  H1_CHUNK_SIZE: "a chunk's size is no hexadecimal number, or too large",
  H1_CHUNK_LINE: "a chunk's extension breaks its rules, or is too long",
  H1_CHUNK_END: "a chunk does not end where its size says",
  H1_INTERIMS: "too many interim answers came",
  H1_UPGRADE: "the target switched to a protocol that nobody asked for",
  H1_BODY_SIZE: "the body is longer than allowed",
} as const;

export type RefusalCode = keyof typeof CUTS | keyof typeof REFUSALS;
