/** A target that takes no connection: its process stands still, and its backlog is full. */

import { spawn } from "node:child_process";
import net from "node:net";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { commandFor } from "../../src/world/runtime.ts";
import type { TestServer } from "./servers.ts";

/** A connection that has not been taken after this long meets a full backlog: loopback takes microseconds. */
const TAKEN_MS = 250;
/** More than any backlog that a runtime asks for. */
const BACKLOG_MAX = 2000;

export async function startDeafServer(): Promise<TestServer> {
  const { command, args } = commandFor(fileURLToPath(new URL("./deaf-server.mjs", import.meta.url)));
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<number>((resolve) => {
    child.stdout.once("data", (data: Buffer) => resolve(Number(data.toString())));
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  const filling: net.Socket[] = [];
  let taken = true;
  while (taken && filling.length < BACKLOG_MAX) {
    const all = Array.from({ length: 16 }, () => connects(port, filling));
    taken = (await Promise.all(all)).every(Boolean);
  }
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      for (const socket of filling) socket.destroy();
      if (child.pid !== undefined) process.kill(child.pid, "SIGKILL");
      await ended;
    },
  };
}

function connects(port: number, sockets: net.Socket[]): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ host: "127.0.0.1", port });
    sockets.push(socket);
    socket.on("error", () => resolve(false));
    socket.once("connect", () => resolve(true));
    setTimeout(() => resolve(false), TAKEN_MS);
  });
}
