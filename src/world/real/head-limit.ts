/** Bytes of an answer's head, status line and fields: the limit that Node sets, made the same on all runtimes and for all clients. */
export const HEAD_BYTES_MAX = 16_384;
