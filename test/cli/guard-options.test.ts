import { describe, expect, it } from "vitest";
import type { CliError } from "../../src/cli/cli-error.ts";
import type { Add, Parse } from "../../src/cli/flags/add-option.ts";
import { addGuardOptions, checkGuards, confirmTarget, type GuardedTarget } from "../../src/cli/flags/guard-options.ts";
import type { Host } from "../../src/cli/host.ts";

/** The parser of a flag. */
function parserOf(name: string): (text: string, before?: unknown) => unknown {
  const parsers = new Map<string, Parse | undefined>();
  const add: Add = (flags, _text, parse) => void parsers.set(flags.split(" ")[0] ?? "", parse);
  addGuardOptions(add);
  return (text, before) => parsers.get(name)?.(text, before as never);
}

const allow = (...texts: readonly string[]): NonNullable<GuardedTarget["allow"]> =>
  texts.reduce<unknown>((before, text) => parserOf("--allow")(text, before), undefined) as NonNullable<
    GuardedTarget["allow"]
  >;

type Answer = Awaited<ReturnType<Host["ask"]>>;

interface Asked {
  readonly error: CliError | undefined;
  readonly stderr: string;
  readonly waited: number | undefined;
}

/** @param answer undefined: there is nobody to be asked; `null`: there is, and nothing comes. */
async function confirm(target: GuardedTarget, answer?: Answer | null, load?: string): Promise<Asked> {
  let stderr = "";
  let waited: number | undefined;
  const host = {
    canAsk: answer !== undefined,
    stderr: {
      write(text: string) {
        stderr += text;
      },
    },
    ask: async (question: string, seconds: number) => {
      stderr += question;
      waited = seconds;
      return answer ?? undefined;
    },
  } as unknown as Host;
  const error = await confirmTarget(host, target, load).then(
    () => undefined,
    (reason: unknown) => reason as CliError,
  );
  return { error, stderr, waited };
}

