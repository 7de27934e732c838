import { describe, expect, it } from "vitest";
import { AddressBook, addressBookFor } from "../../../src/world/real/addresses.ts";
import { PLAIN_CONNECTIONS } from "../../support/trial-spec.ts";

/** A clock, and a DNS whose answers are, question by question, what the test says. The last one stays. */
function world(...answers: (readonly string[] | Error)[]) {
  const left = [...answers];
  const asked: string[] = [];
  const state = { seconds: 100 };
  return {
    asked,
    state,
    sources: {
      now: () => state.seconds,
      async lookup(name: string) {
        asked.push(name);
        const answer = (left.length > 1 ? left.shift() : left[0]) ?? [];
        if (answer instanceof Error) throw answer;
        return answer;
      },
    },
  };
}

function taken(book: AddressBook, count: number): string {
  return Array.from({ length: count }, () => book.first()?.to).join(" ");
}

/** Lets a look-up in the background come to its end. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

const NOT_FOUND = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });

describe("AddressBook", () => {
  it("takes all addresses of a name in turn, one for each connection, each once however often it was named", async () => {
    const { sources } = world(["a", "b", "a", "c"]);
    const book = new AddressBook("name", [], 30, sources);
    expect(book.first()).toBeUndefined();
    await book.known();
    expect(taken(book, 7)).toBe("a b c a b c a");
  });

  it("asks once for a name, however many wait for it", async () => {
    const { sources, asked } = world(["a"]);
    const book = new AddressBook("name", [], 30, sources);
    await Promise.all([book.known(), book.known(), book.known()]);
    expect(asked).toEqual(["name"]);
  });

  it("never asks for addresses that are fixed", async () => {
    const { sources, asked, state } = world(["other"]);
    const book = new AddressBook("name", ["a", "b"], 1, sources);
    await book.known();
    state.seconds += 1e6;
    expect(taken(book, 3)).toBe("a b a");
    expect(asked).toEqual([]);
  });

  it("asks again in the background when the answer has grown old, which serves meanwhile", async () => {
    const { sources, asked, state } = world(["a"], ["b"]);
    const book = new AddressBook("name", [], 30, sources);
    await book.known();
    state.seconds += 29;
    expect(taken(book, 2)).toBe("a a");
    expect(asked.length).toBe(1);
    state.seconds += 1;
    expect(taken(book, 2)).toBe("a a");
    expect(asked.length).toBe(2);
    await settled();
    expect(taken(book, 2)).toBe("b b");
    expect(asked.length).toBe(2);
  });

  it("keeps the old answer, and counts, when the name cannot be looked up again", async () => {
    const { sources, asked, state } = world(["a"], NOT_FOUND, [], ["b"]);
    const book = new AddressBook("name", [], 30, sources);
    await book.known();
    for (const failures of [1, 2]) {
      state.seconds += 30;
      book.first();
      await settled();
      expect(taken(book, 3)).toBe("a a a");
      expect(book.renewalsFailed).toBe(failures);
    }
    expect(asked.length).toBe(3);
    state.seconds += 30;
    book.first();
    await settled();
    expect(taken(book, 2)).toBe("b b");
  });

  it("asks at most once a second for a name that is not found, and tells everybody why", async () => {
    const { sources, asked, state } = world(NOT_FOUND, NOT_FOUND, ["a"]);
    const book = new AddressBook("name", [], 30, sources);
    await expect(book.known()).rejects.toBe(NOT_FOUND);
    await expect(book.known()).rejects.toBe(NOT_FOUND);
    expect(asked.length).toBe(1);
    state.seconds += 1;
    await expect(book.known()).rejects.toBe(NOT_FOUND);
    state.seconds += 1;
    await book.known();
    expect(taken(book, 1)).toBe("a");
    expect(book.renewalsFailed).toBe(0);
  });

  it("takes an answer without addresses for a name that is not found", async () => {
    const { sources } = world([]);
    await expect(new AddressBook("name", [], 30, sources).known()).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("passes over an address that refused for a second, sharing its turns out evenly", () => {
    const { sources, state } = world();
    const book = new AddressBook("", ["a", "b", "c"], 30, sources);
    const bad = book.first();
    expect(bad?.to).toBe("a");
    book.refused(bad as never);
    expect(taken(book, 4)).toBe("b c b c");
    state.seconds += 1;
    expect(taken(book, 3)).toBe("a b c");
  });

  it("tries each address once for a connection, those that refused a moment ago last", () => {
    const { sources } = world();
    const book = new AddressBook("", ["a", "b", "c"], 30, sources);
    const [a, b, c] = [book.first(), book.first(), book.first()] as never[];
    book.refused(b as never);
    expect(book.first()).toBe(a);
    expect(book.after([a as never])).toBe(c);
    expect(book.after([a as never, c as never])).toBe(b);
    expect(book.after([a as never, b as never, c as never])).toBeUndefined();
  });

  it("has all addresses take their turns when all refused", () => {
    const { sources } = world();
    const book = new AddressBook("", ["a", "b"], 30, sources);
    for (const address of [book.first(), book.first()]) book.refused(address as never);
    expect(taken(book, 4)).toBe("a b a b");
  });

  it("has nothing else to try for a single address", () => {
    const book = new AddressBook("", ["a"], 30, world().sources);
    const only = book.first();
    expect(book.after([only as never])).toBeUndefined();
  });

  it("remembers how many connections went to an address that is no longer an answer", async () => {
    const { sources, state } = world(["a", "unused"], ["b"]);
    const book = new AddressBook("name", [], 1, sources);
    await book.known();
    (book.first() as { opened: number }).opened += 2;
    state.seconds += 1;
    book.first();
    await settled();
    (book.first() as { opened: number }).opened += 1;
    expect(book.opened).toEqual({ a: 2, b: 1 });
  });
});

describe("addressBookFor()", () => {
  const RESOLVE = [
    { host: "Example.com", port: 443, addresses: ["10.0.0.1", "fd00::1"] },
    { host: "example.com", port: 80, addresses: ["10.0.0.2"] },
  ];

  it.each([
    ["http://127.0.0.1:8080/", {}, "127.0.0.1"],
    ["http://[::1]:8080/", {}, "::1"],
    ["https://example.com/", { resolve: RESOLVE }, "10.0.0.1 fd00::1"],
    ["http://example.com/", { resolve: RESOLVE }, "10.0.0.2"],
    ["http://10.0.0.9/", { resolve: [{ host: "10.0.0.9", port: 80, addresses: ["10.0.0.3"] }] }, "10.0.0.3"],
    ["http://example.com/", { resolve: RESOLVE, unixPath: "/run/x.sock" }, "/run/x.sock"],
  ] as const)("knows where %s with %j is without asking", async (url, change, addresses) => {
    const { sources, asked } = world(["asked"]);
    const book = addressBookFor(new URL(url), { ...PLAIN_CONNECTIONS, ...change }, sources);
    expect(taken(book, addresses.split(" ").length)).toBe(addresses);
    expect(asked).toEqual([]);
  });

  it("asks for a name that no entry is for", async () => {
    const { sources, asked } = world(["10.9.9.9"]);
    const spec = { ...PLAIN_CONNECTIONS, resolve: RESOLVE };
    const book = addressBookFor(new URL("http://example.com:8080/"), spec, sources);
    await book.known();
    expect(asked).toEqual(["example.com"]);
    expect(taken(book, 1)).toBe("10.9.9.9");
  });

  it("finds localhost as the system does", async () => {
    const book = addressBookFor(new URL("http://localhost/"), PLAIN_CONNECTIONS);
    await book.known();
    expect(["127.0.0.1", "::1"]).toContain(book.first()?.to);
  });
});
