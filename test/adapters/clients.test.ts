/** What holds for the interceptor and for the fetch wrapper alike, against real servers on loopback. */

import { Readable } from "node:stream";
import { afterEach, describe, expect, test } from "vitest";
import { AttemptTimeoutError, OverloadControlError } from "../../src/adapters/overload-control-error.ts";
import type { OverloadControlEvent, OverloadControlOptions } from "../../src/index.ts";
import { pause } from "../support/probe.ts";
import { deadUrl, rawServer, type TestServer } from "../support/servers.ts";
import { type Client, type ClientKind, clientKinds } from "./clients.ts";
import { type CountingServer, countingServer, refusing } from "./counting-server.ts";
import { type Script, ScriptedPolicy } from "./scripted-policy.ts";

const open: { close(): Promise<void> }[] = [];
const unhandled: unknown[] = [];
const note = (reason: unknown): number => unhandled.push(reason);
process.on("unhandledRejection", note);

afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
  await pause(5);
  expect(unhandled.splice(0)).toEqual([]);
});

function closing<Closable extends { close(): Promise<void> }>(closable: Closable): Closable {
  open.push(closable);
  return closable;
}

async function serve(answer: Parameters<typeof countingServer>[0]): Promise<CountingServer> {
  return closing(await countingServer(answer));
}

async function serveRaw(...args: Parameters<typeof rawServer>): Promise<TestServer> {
  return closing(await rawServer(...args));
}

const never = (): void => {};