describe("confirmTarget()", () => {
  it.each([
    "http://localhost:8080/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://127.0.0.1/",
    "http://127.8.9.10:99/",
    "http://0x7f.1/",
    "https://[::1]:8443/",
    "http://[0:0:0:0:0:0:0:1]/",
  ])("asks nothing of %s, which is this machine", async (url) => {
    expect(await confirm({ url })).toEqual({ error: undefined, stderr: "", waited: undefined });
  });

  it("asks nothing of a Unix socket, a simulation, the built-in target or a dry run", async () => {
    for (const target of [
      { url: "http://example.com/", unix: "/run/x.sock" },
      {},
      { url: "http://example.com/", dryRun: true },
    ]) {
      expect((await confirm(target)).error).toBeUndefined();
    }
  });

  it.each([
    "http://10.0.0.7/",
    "http://128.0.0.1/",
    "http://[::2]/",
    "http://localhost.example.com/",
    "http://127.0.0.1.example.com/",
    "http://0.0.0.0/",
  ])("without a terminal refuses %s in one line that says how to allow it, as a usage error", async (url) => {
    const { error, stderr } = await confirm({ url });
    expect(error?.exitCode).toBe(2);
    expect(error?.message).not.toContain("\n");
    expect(error?.message).toContain(`--allow ${new URL(url).hostname}:80, or the key allow in a --config file`);
    expect(stderr).toBe("");
  });

  it.each(["y", "Y", "yes", " YES "])("goes on after %j", async (answer) => {
    const { error, stderr, waited } = await confirm(
      { url: "https://Staging.example.com/x" },
      answer,
      "up to 400 calls/s",
    );
    expect(error).toBeUndefined();
    expect(stderr).toBe("Send up to 400 calls/s to staging.example.com:443? [y/N] ");
    expect(waited).toBe(60);
  });

  it.each(["", "n", "no", "yess", "ja", "y y"])("does not after %j", async (answer) => {
    const { error } = await confirm({ url: "http://staging.example.com/" }, answer);
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toContain("as the answer was not yes");
  });

  it("does not when nobody answers, and ends the line of the question", async () => {
    const { error, stderr } = await confirm({ url: "http://staging.example.com/" }, null);
    expect(error?.exitCode).toBe(2);
    expect(error?.message).toContain("as there was no answer");
    expect(stderr.endsWith("? [y/N] \n")).toBe(true);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("ends with the exit code of %s when that is the answer", async (signal, exitCode) => {
    const { error } = await confirm({ url: "http://staging.example.com/" }, { signal });
    expect(error?.exitCode).toBe(exitCode);
  });

  it("says how much it is about, as far as that is bounded", async () => {
    const url = "http://staging.example.com/";
    expect((await confirm({ url, maxRps: 1500 }, "n")).stderr).toContain("Send up to 1,500 calls/s to");
    expect((await confirm({ url }, "n")).stderr).toContain("Send as many calls/s as it takes to");
  });

  it("asks nothing of a host that is allowed, however it is written, at the port where one is named", async () => {
    const yes = async (url: string, ...entries: string[]): Promise<boolean> =>
      (await confirm({ url, allow: allow(...entries) })).error === undefined;
    expect(await yes("http://staging.example.com:8080/", "STAGING.Example.com")).toBe(true);
    expect(await yes("http://staging.example.com./", "staging.example.com")).toBe(true);
    expect(await yes("http://staging.example.com:8080/", "staging.example.com:8080")).toBe(true);
    expect(await yes("http://staging.example.com:8081/", "staging.example.com:8080")).toBe(false);
    expect(await yes("https://staging.example.com/", "staging.example.com:443")).toBe(true);
    expect(await yes("http://staging.example.com/", "example.com")).toBe(false);
    expect(await yes("http://example.com/", "staging.example.com")).toBe(false);
    expect(await yes("http://10.0.0.7/", "a.example.com, 10.0.0.7")).toBe(true);
    expect(await yes("http://10.0.0.7/", "a.example.com", "10.0.0.7")).toBe(true);
    expect(await yes("http://[fe80::1]:80/", "[FE80:0::1]:80")).toBe(true);
    expect(await yes("http://[fe80::1]/", "fe80::1")).toBe(true);
    expect(await yes("http://[fe80::1]/", "fe80::2")).toBe(false);
  });

  it("goes by where --resolve says that a name is", async () => {
    const at = (host: string, ...addresses: string[]): GuardedTarget => ({
      url: `http://${host}/`,
      resolve: [{ host, port: 80, addresses }],
    });
    expect((await confirm(at("staging.example.com", "127.0.0.1"))).error).toBeUndefined();
    expect((await confirm(at("staging.example.com", "::1"))).error).toBeUndefined();
    expect((await confirm(at("staging.example.com", "127.0.0.1", "10.0.0.7"))).error).toBeDefined();
    const elsewhere = await confirm(at("localhost", "10.0.0.7"));
    expect(elsewhere.error?.message).toContain("10.0.0.7:80 is not this machine");
    expect((await confirm({ ...at("localhost", "10.0.0.7"), allow: allow("10.0.0.7") })).error).toBeUndefined();
    expect((await confirm({ ...at("localhost", "10.0.0.7"), allow: allow("localhost") })).error).toBeDefined();
  });
});

describe("--allow", () => {
  it.each([
    "",
    "http://example.com",
    "example.com:",
    "example.com:0",
    "example.com:70000",
    "a b",
    "user@example.com",
    "[::2",
    "a/b",
    "a,,b",
  ])("refuses %j", (text) => {
    expect(() => parserOf("--allow")(text)).toThrow(
      "must be a host, or a host and a port, such as staging.example.com",
    );
  });
});

describe("checkGuards()", () => {
  it("refuses a load whose peak is above --max-rps, and no other", () => {
    expect(() => checkGuards({ maxRps: 1000 }, 1000)).not.toThrow();
    expect(() => checkGuards({}, 1e6)).not.toThrow();
    expect(() => checkGuards({ maxRps: 1000 }, 2000)).toThrow(
      "--max-rps 1000 is the most, and the load comes to 2,000/s",
    );
  });
});
