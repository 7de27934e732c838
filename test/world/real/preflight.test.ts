import { describe, expect, it } from "vitest";
import { type PreflightNeed, preflight } from "../../../src/world/real/preflight.ts";

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             100                  100                  processes
Max open files            1024                 65536                files
`;

/** A machine, in the files by which Linux describes it. */
function machine(change: Record<string, string | undefined> = {}, open: number | undefined = 20) {
  const files: Record<string, string | undefined> = {
    "/proc/self/limits": LIMITS,
    "/proc/sys/net/ipv4/ip_local_port_range": "32768\t60999\n",
    "/proc/sys/net/ipv4/ip_local_reserved_ports": "\n",
    "/proc/sys/net/ipv4/tcp_tw_reuse": "2\n",
    ...change,
  };
  return { read: (path: string) => files[path], count: () => open };
}

const SMALL: PreflightNeed = { connectionsMax: 500, newConnectionsPerSecond: 0, usesPorts: true };

function limits(soft: string, hard: string): { "/proc/self/limits": string } {
  return { "/proc/self/limits": LIMITS.replace(/1024 +65536/, `${soft}  ${hard}`) };
}

describe("preflight()", () => {
  it("says nothing when the plan fits, or nothing is known", () => {
    expect(preflight(SMALL, machine())).toEqual([]);
    const nothing = { read: () => undefined, count: () => undefined };
    expect(preflight({ ...SMALL, connectionsMax: 1e6, newConnectionsPerSecond: 1e6 }, nothing)).toEqual([]);
    const unlimited = machine(limits("unlimited", "unlimited"));
    expect(preflight({ ...SMALL, connectionsMax: 20_000 }, unlimited)).toEqual([]);
  });

  it("gives the `ulimit` that the plan needs, beside the files that are open", () => {
    const [reason, ...others] = preflight({ ...SMALL, connectionsMax: 3000 }, machine());
    expect(others).toEqual([]);
    expect(reason).toMatchObject({ code: "few-files", severity: "note", figure: 3052, limit: 1024 });
    expect(reason?.message).toContain("3000 connections at once, and this process may open 1004 more");
    expect(reason?.hint).toContain("`ulimit -n 4000`");
  });

  it("counts the files that are open already", () => {
    const need = { ...SMALL, connectionsMax: 900 };
    expect(preflight(need, machine({}, 92))).toEqual([]);
    expect(preflight(need, machine({}, 93))).toMatchObject([{ code: "few-files", figure: 1025 }]);
  });

  it("names the hard limit when that is in the way", () => {
    const [reason] = preflight({ ...SMALL, connectionsMax: 5000 }, machine(limits("4096", "4096")));
    expect(reason?.hint).toContain("hard limit of 4096 to 6000");
    expect(reason?.hint).toContain("LimitNOFILE=");
  });

  it("counts the ports of connections that we close, for the minute that they stay taken", () => {
    const need = { connectionsMax: 200, newConnectionsPerSecond: 500, usesPorts: true };
    const [reason] = preflight(need, machine());
    expect(reason).toMatchObject({ code: "few-ports", severity: "note", figure: 30_200, limit: 28_232 });
    expect(reason?.hint).toContain('`sysctl net.ipv4.ip_local_port_range="10000 65535"`');
    expect(reason?.hint).toContain("`sysctl net.ipv4.tcp_tw_reuse=1`");
    expect(preflight({ ...need, newConnectionsPerSecond: 460 }, machine())).toEqual([]);
  });

  it("knows that each address of the target has all ports, and that loopback gives them back at once", () => {
    const need = { connectionsMax: 200, newConnectionsPerSecond: 500, usesPorts: true };
    expect(preflight({ ...need, addresses: ["10.0.0.1", "10.0.0.2"] }, machine())).toEqual([]);
    expect(preflight({ ...need, addresses: ["10.0.0.1"] }, machine())).toHaveLength(1);
    expect(preflight({ ...need, addresses: ["127.0.0.1"] }, machine())).toEqual([]);
    expect(preflight({ ...need, addresses: ["::1"] }, machine())).toEqual([]);
    const never = machine({ "/proc/sys/net/ipv4/tcp_tw_reuse": "0\n" });
    expect(preflight({ ...need, addresses: ["127.0.0.1"] }, never)).toHaveLength(1);
    const always = machine({ "/proc/sys/net/ipv4/tcp_tw_reuse": "1\n" });
    expect(preflight({ ...need, addresses: ["10.0.0.1"] }, always)).toEqual([]);
  });

  it("leaves out the ports that are reserved", () => {
    const reserved = "8080,40000-40999,60999-61010\n";
    const small = machine({ "/proc/sys/net/ipv4/ip_local_reserved_ports": reserved, ...limits("90000", "90000") });
    expect(preflight({ ...SMALL, connectionsMax: 27_231 }, small)).toEqual([]);
    expect(preflight({ ...SMALL, connectionsMax: 27_232 }, small)).toMatchObject([
      { code: "few-ports", limit: 27_231 },
    ]);
  });

  it("asks for no port over a Unix socket", () => {
    const need = { connectionsMax: 200, newConnectionsPerSecond: 5000, usesPorts: false };
    expect(preflight(need, machine())).toEqual([]);
  });

  it("reads this machine", () => {
    for (const { severity, figure, limit } of preflight({ ...SMALL, connectionsMax: 1e9 })) {
      expect(severity).toBe("note");
      expect(figure).toBeGreaterThan(limit);
    }
    expect(preflight({ ...SMALL, connectionsMax: 1 })).toEqual([]);
  });
});
