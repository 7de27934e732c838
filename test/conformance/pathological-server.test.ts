import net from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type PathologicalServer, startPathological } from "./pathological-server.ts";
import { PATHOLOGIES, PATHOLOGY_NAMES, pathologyOf } from "./pathologies.ts";
import type { Truth } from "./truth.ts";

const PATIENCE_MS = 400;

const servers: PathologicalServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

/** A request on a connection of its own, which is closed by us in the end. @returns all that came back. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = net.connect({ host: "127.0.0.1", port });
    socket.on("error", () => {});
    socket.on("data", (data) => {
      answer += data.toString("latin1");
    });
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    setTimeout(() => {
      socket.destroy();
      resolve(answer);
    }, PATIENCE_MS);
  });
}

async function settled(server: PathologicalServer): Promise<Truth> {
  await expect.poll(async () => (await server.truth()).open, { timeout: 5000 }).toBe(0);
  return await server.truth();
}

describe("startPathological()", () => {
  it.each(PATHOLOGY_NAMES)("accounts for every request that it has read: %s", async (name) => {
    const server = await startPathological(name);
    servers.push(server);
    // Not more at once than the shortest backlog has room for.
    for (let round = 0; round < 2; round += 1) await Promise.all([1, 2, 3, 4].map(() => ask(server.port)));
    const { requests, answered, brokenOff, left, waiting } = await settled(server);
    const whole = Object.values(answered).reduce((sum, count) => sum + count, 0);
    expect({ requests, waiting }).toEqual({ requests: 8, waiting: 0 });
    expect(whole + brokenOff + left).toBe(8);
  });

  it("does the same to the same request whenever it comes, and else for another seed", async () => {
    const statuses = async (seed: number): Promise<number[]> => {
      const server = await startPathological("half-503", seed);
      servers.push(server);
      const answers = await Promise.all(Array.from({ length: 30 }, () => ask(server.port)));
      return answers.map((answer) => Number(answer.slice(9, 12))).toSorted();
    };
    const [one, again, other] = await Promise.all([statuses(1), statuses(1), statuses(2)]);
    expect(one).toEqual(again);
    expect(new Set(one)).toEqual(new Set([200, 503]));
    expect(other).not.toEqual(one);
  });

  it("refuses a name that is none, and says which there are", () => {
    expect(() => pathologyOf("toString")).toThrow(
      /'name' must be one of instant, fixed, .*: current value is toString/,
    );
  });

  it("has something to say of each of its ways", () => {
    for (const { says } of Object.values(PATHOLOGIES)) expect(says).not.toBe("");
  });
});
