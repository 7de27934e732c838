/** The frames of HTTP/2 (RFC 9113, 4 and 6), as bytes. */

/** What a client says first on a connection (RFC 9113, 3.4). */
export const PREFACE: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

export const HEADER_BYTES = 9;
/** The longest payload that either side may send when nobody asks for more: a peer that sends longer ones is in error. */
export const FRAME_BYTES_MAX = 16_384;
/** Flow-control windows when nobody says otherwise, and the most that they can be (6.9.1). */
export const WINDOW_BYTES_DEFAULT = 65_535;
export const WINDOW_BYTES_MAX = 0x7fff_ffff;
/** The largest stream identifier. */
export const STREAM_ID_MAX = 0x7fff_ffff;

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const;

export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

/** Error codes by number (RFC 9113, 7). */
const ERROR_NAMES = [
  "NO_ERROR",
  "PROTOCOL_ERROR",
  "INTERNAL_ERROR",
  "FLOW_CONTROL_ERROR",
  "SETTINGS_TIMEOUT",
  "STREAM_CLOSED",
  "FRAME_SIZE_ERROR",
  "REFUSED_STREAM",
  "CANCEL",
  "COMPRESSION_ERROR",
  "CONNECT_ERROR",
  "ENHANCE_YOUR_CALM",
  "INADEQUATE_SECURITY",
  "HTTP_1_1_REQUIRED",
] as const;

export type H2ErrorName = (typeof ERROR_NAMES)[number];

function errorNumber(name: H2ErrorName): number {
  return ERROR_NAMES.indexOf(name);
}

/** Codes that the specification does not know are to be taken for an internal error (7). */
export function errorName(code: number): H2ErrorName {
  return ERROR_NAMES[code] ?? "INTERNAL_ERROR";
}

/** A frame of its own bytes. */
export function frame(type: number, flags: number, streamId: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + payload.length);
  writeFrameHeader(bytes, payload.length, type, flags, streamId);
  payload.copy(bytes, HEADER_BYTES);
  return bytes;
}

/** Writes the header of a frame at the start of `bytes`. */
function writeFrameHeader(bytes: Buffer, length: number, type: number, flags: number, streamId: number): void {
  bytes.writeUIntBE(length, 0, 3);
  bytes[3] = type;
  bytes[4] = flags;
  bytes.writeUInt32BE(streamId, 5);
}

export function settingsFrame(settings: readonly (readonly [number, number])[]): Buffer {
  const payload = Buffer.allocUnsafe(settings.length * 6);
  for (const [index, [id, value]] of settings.entries()) {
    payload.writeUInt16BE(id, index * 6);
    payload.writeUInt32BE(value, index * 6 + 2);
  }
  return frame(FRAME.settings, 0, 0, payload);
}

export function windowUpdateFrame(streamId: number, bytes: number): Buffer {
  return frame(FRAME.windowUpdate, 0, streamId, uint32(bytes));
}

export function rstStreamFrame(streamId: number, error: H2ErrorName): Buffer {
  return frame(FRAME.rstStream, 0, streamId, uint32(errorNumber(error)));
}

/** The client takes no streams of the server's, so the last one it processed is always 0. */
export function goawayFrame(error: H2ErrorName): Buffer {
  return frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(0), uint32(errorNumber(error))]));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
