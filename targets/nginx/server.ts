import { upstreamRps } from "../real-server/options.ts";
import type { RealServer } from "../real-server/real-server.ts";
import { nginxConfiguration } from "./configuration.ts";
import { NGINX_FLAGS, type NginxOptions, ratePerSecond } from "./options.ts";

const ABOUT = `nginx with limit_req, one bucket for all clients, in front of a slow upstream.
One JSON line on stdout says where it listens and what it can serve. GET /__health is answered by nginx, GET /__stats
with the upstream's counters; every other request is work.
`;

export const NGINX: RealServer<NginxOptions> = {
  name: "nginx",
  about: ABOUT,
  flags: NGINX_FLAGS,
  files: (options, place) => ({ "nginx.conf": nginxConfiguration(options, place) }),
  args: ({ folder }) => ["-p", folder, "-c", `${folder}/nginx.conf`],
  theory(options) {
    const perSecond = ratePerSecond(options.rate);
    return {
      capacityRps: Math.min(perSecond, upstreamRps(options)),
      // nginx holds the burst back so that it leaves at the rate.
      waitMsMax: options.nodelay ? 0 : (options.burst / perSecond) * 1000,
    };
  },
};
