import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { redactHeaders, redactUrl } from "../../src/result/redact.ts";

/** Cannot occur in a name or a host by chance, and survives being part of a URL. */
const secret = fc.stringMatching(/^S3CR3T[0-9a-zA-Z._~-]{0,20}$/u);
const word = fc.constantFrom(
  "authorization",
  "cookie",
  "token",
  "key",
  "secret",
  "password",
  "credential",
  "session",
  "signature",
);
const affix = fc.stringMatching(/^(?:[a-z]{1,6}[-_])?$/u);
/** `X-Api-Key`, `access_TOKEN`, ... */
const secretName = fc
  .tuple(affix, word, fc.array(fc.boolean(), { minLength: 13, maxLength: 13 }))
  .map(([before, core, upper]) => before + [...core].map((c, i) => (upper[i] ? c.toUpperCase() : c)).join(""));
const plainName = fc.constantFrom("accept", "page", "q", "limit", "user-agent", "author", "design");
const plainValue = fc.stringMatching(/^[a-z0-9%+.-]{0,8}$/u);

describe("redactHeaders()", () => {
  it("redactHeaders() never lets the value of a sensitive header through", () => {
    fc.assert(
      fc.property(secretName, secret, plainName, plainValue, (name, value, other, harmless) => {
        const redacted = redactHeaders([
          [name, value],
          [other, harmless],
        ]);
        expect(JSON.stringify(redacted)).not.toContain("S3CR3T");
        expect(redacted).toEqual([
          [name, "REDACTED"],
          [other, harmless],
        ]);
      }),
    );
  });

  it.each([
    "Authorization",
    "proxy-authorization",
    "Cookie",
    "Set-Cookie",
    "X-Api-Key",
    "apikey",
    "X-Auth-Token",
    "X-Amz-Security-Token",
    "X-Auth",
    "X-CSRF",
    "clientSecret",
    "dbPwd",
    "X-Hub-Signature-256",
    "X.P-A-S-S-W-O-R-D",
  ])("redactHeaders() hides %s", (name) => {
    expect(redactHeaders([[name, "hunter2"]])).toEqual([[name, "REDACTED"]]);
  });

  it.each(["Accept", "Content-Type", "User-Agent", "X-Author", "Design-Id", "X-Request-Id", "Keep-Alive"])(
    "redactHeaders() leaves %s alone",
    (name) => {
      expect(redactHeaders([[name, "plain"]])).toEqual([[name, "plain"]]);
    },
  );

  it("redactHeaders() hides a credential under any name", () => {
    expect(redactHeaders([["X-Upstream", "Bearer abc.def"]])).toEqual([["X-Upstream", "REDACTED"]]);
  });
});

describe("redactUrl()", () => {
  it.each([
    ["http://host:8080/a/b?x=1&y=#top", "http://host:8080/a/b?x=1&y=#top"],
    ["http://host/%7e?a=%20b&&c", "http://host/%7e?a=%20b&&c"],
    ["https://user:pw@host/p", "https://REDACTED@host/p"],
    ["https://token@host", "https://REDACTED@host"],
    ["https://u:p@ss@host/", "https://REDACTED@host/"],
    ["https://u:p/a?ss@host/", "https://REDACTED@host/"],
    ["http:\\\\u:p@host", "http:\\\\REDACTED@host"],
    ["http:u:p@host", "http:REDACTED@host"],
    ["user:pw@host:80/x", "REDACTED@host:80/x"],
    ["http://host/@scope/pkg?at=a@b", "http://host/@scope/pkg?at=a@b"],
    ["/p?api_key=abc&n=1", "/p?api_key=REDACTED&n=1"],
    ["/p?a=1&%74oken=abc", "/p?a=1&%74oken=REDACTED"],
    ["/p?a=1;token=abc;d&b=2", "/p?a=1;token=REDACTED&b=2"],
    ["/p?sig=a=b=c&x=1", "/p?sig=REDACTED&x=1"],
    ["/p?token=", "/p?token="],
    ["/cb#access_token=abc&state=1", "/cb#access_token=REDACTED&state=1"],
    ["/p?X-Amz-Signature=ab%2", "/p?X-Amz-Signature=REDACTED"],
    ["", ""],
  ])("redactUrl(%j) is %j", (url, expected) => {
    expect(redactUrl(url)).toBe(expected);
  });

  it("redactUrl() never lets user information or a sensitive parameter through", () => {
    const pair = fc
      .oneof(fc.tuple(plainName, plainValue), fc.tuple(secretName, secret))
      .map(([name, value]) => `${name}=${value}`);
    const user = fc
      .tuple(secret, fc.option(secret))
      .map(([name, password]) => (password === null ? `${name}@` : `${name}:${password}@`));
    const url = fc
      .tuple(
        fc.constantFrom("http://", "https://", "HTTP://", "ws://", "//", "postgres://"),
        fc.option(user, { nil: "" }),
        fc.constantFrom("host", "127.0.0.1:80", "[::1]:8080"),
        fc.constantFrom("", "/", "/a/b"),
        fc.array(pair, { maxLength: 5 }),
        fc.array(pair, { maxLength: 2 }),
      )
      .map(
        ([scheme, userinfo, host, path, query, fragment]) =>
          `${scheme}${userinfo}${host}${path}${query.length > 0 ? `?${query.join("&")}` : ""}${fragment.length > 0 ? `#${fragment.join("&")}` : ""}`,
      );
    fc.assert(
      fc.property(url, (text) => {
        expect(redactUrl(text)).not.toContain("S3CR3T");
      }),
    );
  });

  it("redactUrl() never throws", () => {
    const piece = fc.constantFrom("http:", "//", "/", "\\", "@", ":", "?", "#", "&", ";", "=", "token", "%", "\n", "a");
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(text, (url) => {
        expect(typeof redactUrl(url)).toBe("string");
      }),
    );
  });

  it("redactUrl() leaves nothing that a URL parser would take for user information or the parameter 'token'", () => {
    const piece = fc.constantFrom(
      "http:",
      "https:",
      "//",
      "/",
      "\\",
      "@",
      ":",
      "?",
      "#",
      "&",
      ";",
      "=",
      "token",
      "S3CR3T",
      "\t",
      "a",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text.filter(URL.canParse), (url) => {
        const redacted = redactUrl(url);
        if (!URL.canParse(redacted)) return;
        const { username, password, searchParams } = new URL(redacted);
        expect(username + password + searchParams.getAll("token").join("")).not.toContain("S3CR3T");
      }),
    );
  });

  it("redactUrl() keeps a URL without secrets byte for byte", () => {
    const value = fc.stringMatching(/^[a-z0-9%+.,-]{0,8}$/u);
    fc.assert(
      fc.property(fc.webUrl(), fc.array(fc.tuple(plainName, value)), (base, pairs) => {
        const url = `${base}?${pairs.map(([name, text]) => `${name}=${text}`).join("&")}`;
        expect(redactUrl(url)).toBe(url);
      }),
    );
  });
});
