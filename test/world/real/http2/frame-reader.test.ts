import { describe, expect, it } from "vitest";
import { FrameReader } from "../../../../src/world/real/http2/frame-reader.ts";
import { FLAG, FRAME, frame, settingsFrame } from "../../../../src/world/real/http2/frames.ts";

function readIn(pieces: readonly Buffer[]): string[] {
  const seen: string[] = [];
  let body = 0;
  const reader = new FrameReader({
    frame: (type, flags, streamId, payload) => seen.push(`${type} ${flags} ${streamId} ${payload.toString("hex")}`),
    data(flags, streamId, bytes, last) {
      body += bytes;
      if (!last) return;
      seen.push(`data ${flags} ${streamId} ${body}`);
      body = 0;
    },
  });
  for (const piece of pieces) reader.read(piece);
  return seen;
}

const STREAM = Buffer.concat([
  settingsFrame([[3, 100]]),
  frame(FRAME.headers, FLAG.endHeaders, 1, Buffer.from([0x88])),
  frame(FRAME.data, 0, 1, Buffer.alloc(40)),
  frame(FRAME.data, FLAG.endStream, 1),
  frame(FRAME.ping, 0, 0, Buffer.from("12345678")),
]);
const SEEN = ["4 0 0 000300000064", "1 4 1 88", "data 0 1 40", "data 1 1 0", "6 0 0 3132333435363738"];

describe("FrameReader", () => {
  it("finds the same frames however the bytes come in", () => {
    expect(readIn([STREAM])).toEqual(SEEN);
    expect(readIn([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(SEEN);
    for (let cut = 1; cut < STREAM.length; cut += 1) {
      expect(readIn([STREAM.subarray(0, cut), STREAM.subarray(cut)])).toEqual(SEEN);
    }
  });

  it("refuses a frame longer than we allow", () => {
    expect(() => readIn([Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")])).toThrow("A frame of");
  });
});
