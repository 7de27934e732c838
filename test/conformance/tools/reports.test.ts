/** What the tools print, as captured from them, and what is read out of it. */

import { describe, expect, it } from "vitest";
import { ab } from "./ab.ts";
import { artillery } from "./artillery.ts";
import { autocannon } from "./autocannon.ts";
import { h2load } from "./h2load.ts";
import { hey } from "./hey.ts";
import type { Leavings, Report, Tool } from "./tool.ts";
import { wrk } from "./wrk.ts";

function read(tool: Tool, stdout: string, written = ""): Report | undefined {
  const leavings: Leavings = { stdout, stderr: "", file: () => written };
  return tool.read(leavings);
}

const WRK = `Running 2s test @ http://127.0.0.1:45221/
  1 threads and 20 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   257.11us    1.75ms  25.94ms   92.65%
    Req/Sec     1.00k   133.54     1.20k    55.00%
  Latency Distribution
     50%    6.83ms
     75%    7.58ms
     90%    8.37ms
     99%    1.23s 
  2000 requests in 2.00s, 171.49KB read
  Socket errors: connect 1, read 2073, write 2, timeout 3
  Non-2xx or 3xx responses: 51
Requests/sec:    998.86
`;

const HEY = `
Summary:
  Total:	2.0169 secs
  Slowest:	0.0073 secs
  Fastest:	0.0001 secs
  Average:	0.0010 secs
  Requests/sec:	198.3287

Response time histogram:
  0.000 [1]	|
  0.001 [224]	|

Latency distribution:
  10% in 0.0003 secs
  50% in 0.0007 secs
  99% in 0.0057 secs

Status code distribution:
  [200]	190 responses
  [204]	10 responses
  [503]	200 responses

Error distribution:
  [40]	Get "http://127.0.0.1:40369/": context deadline exceeded (Client.Timeout exceeded while awaiting headers)
  [2]	Get "http://127.0.0.1:40369/": EOF
`;

const H2LOAD = `finished in 2.00s, 12.00 req/s, 944B/s
requests: 24 total, 44 started, 24 done, 20 succeeded, 4 failed, 3 errored, 0 timeout
status codes: 44 2xx, 0 3xx, 0 4xx, 0 5xx
traffic: 1.84KB (1888) total, 680B (680) headers (space savings 0.00%), 108B (108) data
                     min         max         mean         sd        +/- sd
time for request:      385us     11.54ms      8.00ms      1.13ms    66.67%
time for connect:        9us       578us       312us       174us    60.00%
time to 1st byte:     1.26ms      8.78ms      6.39ms      3.14ms    65.00%
req/s           :       0.00        4.94        3.10        2.34    65.00%
`;

const AB = `Complete requests:      3740
Failed requests:        38
   (Connect: 0, Receive: 19, Length: 0, Exceptions: 19)
Non-2xx responses:      2
Keep-Alive requests:    1837

Connection Times (ms)
              min  mean[+/-sd] median   max
Connect:        0    0   0.2      0       4
Processing:     5   11   3.6     11      39
Waiting:        0    4   4.2      5      38
Total:          5   12   3.7     11      39

Percentage of the requests served within a certain time (ms)
  50%     11
  66%     12
  99%     23
 100%     39 (longest request)
`;

const AUTOCANNON = `{"errors":31,"timeouts":31,"non2xx":4,"2xx":136,"latency":{"mean":2.32,"max":18,"p50":1,"p99":17}}\n`;

const ARTILLERY = JSON.stringify({
  aggregate: {
    counters: {
      "vusers.created": 200,
      "http.requests": 200,
      "http.codes.200": 90,
      "http.codes.503": 100,
      "plugins.metrics-by-endpoint./.codes.200": 90,
      "errors.ETIMEDOUT": 8,
      "errors.ECONNRESET": 2,
    },
    summaries: {
      "http.response_time": { mean: 0.1, p50: 0, p99: 5, max: 5 },
      "http.response_time.2xx": { mean: 20.3, p50: 20, p99: 29, max: 31 },
    },
  },
});

describe("the reports of the other tools are read as they mean them:", () => {
  it.each<[Tool, string, string, Report]>([
    [wrk, WRK, "", { ok: 1949, failed: 51 + 2079, meanMs: 0.25711, p50Ms: 6.83, p99Ms: 1230, maxMs: 25.94 }],
    [hey, HEY, "", { ok: 200, failed: 242, meanMs: 1, p50Ms: 0.7, p99Ms: 5.7, maxMs: 7.3 }],
    [h2load, H2LOAD, "", { ok: 20, failed: 4, meanMs: 8, maxMs: 11.54 }],
    [ab, AB, "", { ok: 3700, failed: 40, meanMs: 12, p50Ms: 11, p99Ms: 23, maxMs: 39 }],
    [autocannon, AUTOCANNON, "", { ok: 136, failed: 35, meanMs: 2.32, p50Ms: 1, p99Ms: 17, maxMs: 18 }],
    [artillery, "", ARTILLERY, { ok: 90, failed: 110, meanMs: 20.3, p50Ms: 20, p99Ms: 29, maxMs: 31 }],
  ])("$name", (tool, stdout, written, expected) => {
    const report = read(tool, stdout, written);
    expect(Object.keys(report ?? {}).toSorted()).toEqual(Object.keys(expected).toSorted());
    for (const [figure, value] of Object.entries(expected)) {
      expect(report?.[figure as "ok"], figure).toBeCloseTo(value as number, 6);
    }
  });

  it.each([wrk, hey, h2load, ab, autocannon, artillery].map((tool) => [tool.name, tool] as const))(
    "none in what %s prints when it gives up",
    (_name, tool) => {
      expect(read(tool, "apr_pollset_poll: The timeout specified has expired (70007)\n")).toBeUndefined();
    },
  );
});
