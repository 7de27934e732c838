import { upstreamRps } from "../real-server/options.ts";
import type { RealServer } from "../real-server/real-server.ts";
import { haproxyConfiguration, haproxyRefusal, REFUSAL_FILE } from "./configuration.ts";
import { HAPROXY_FLAGS, type HaproxyOptions } from "./options.ts";

const ABOUT = `HAProxy that gives a slow upstream so many requests at once and lets the others wait in order, up to a time-out.
One JSON line on stdout says where it listens and what it can serve. GET /__health is answered by HAProxy, GET /__stats
with the upstream's counters; every other request is work.
`;

export const HAPROXY: RealServer<HaproxyOptions> = {
  name: "haproxy",
  about: ABOUT,
  flags: HAPROXY_FLAGS,
  files: (options, place) => ({
    "haproxy.conf": haproxyConfiguration(options, place),
    [REFUSAL_FILE]: haproxyRefusal(options),
  }),
  args: ({ folder }) => ["-db", "-f", `${folder}/haproxy.conf`],
  theory(options) {
    const { maxconn, upstreamMs, queueTimeoutMs } = options;
    return { capacityRps: Math.min((maxconn * 1000) / upstreamMs, upstreamRps(options)), waitMsMax: queueTimeoutMs };
  },
};