describe.each(clientKinds)("$name", (kind: ClientKind) => {
  const client = (options: OverloadControlOptions = {}): Client => closing(kind.make(options));
  /** On Deno, undici's own fetch never tells that a body broke off, without overload control either. */
  const isDeaf = kind.repeats === "none" && "Deno" in globalThis;
  const scripted = (script: Script = {}, options: OverloadControlOptions = {}) => {
    const policy = new ScriptedPolicy(script);
    const events: OverloadControlEvent[] = [];
    const made = client({ policy: policy.factory, onEvent: (event) => events.push(event), ...options });
    return { policy, events, client: made };
  };

  test("an accepted answer is handed over as it is, after one admit and one settle", async () => {
    const server = await serve((response) => response.writeHead(404, { "x-a": "b" }).end("nothing here"));
    const { client, policy } = scripted();
    const reply = await client.send(`${server.url}thing?q=1`);
    expect([reply.status, reply.header("x-a"), await reply.text()]).toEqual([404, "b", "nothing here"]);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(["GET /thing?q=1"]);
    expect(policy.log).toEqual(["admit 0", "settle 0 accepted 404 none"]);
  });

  test("a 503 is sent again, on the same connection, and the caller sees the answer that followed", async () => {
    const server = await serve(refusing(2));
    const { client, policy, events } = scripted();
    const reply = await client.send(server.url);
    expect([reply.status, await reply.text(), reply.header("x-number")]).toEqual([200, "done", "2"]);
    expect(server.seen.length).toBe(3);
    expect(server.connections).toBeLessThanOrEqual(2);
    expect(policy.log).toEqual([
      "admit 0",
      "settle 0 overloaded 503 none",
      "admit 1",
      "settle 1 overloaded 503 none",
      "admit 2",
      "settle 2 accepted 200 none",
    ]);
    expect(events.map((event) => (event.type === "attempt" ? `${event.type} ${event.class}` : event.type))).toEqual([
      "attempt overloaded",
      "attempt overloaded",
      "attempt accepted",
      "call",
    ]);
    expect(events.at(-1)).toMatchObject({ outcome: "ok", attempts: 3, key: new URL(server.url).origin });
  });

  test("the last 503 is handed over with its body when the attempts are used up", async () => {
    const server = await serve(refusing(99));
    const { client, events } = scripted();
    const reply = await client.send(server.url);
    expect([reply.status, reply.header("x-number"), await reply.text()]).toEqual([503, "2", "too much"]);
    expect(events.at(-1)).toMatchObject({ type: "call", outcome: "failed", attempts: 3 });
  });

  test("a body comes while it is still being made", async () => {
    let finish = never;
    const server = await serve((response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      response.write("first ");
      finish = () => response.end("last");
    });
    const reply = await client().send(server.url);
    finish();
    expect(await reply.text()).toBe("first last");
  });

  test("a call that is refused is not sent, and says why, for whom and with a stable code", async () => {
    const server = await serve(refusing(0));
    const { client, policy, events } = scripted({ admit: () => "broken" });
    const error = await client.send(server.url).then(never, (reason) => reasonOf(reason));
    expect(error).toBeInstanceOf(OverloadControlError);
    expect(error).toMatchObject({
      outcome: "broken",
      code: "OVERLOAD_CONTROL_BROKEN",
      key: new URL(server.url).origin,
      attempts: 0,
      status: 0,
    });
    expect(server.seen).toEqual([]);
    expect(policy.log).toEqual(["admit 0"]);
    expect(events).toMatchObject([{ type: "call", outcome: "broken", attempts: 0 }]);
  });

  test("a retry that the policy denies, or refuses at once, leaves the caller with the 503 that there is", async () => {
    const server = await serve(refusing(99));
    const denied = scripted({ settle: () => "budget" });
    const first = await denied.client.send(server.url);
    expect([first.status, await first.text()]).toEqual([503, "too much"]);
    expect(denied.events.at(-1)).toMatchObject({ type: "call", outcome: "budget", attempts: 1 });
    const refused = scripted({ admit: ({ attempt }) => (attempt === 0 ? "send" : "throttled") });
    const second = await refused.client.send(server.url);
    expect([second.status, await second.text()]).toEqual([503, "too much"]);
    expect(refused.events.at(-1)).toMatchObject({ type: "call", outcome: "throttled", attempts: 1 });
    expect(refused.policy.count("abandon")).toBe(0);
    expect(server.seen.length).toBe(2);
  });

  test("a retry that is refused after its backoff is an error with the status of the last answer", async () => {
    const server = await serve(refusing(99));
    const { client } = scripted({
      admit: ({ attempt }) => (attempt === 0 ? "send" : "deadline"),
      settle: (call) => {
        call.delaySeconds = 0.01;
        return "retry";
      },
    });
    const error = await client.send(server.url).then(never, (reason) => reasonOf(reason));
    expect(error).toMatchObject({ code: "OVERLOAD_CONTROL_DEADLINE", attempts: 1, status: 503 });
  });

  test("waits for its admission and between attempts as long as the policy says", async () => {
    const server = await serve(refusing(1));
    const { client, policy, events } = scripted({
      admit: (call, times) => {
        if (times > 2) return "send";
        call.delaySeconds = 0.02;
        return "wait";
      },
      settle: (call, verdict) => {
        call.delaySeconds = 0.03;
        return verdict === "accepted" ? "done" : "retry";
      },
    });
    const start = performance.now();
    const reply = await client.send(server.url);
    expect(await reply.text()).toBe("done");
    expect(performance.now() - start).toBeGreaterThan(2 * 20 + 30 - 5);
    expect(policy.log).toEqual([
      "admit 0",
      "admit 0",
      "admit 0",
      "settle 0 overloaded 503 none",
      "admit 1",
      "settle 1 accepted 200 none",
    ]);
    expect(events.filter(({ type }) => type === "wait")).toMatchObject([
      { attempt: 0, seconds: 0.02 },
      { attempt: 0, seconds: 0.02 },
      { attempt: 1, seconds: 0.03 },
    ]);
  });

  test("hands the hints of an answer to the policy, with a date of its own where the answer has none", async () => {
    const server = await serve((response, _request, index) => {
      if (index > 0) response.sendDate = false;
      response.writeHead(503, index === 2 ? {} : { "Retry-After": "7" }).end();
    });
    const { client, policy } = scripted();
    await client.send(server.url);
    const [dated, undated, without] = policy.headers;
    expect(dated?.slice(0, 2)).toEqual(["retry-after", "7"]);
    expect(Date.parse(dated?.[dated.indexOf("date") + 1] ?? "")).not.toBeNaN();
    expect(Math.abs(Date.parse(undated?.[3] ?? "") - Date.now())).toBeLessThan(10_000);
    expect(without).toBeUndefined();
  });

  test("sends the headers that the policy asks for, beside the caller's and instead of those of the same name", async () => {
    const server = await serve(refusing(1));
    const { client } = scripted({
      admit: (call) => {
        call.requestHeaders = ["x-attempt", String(call.attempt), "x-other", "policy"];
        return "send";
      },
    });
    await client.send(server.url, { headers: { "X-Other": "caller", "x-mine": "kept" } });
    expect(server.seen.map(({ headers }) => [headers["x-attempt"], headers["x-other"], headers["x-mine"]])).toEqual([
      ["0", "policy", "kept"],
      ["1", "policy", "kept"],
    ]);
  });

  /** Only the first attempt has little time, and only the others are answered: nothing depends on how fast they are. */
  const hurried: Script = {
    admit: (call) => {
      call.requestHeaders = ["x-attempt", String(call.attempt)];
      if (call.attempt === 0) call.timeoutSeconds = 0.05;
      return "send";
    },
  };
  const answeringRetries: Parameters<typeof countingServer>[0] = (response, { headers }) => {
    if (headers["x-attempt"] !== "0") response.end("in time");
  };

  test("an attempt over its time is an overload by timeout, and is sent again", async () => {
    const server = await serve(answeringRetries);
    const { client, policy, events } = scripted(hurried);
    const reply = await client.send(server.url);
    expect(await reply.text()).toBe("in time");
    expect(policy.log[1]).toBe("settle 0 overloaded 0 timeout");
    expect(events[0]).toMatchObject({ type: "attempt", fault: "timeout", status: 0 });
  });

  test("a policy may lower an attempt's time, and the last time-out is the caller's error", async () => {
    const server = await serve(never);
    const { client } = scripted(
      {
        admit: (call) => {
          expect(call.timeoutSeconds).toBe(60);
          call.timeoutSeconds = 0.03;
          return "send";
        },
      },
      { timeoutSeconds: 60 },
    );
    const error = await client.send(server.url).then(never, (reason) => reasonOf(reason));
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect(error).toMatchObject({ name: "TimeoutError", code: "OVERLOAD_CONTROL_TIMEOUT", timeoutSeconds: 0.03 });
  });

  test("a body may take longer than its attempt's time", async () => {
    const server = await serve((response) => {
      response.writeHead(200).write("early ");
      setTimeout(() => response.end("late"), 1200);
    });
    const reply = await client({ timeoutSeconds: 1 }).send(server.url);
    expect(await reply.text()).toBe("early late");
  });

  test("a refused connection and a reset one are overloads, and their error is the transport's own", async () => {
    const refused = scripted();
    const refusedError = await refused.client.send(await deadUrl()).then(never, (reason: unknown) => reason);
    expect(refusedError).toBeInstanceOf(Error);
    expect(refusedError).not.toBeInstanceOf(OverloadControlError);
    expect(refused.policy.log.filter((entry) => entry.startsWith("settle"))).toEqual([
      "settle 0 overloaded 0 refused",
      "settle 1 overloaded 0 refused",
      "settle 2 overloaded 0 refused",
    ]);
    const server = await serveRaw((socket) => socket.destroy());
    const reset = scripted();
    await expect(reset.client.send(server.url)).rejects.toThrow();
    expect(reset.policy.log.filter((entry) => entry.startsWith("settle"))).toEqual([
      "settle 0 overloaded 0 reset",
      "settle 1 overloaded 0 reset",
      "settle 2 overloaded 0 reset",
    ]);
  });

  test("what counts as overload is the caller's to say", async () => {
    const server = await serve((response, _request, index) => response.writeHead([500, 503, 200][index] ?? 200).end());
    const { client, policy } = scripted({}, { overloadedOn: ["5xx"] });
    expect((await client.send(server.url)).status).toBe(200);
    expect(policy.log[1]).toBe("settle 0 overloaded 500 none");
    const narrow = scripted({}, { overloadedOn: [429] });
    await expect(narrow.client.send(await deadUrl())).rejects.toThrow();
    expect(narrow.policy.log).toEqual(["admit 0", "settle 0 failed 0 refused"]);
  });

  describe("the body of a request", () => {
    const form = (): FormData => {
      const data = new FormData();
      data.append("name", "value");
      return data;
    };
    const bodies: Readonly<Record<string, () => unknown>> = {
      text: () => "value",
      "a buffer": () => new TextEncoder().encode("value"),
      "a form": form,
      parameters: () => new URLSearchParams({ name: "value" }),
      "a blob": () => new Blob(["value"]),
      "an array buffer": () => new TextEncoder().encode("value").buffer,
    };
    const repeated = { all: Object.keys(bodies), plain: ["text", "a buffer"], none: [] }[kind.repeats];
    test.each(repeated)("that is %s is sent whole with every attempt", async (name) => {
      const server = await serve(refusing(1));
      const { client } = scripted();
      const reply = await client.send(server.url, { method: "PUT", body: bodies[name]?.() });
      expect([reply.status, await reply.text()]).toEqual([200, "done"]);
      expect(server.seen.map((each) => each.body.includes("value"))).toEqual([true, true]);
      expect(server.seen[1]?.body.length).toBe(server.seen[0]?.body.length);
    });

    test("that is a stream is sent once: the caller gets the 503, and an event says why", async () => {
      const server = await serve(refusing(1));
      const { client, policy, events } = scripted();
      const body = kind.repeats === "plain" ? Readable.from(["val", "ue"]) : streamOf(["val", "ue"]);
      const reply = await client.send(server.url, { method: "PUT", body, ...half });
      expect([reply.status, await reply.text()]).toEqual([503, "too much"]);
      expect(server.seen.map((each) => each.body)).toEqual(["value"]);
      expect(events.find(({ type }) => type === "notResent")).toMatchObject({ obstacle: "body", attempt: 1 });
      expect(events.at(-1)).toMatchObject({ type: "call", outcome: "failed", attempts: 1 });
      expect(policy.log).toEqual(["admit 0", "settle 0 overloaded 503 none", "abandon 1"]);
    });

    test("that is a stream is not touched when the call is refused", async () => {
      const server = await serve(refusing(0));
      const { client } = scripted({ admit: () => "throttled" });
      const body = kind.repeats === "plain" ? Readable.from(["value"]) : streamOf(["value"]);
      const error = await client
        .send(server.url, { method: "POST", body, ...half })
        .then(never, (reason) => reasonOf(reason));
      expect(error).toMatchObject({ outcome: "throttled" });
      expect(server.seen).toEqual([]);
    });
  });

  describe.skipIf(kind.repeats === "none")("a POST", () => {
    const post = { method: "POST", body: "value" };

    test("is sent again after a 503, after a 429 and after a refused connection", async () => {
      for (const status of [503, 429]) {
        const server = await serve((response, _request, index) => response.writeHead(index === 0 ? status : 200).end());
        const { client } = scripted();
        expect((await client.send(server.url, post)).status).toBe(200);
      }
      const { client, policy } = scripted();
      await expect(client.send(await deadUrl(), post)).rejects.toThrow();
      expect(policy.count("admit")).toBe(3);
    });

    test("is not sent again after a time-out, a reset or another status, for the work may have been done", async () => {
      const silent = await serve(never);
      const timed = scripted({}, { timeoutSeconds: 0.03 });
      await expect(timed.client.send(silent.url, post)).rejects.toThrow("No answer within 0.03 s");
      const cutting = await serveRaw((socket) => socket.destroy());
      const reset = scripted();
      await expect(reset.client.send(cutting.url, post)).rejects.toThrow();
      const failing = await serve((response) => response.writeHead(500).end("half done"));
      const failed = scripted({}, { overloadedOn: [500] });
      expect(await (await failed.client.send(failing.url, post)).text()).toBe("half done");
      for (const { policy, events } of [timed, reset, failed]) {
        expect(policy.count("admit")).toBe(1);
        expect(policy.count("abandon")).toBe(1);
        expect(events.find(({ type }) => type === "notResent")).toMatchObject({ obstacle: "method" });
      }
      // Within the time it may not even have come there.
      expect(silent.seen.length).toBeLessThanOrEqual(1);
    });

    test("is sent again after any overload on the caller's word", async () => {
      const server = await serve(answeringRetries);
      const { client } = scripted(hurried, { retryUnsafe: true });
      expect(await (await client.send(server.url, post)).text()).toBe("in time");
    });
  });

  describe("an abort", () => {
    const reason = new Error("the caller left");
    const waiting = (call: { delaySeconds: number }): "wait" => {
      call.delaySeconds = 60;
      return "wait";
    };

    test("before the call sends nothing and asks the policy nothing", async () => {
      const server = await serve(refusing(0));
      const { client, policy } = scripted();
      const error = await client.send(server.url, { signal: AbortSignal.abort(reason) }).then(never, (e: unknown) => e);
      expect(error).toBe(reason);
      expect(policy.log).toEqual([]);
      expect(server.seen).toEqual([]);
    });

    test.each([
      ["while it waits for its admission", { admit: waiting } satisfies Script, 0, 0],
      ["during the attempt", {} satisfies Script, 1, 0],
      [
        "during a backoff",
        {
          settle: (call) => {
            call.delaySeconds = 60;
            return "retry";
          },
        } satisfies Script,
        1,
        1,
      ],
    ])("%s rejects with its reason, and the policy is told once", async (when, script, seen, attempt) => {
      const server = await serve((response) => {
        if (when === "during a backoff") response.writeHead(503).end();
      });
      const { client, policy, events } = scripted(script);
      const controller = new AbortController();
      const ended = client.send(server.url, { signal: controller.signal }).then(never, (e: unknown) => e);
      await until(() => server.seen.length === seen && policy.log.length > 0);
      await until(() => when !== "during a backoff" || policy.count("settle") === 1);
      controller.abort(reason);
      expect(await ended).toBe(reason);
      expect(policy.log.filter((entry) => entry.startsWith("abandon"))).toEqual([`abandon ${attempt}`]);
      expect(events.at(-1)).toMatchObject({ type: "call", outcome: "aborted", attempts: seen });
      await pause(20);
      expect(server.seen.length).toBe(seen);
      expect(policy.count("abandon")).toBe(1);
    });

    test.skipIf(isDeaf)("still holds while the body is read, also when attempts have a time of their own", async () => {
      for (const timeoutSeconds of [undefined, 60]) {
        const server = await serve((response) => void response.writeHead(200).write("begin"));
        const { client, policy } = scripted({}, { timeoutSeconds });
        const controller = new AbortController();
        const reply = await client.send(server.url, { signal: controller.signal });
        const text = reply.text().then(never, (e: unknown) => e);
        await pause(20);
        controller.abort(reason);
        expect(await text).toBeInstanceOf(Error);
        expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
      }
    });

    test("after the answer changes nothing", async () => {
      const server = await serve(refusing(0));
      const { client, policy } = scripted();
      const controller = new AbortController();
      const reply = await client.send(server.url, { signal: controller.signal });
      await reply.text();
      controller.abort(reason);
      await pause(5);
      expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
    });
  });

  test.skipIf(isDeaf)(
    "a body that breaks off after its headers were handed over settles once, as what its headers said",
    async () => {
      const server = await serveRaw((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nbegin");
        setTimeout(() => socket.destroy(), 20);
      });
      const { client, policy, events } = scripted();
      const reply = await client.send(server.url);
      await expect(reply.text()).rejects.toThrow();
      expect(policy.log).toEqual(["admit 0", "settle 0 accepted 200 none"]);
      expect(events.filter(({ type }) => type === "call").length).toBe(1);
    },
  );

  test.skipIf(isDeaf)("the body of a 503 that breaks off, or never ends, does not keep the next attempt", async () => {
    const server = await serveRaw((socket, data) => {
      if (data.includes("/break")) {
        socket.write("HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\nbegin");
        socket.end();
      } else {
        socket.write("HTTP/1.1 503 Busy\r\ncontent-length: 100\r\n\r\nbegin");
      }
    });
    for (const path of ["break", "hang"]) {
      const { client, policy } = scripted({ settle: ({ attempt }) => (attempt === 0 ? "retry" : "done") });
      const reply = await client.send(`${server.url}${path}`);
      expect(reply.status).toBe(503);
      expect(policy.count("settle")).toBe(2);
      await client.close();
      if (path === "break") await expect(reply.text()).rejects.toThrow();
      else void reply.text().catch(never);
    }
  });

  test("a long body of a 503 is cut off instead of read", async () => {
    let written = 0;
    const server = await serve((response, _request, index) => {
      if (index > 0) {
        response.end("done");
        return;
      }
      response.writeHead(503);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    });
    const { client } = scripted();
    expect(await (await client.send(server.url)).text()).toBe("done");
    expect(written).toBeLessThan(64 * 1_048_576);
  });

  test("HEAD and 204 answers, which have no body, are handed over and retried over", async () => {
    const server = await serve((response, request, index) => {
      if (index % 2 === 0) response.writeHead(503, { "content-length": "8" });
      else response.writeHead(request.method === "HEAD" ? 200 : 204);
      response.end(request.method === "HEAD" || index % 2 === 1 ? undefined : "too much");
    });
    const { client } = scripted();
    expect((await client.send(server.url, { method: "HEAD" })).status).toBe(200);
    const empty = await client.send(server.url, { method: "DELETE" });
    expect([empty.status, await empty.text()]).toEqual([204, ""]);
    expect(server.seen.length).toBe(4);
  });

  test("200 calls at once all get their answers, and each attempt its settle", async () => {
    const server = await serve((response, _request, index) => {
      setTimeout(() => response.writeHead(index % 3 === 0 ? 503 : 200).end("x"), 5);
    });
    const { client, policy } = scripted({
      settle: ({ attempt }, verdict) => (verdict === "overloaded" && attempt < 50 ? "retry" : "done"),
    });
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.send(server.url)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    await Promise.all(replies.map((reply) => reply.text()));
    expect(policy.count("settle")).toBe(server.seen.length);
    expect(policy.count("admit")).toBe(server.seen.length);
    expect(policy.count("abandon")).toBe(0);
  });

  test("in a storm of 503s the sre preset keeps its retry budget and sends less than it is asked to", async () => {
    const server = await serve(refusing(1_000_000));
    const made = client({ policy: "sre", k: 1.5, random: lcg(7) });
    const outcomes = new Map<string, number>();
    for (let call = 0; call < 300; call++) {
      const outcome = await made.send(server.url).then(
        async (reply) => {
          await reply.text();
          return String(reply.status);
        },
        (error) => (reasonOf(error) as OverloadControlError).code,
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()].sort()).toEqual(["503", "OVERLOAD_CONTROL_THROTTLED"]);
    // Nothing is accepted: at attempt n with n requests before it p is n / (n + 1), so that about ln 300 are sent.
    expect(server.seen.length).toBeGreaterThan(0);
    expect(server.seen.length).toBeLessThan(40);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test("a healthy backend sees every call once under the sre preset", async () => {
    const server = await serve(refusing(0));
    const made = client({ policy: "sre", random: lcg(3) });
    for (let call = 0; call < 100; call++) await (await made.send(server.url)).text();
    expect(server.seen.length).toBe(100);
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  test("modifiers go with any preset: Retry-After is waited for, and attempts are numbered", async () => {
    const server = await serve(refusing(1, { "retry-after": "1" }));
    const made = client({ policy: "retry", retryAfter: "retry", attemptHeader: "x-attempt" });
    const start = performance.now();
    expect(await (await made.send(server.url)).text()).toBe("done");
    // Timers of Node may come a millisecond early.
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(server.seen.map(({ headers }) => headers["x-attempt"])).toEqual(["0", "1"]);
  });

  test("a deadline bounds the call: what is left is the attempt's time, and a retry beyond it is not made", async () => {
    const silent = await serve(never);
    const hurried = client({ policy: "retry", deadline: "100ms", deadlineHeader: "x-left-ms" });
    const error = reasonOf(await hurried.send(silent.url).then(never, (e: unknown) => e));
    expect(error).toBeInstanceOf(AttemptTimeoutError);
    expect((error as AttemptTimeoutError).timeoutSeconds).toBeLessThanOrEqual(0.1);
    const busy = await serve(refusing(9, { "retry-after": "60" }));
    const bounded = client({ policy: "retry", retryAfter: "retry", deadline: "20s" });
    const reply = await bounded.send(busy.url);
    expect([reply.status, await reply.text(), busy.seen.length]).toEqual([503, "too much", 1]);
  });

  test("each origin has a policy of its own, unless keyOf says otherwise", async () => {
    const good = await serve(refusing(0));
    const bad = await serve(refusing(1_000_000));
    const keys: string[] = [];
    const apart = client({ policy: "sre", random: lcg(5), onEvent: ({ key }) => keys.push(key) });
    for (let call = 0; call < 20; call++) {
      await apart.send(bad.url).then((reply) => reply.text(), never);
      expect((await apart.send(good.url)).status).toBe(200);
    }
    expect(new Set(keys)).toEqual(new Set([new URL(good.url).origin, new URL(bad.url).origin]));
    const together = scripted({}, { keyOf: ({ method, path }) => `${method} ${path}` });
    await (await together.client.send(`${good.url}a?b`)).text();
    expect(together.events.at(-1)?.key).toBe("GET /a?b");
  });

  test("a policy that throws fails the call and nothing else", async () => {
    const server = await serve(refusing(0));
    const bug = new Error("a bug in the policy");
    const atAdmit = scripted({
      admit: () => {
        throw bug;
      },
    });
    expect(reasonOf(await atAdmit.client.send(server.url).then(never, (e: unknown) => e))).toBe(bug);
    const atSettle = scripted({
      settle: () => {
        throw bug;
      },
    });
    expect(reasonOf(await atSettle.client.send(server.url).then(never, (e: unknown) => e))).toBe(bug);
  });

  test("hooks that throw change nothing", async () => {
    const server = await serve(refusing(1));
    const fail = (): never => {
      throw new Error("a bug in the metrics");
    };
    const made = client({ policy: "retry", onEvent: fail, meter: { createCounter: () => ({ add: fail }) } });
    expect(await (await made.send(server.url)).text()).toBe("done");
  });
});

/** `fetch` wants to be told that it need not wait for the end of a stream before it reads the answer. */
const half = { duplex: "half" } as object;

/** undici's fetch wraps what a dispatcher reports. */
function reasonOf(error: unknown): unknown {
  if (error instanceof TypeError && error.message === "fetch failed" && error.cause !== undefined) return error.cause;
  return error;
}

function streamOf(chunks: readonly string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 2000) throw new Error("It did not come to pass");
    await pause(2);
  }
}

/** A small generator: the same numbers on every runtime. */
function lcg(seed: number): { random(): number } {
  let state = seed;
  return {
    random: () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    },
  };
}
