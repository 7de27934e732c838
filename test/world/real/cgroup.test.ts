import { describe, expect, it } from "vitest";
import { parseThrottled, type ReadText, throttledSeconds } from "../../../src/world/real/cgroup.ts";

const SECOND = `usage_usec 1000
user_usec 600
system_usec 400
nr_periods 20
nr_throttled 4
throttled_usec 250000
nr_bursts 0
burst_usec 0
`;
const FIRST = "nr_periods 20\nnr_throttled 4\nthrottled_time 1500000000\n";
const UNLIMITED = "usage_usec 1000\nuser_usec 600\nsystem_usec 400\n";

function files(texts: Readonly<Record<string, string>>): ReadText {
  return (path) => texts[path];
}

describe("parseThrottled()", () => {
  it("reads microseconds of the second version and nanoseconds of the first", () => {
    expect(parseThrottled(SECOND)).toBe(0.25);
    expect(parseThrottled(FIRST)).toBe(1.5);
  });

  it.each(["", UNLIMITED])("knows nothing from %j", (text) => {
    expect(parseThrottled(text)).toBeUndefined();
  });
});

describe("throttledSeconds()", () => {
  it("adds the limits of our own group and of those around it up", () => {
    const read = files({
      "/proc/self/cgroup": "0::/work.slice/job.scope\n",
      "/sys/fs/cgroup/work.slice/job.scope/cpu.stat": SECOND,
      "/sys/fs/cgroup/work.slice/cpu.stat": SECOND.replace("250000", "1000000"),
      "/sys/fs/cgroup/cpu.stat": UNLIMITED,
    });
    expect(throttledSeconds(read)).toBe(1.25);
  });

  it("finds the root that a container sees as its own group", () => {
    const read = files({ "/proc/self/cgroup": "0::/../../docker/abc\n", "/sys/fs/cgroup/cpu.stat": SECOND });
    expect(throttledSeconds(read)).toBe(0.25);
  });

  it("reads the controller of the first version, wherever it is mounted", () => {
    const groups = "9:name=systemd:/\n4:cpu,cpuacct:/jobs\n3:cpuset:/\n0::/\n";
    const read = (root: string) => files({ "/proc/self/cgroup": groups, [`${root}/jobs/cpu.stat`]: FIRST });
    expect(throttledSeconds(read("/sys/fs/cgroup/cpu,cpuacct"))).toBe(1.5);
    expect(throttledSeconds(read("/sys/fs/cgroup/cpu"))).toBe(1.5);
  });

  it("knows nothing where there are no control groups, or none that limits", () => {
    expect(throttledSeconds(files({}))).toBeUndefined();
    expect(
      throttledSeconds(files({ "/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.stat": UNLIMITED })),
    ).toBeUndefined();
  });
});
