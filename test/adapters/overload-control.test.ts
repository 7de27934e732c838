/** What is particular to the interceptor. */

import { Writable } from "node:stream";
import { Agent, type Dispatcher, interceptors, Pool, request, stream } from "undici/index.js";
import { afterEach, describe, expect, test } from "vitest";
import { overloadControl } from "../../src/adapters/overload-control.ts";
import { pause } from "../support/probe.ts";
import { rawServer } from "../support/servers.ts";
import { type CountingServer, countingServer, refusing } from "./counting-server.ts";
import { ScriptedPolicy } from "./scripted-policy.ts";

const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});
async function serve(answer: Parameters<typeof countingServer>[0]): Promise<CountingServer> {
  const server = await countingServer(answer);
  open.push(() => server.close());
  return server;
}
function closing<Closable extends Dispatcher>(dispatcher: Closable): Closable {
  open.push(() => dispatcher.destroy());
  return dispatcher;
}

describe("overloadControl()", () => {
  test("keeps the calls of dispatchers that name no origin apart, and serves several of them", async () => {
    const keys: string[] = [];
    const interceptor = overloadControl({ onEvent: ({ key }) => keys.push(key) });
    for (let number = 0; number < 2; number++) {
      const server = await serve(refusing(0));
      const pool = closing(new Pool(new URL(server.url).origin)).compose(interceptor);
      await (await pool.request({ path: "/", method: "GET" })).body.dump();
    }
    const server = await serve(refusing(0));
    const agent = closing(new Agent()).compose(interceptor);
    await (await agent.request({ origin: new URL(server.url), path: "/", method: "GET" })).body.dump();
    expect(keys).toEqual([
      "dispatcher 1",
      "dispatcher 1",
      "dispatcher 2",
      "dispatcher 2",
      new URL(server.url).origin,
      new URL(server.url).origin,
    ]);
  });

  test("takes undici's word that a request is idempotent", async () => {
    const policy = new ScriptedPolicy({ settle: ({ attempt }) => (attempt === 0 ? "retry" : "done") });
    const server = await serve((response, _request, index) => response.writeHead(index === 0 ? 500 : 200).end());
    const dispatcher = closing(new Agent()).compose(overloadControl({ policy: policy.factory, overloadedOn: [500] }));
    const { statusCode } = await request(server.url, { dispatcher, method: "POST", body: "a", idempotent: true });
    expect(statusCode).toBe(200);
  });

  test("leaves backpressure to the reader: a long answer comes whole, however slowly it is read", async () => {
    const length = 4 * 1_048_576;
    const server = await serve((response) => response.end(Buffer.alloc(length, "x")));
    const dispatcher = closing(new Agent()).compose(overloadControl());
    let read = 0;
    let chunks = 0;
    await stream(server.url, { dispatcher, method: "GET" }, () => {
      return new Writable({
        highWaterMark: 1024,
        write(chunk: Buffer, _encoding, done) {
          read += chunk.length;
          chunks += 1;
          if (chunks % 16 === 0) setTimeout(done, 1);
          else done();
        },
      });
    });
    expect(read).toBe(length);
  });

  test("goes with undici's other interceptors: redirects under it are one attempt with a history", async () => {
    const server = await serve((response, { path }, index) => {
      if (path === "/" && index === 0) response.writeHead(503).end("busy");
      else if (path === "/") response.writeHead(302, { location: "/there" }).end();
      else response.end("there");
    });
    const policy = new ScriptedPolicy();
    const dispatcher = closing(new Agent()).compose(
      interceptors.redirect({ maxRedirections: 2 }),
      overloadControl({ policy: policy.factory }),
    );
    const answer = await request(server.url, { dispatcher });
    expect([answer.statusCode, await answer.body.text()]).toEqual([200, "there"]);
    expect(policy.log.filter((entry) => entry.startsWith("settle"))).toEqual([
      "settle 0 overloaded 503 none",
      "settle 1 accepted 200 none",
    ]);
    const { history } = answer.context as { history: URL[] };
    expect(history.map(({ pathname }) => pathname)).toEqual(["/", "/there"]);
  });

  test("hands informational answers on, and waits for the one that counts", async () => {
    const server = await rawServer((socket) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n");
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone");
    });
    open.push(() => server.close());
    const policy = new ScriptedPolicy();
    const dispatcher = closing(new Agent()).compose(overloadControl({ policy: policy.factory }));
    const hints: number[] = [];
    const answer = await request(server.url, { dispatcher, onInfo: ({ statusCode }) => hints.push(statusCode) });
    expect([answer.statusCode, await answer.body.text(), hints]).toEqual([200, "done", [103]]);
    expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
  });

  test("an abort, or a time-out, of a call that is queued for a connection takes effect at once, and nothing is sent", async () => {
    let release: () => void = () => {};
    const server = await serve((response) => {
      release = () => response.end("done");
    });
    const policy = new ScriptedPolicy({ settle: () => "done" });
    const agent = closing(new Agent({ connections: 1, pipelining: 1 }));
    const dispatcher = agent.compose(overloadControl({ policy: policy.factory }));
    const impatient = agent.compose(overloadControl({ policy: policy.factory, timeoutSeconds: 0.03 }));
    const first = request(server.url, { dispatcher });
    while (server.seen.length === 0) await pause(2);
    const controller = new AbortController();
    const queued = request(server.url, { dispatcher, signal: controller.signal });
    const timed = request(server.url, { dispatcher: impatient });
    const reason = new Error("left");
    controller.abort(reason);
    await expect(queued).rejects.toBe(reason);
    await expect(timed).rejects.toThrow("No answer within 0.03 s");
    release();
    expect(await (await first).body.text()).toBe("done");
    await pause(20);
    expect(server.seen.length).toBe(1);
    expect(policy.count("abandon")).toBe(1);
  });

  test("a dispatcher that is closed refuses the call as ever, and is not asked again", async () => {
    const agent = new Agent();
    const policy = new ScriptedPolicy();
    const dispatcher = agent.compose(overloadControl({ policy: policy.factory }));
    await agent.close();
    await expect(request("http://127.0.0.1:1/", { dispatcher })).rejects.toMatchObject({ code: "UND_ERR_DESTROYED" });
    expect(policy.log).toEqual(["admit 0", "settle 0 failed 0 client"]);
  });

  test("an upgrade is an accepted answer, and its socket the caller's", async () => {
    const server = await rawServer((socket, data) => {
      if (data.startsWith("GET"))
        socket.write("HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n");
      else socket.end(data);
    });
    open.push(() => server.close());
    const policy = new ScriptedPolicy();
    const dispatcher = closing(new Pool(new URL(server.url).origin)).compose(
      overloadControl({ policy: policy.factory }),
    );
    const { socket } = await dispatcher.upgrade({ path: "/", protocol: "echo" });
    const text = new Promise((resolve) => socket.once("data", (chunk: Buffer) => resolve(chunk.toString())));
    socket.write("hello");
    expect(await text).toBe("hello");
    expect(policy.log).toEqual(["admit 0", "settle 0 accepted 101 none"]);
  });
});
