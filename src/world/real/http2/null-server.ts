/** The null server (null-server.ts) in HTTP/2 with prior knowledge: somebody to rehearse with for a trial over HTTP/2. */

import type net from "node:net";
import { type NullServer, serveOnLoopback } from "../null-server.ts";
import { FrameReader } from "./frame-reader.ts";
import { FLAG, FRAME, frame, PREFACE, settingsFrame } from "./frames.ts";

/** Header blocks of `:status` 200, which is in HPACK's static table, and of 503, which is not. */
const BLOCKS = [Buffer.from([0x88]), Buffer.from([0x08, 3, 0x35, 0x30, 0x33])];
const BODY = Buffer.from("ok");

/** Answers 200 and 503 in turn. */
export function openH2NullServer(): Promise<NullServer> {
  return serveOnLoopback(serve);
}

function serve(socket: net.Socket): void {
  let answered = 0;
  let greetingLeft = PREFACE.length;
  let out: Buffer[] = [];
  const reader = new FrameReader({
    frame(type, flags, streamId) {
      if (type === FRAME.settings && (flags & FLAG.ack) === 0) out.push(frame(FRAME.settings, FLAG.ack, 0));
      if (type !== FRAME.headers) return;
      out.push(frame(FRAME.headers, FLAG.endHeaders, streamId, BLOCKS[answered % BLOCKS.length]));
      out.push(frame(FRAME.data, FLAG.endStream, streamId, BODY));
      answered += 1;
    },
    data() {},
  });
  socket.on("data", (data: Buffer) => {
    const greeting = Math.min(greetingLeft, data.length);
    greetingLeft -= greeting;
    reader.read(greeting === 0 ? data : data.subarray(greeting));
    if (out.length > 0) socket.write(Buffer.concat(out));
    out = [];
  });
  socket.write(settingsFrame([]));
}
