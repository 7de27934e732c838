import { connect, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { NullStats } from "../../targets/null/server.ts";
import { send, stopTargets, TargetProcess } from "./target-process.ts";

afterEach(stopTargets);

async function start(): Promise<{ target: TargetProcess; url: string; port: number }> {
  const target = new TargetProcess(["--port", "0", "--exit-with-parent"], "targets/null-server");
  const { url, port } = await target.ready();
  return { target, url, port };
}

async function requestsSeen(url: string): Promise<number> {
  return (JSON.parse((await send(`${url}/__stats`)).body) as NullStats).requests;
}

/** Opens a connection; `until` resolves with all that came when that is as long as told. */
async function open(port: number): Promise<{ socket: Socket; until: (answers: number) => Promise<string> }> {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  let text = "";
  let heard: () => void = () => {};
  socket.on("data", (data) => {
    text += data.toString("latin1");
    heard();
  });
  return {
    socket,
    until: (answers) =>
      new Promise((resolve) => {
        heard = () => {
          if (text.split("HTTP/1.1 ").length - 1 >= answers) resolve(text);
        };
        heard();
      }),
  };
}

const GET = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

describe("the null server", () => {
  test("answers 200 on a connection that it keeps, and counts", async () => {
    const { url, port } = await start();
    const { socket, until } = await open(port);
    for (let sent = 1; sent <= 5; sent += 1) {
      socket.write(GET);
      expect((await until(sent)).split("HTTP/1.1 200 OK").length - 1).toBe(sent);
    }
    socket.destroy();
    expect(await requestsSeen(url)).toBe(5);
    expect(await requestsSeen(url)).toBe(5);
  });

  test("answers each of several requests in one piece, and one in several pieces once, remembered or not", async () => {
    const { url, port } = await start();
    const { socket, until } = await open(port);
    socket.write(GET + GET + GET);
    await until(3);
    socket.write(GET);
    await until(4);
    for (const piece of [GET.slice(0, 5), GET.slice(5, -2), GET.slice(-2)]) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await until(5);
    socket.write(`POST / HTTP/1.1\r\nContent-Length: ${GET.length}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
    // The body is the very bytes of a request that was answered before.
    socket.write(GET);
    await until(6);
    socket.destroy();
    expect(await requestsSeen(url)).toBe(6);
  });

  test("closes after the answer when the client says so, and after what it cannot read", async () => {
    const { port } = await start();
    for (const [text, status] of [
      ["GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 200],
      ["POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", 501],
      ["nonsense\r\n\r\n", 400],
    ] as const) {
      const { socket, until } = await open(port);
      const closed = new Promise((resolve) => socket.once("end", resolve));
      socket.write(text);
      await closed;
      expect(await until(1)).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*Connection: close`));
    }
  });

  test("answers HEAD without a body", async () => {
    const { port } = await start();
    const { socket, until } = await open(port);
    socket.write("HEAD / HTTP/1.1\r\n\r\n");
    socket.write(GET);
    expect((await until(2)).split("ok").length - 1).toBe(1);
    socket.destroy();
  });

  test("ends with its parent, and with exit code 0 at SIGTERM, connections or not", async () => {
    const leaving = await start();
    const { socket } = await open(leaving.port);
    socket.on("error", () => {});
    leaving.target.child.stdin.end();
    expect(await leaving.target.ended).toMatchObject({ code: 0, stderr: "" });
    const told = await start();
    told.target.signal("SIGTERM");
    expect(await told.target.ended).toMatchObject({ code: 0, stderr: "" });
  });

  test.each([
    [["--port", "70000"], /^null: Cannot use --port .*'70000' \(see --help\)\n$/],
    [["--port", "-1"], /^null: Cannot use --port as its value must not begin with a dash: .*\(see --help\)\n$/],
    [["--color"], /^null: .*--color.*\(see --help\)\n$/],
  ])("says in one line what is wrong with %j, exit code 2", async (flags, line) => {
    const { code, stdout, stderr } = await new TargetProcess(flags, "targets/null-server").ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(line);
  });
});
