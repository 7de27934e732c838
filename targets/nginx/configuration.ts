import process from "node:process";
import { addressOf } from "../program/address.ts";
import type { Place } from "../real-server/real-server.ts";
import type { NginxOptions } from "./options.ts";

/**
 * The configuration: one bucket for all clients, in front of the upstream; what it refuses is answered by nginx itself.
 *
 * Paths stand in quotes; the temporary folder's name has neither quotes nor `$` in it.
 */
export function nginxConfiguration(options: NginxOptions, place: Place): string {
  const { rate, burst, nodelay, status, retryAfter, keepaliveRequests, workers } = options;
  const { folder, connectionsMax, upstreamSocket, ownSocket } = place;
  const path = (name: string): string => `"${folder}/${name}"`;
  return `daemon off;
${process.getuid?.() === 0 ? "user root;\n" : ""}worker_processes ${workers};
pid ${path("nginx.pid")};
error_log stderr crit;
events { worker_connections ${2 * connectionsMax}; }
http {
  access_log off;
  default_type text/plain;
  keepalive_requests ${keepaliveRequests};
  client_body_temp_path ${path("body")};
  proxy_temp_path ${path("proxy")};
  fastcgi_temp_path ${path("fastcgi")};
  uwsgi_temp_path ${path("uwsgi")};
  scgi_temp_path ${path("scgi")};
  limit_req_zone $server_name zone=all:64k rate=${rate.requests}r/${rate.unit};
  upstream slow {
    server "unix:${upstreamSocket}" max_fails=0;
    keepalive 1024;
    keepalive_requests 1000000000;
    keepalive_timeout 1h;
  }
  server {
    listen ${listenOf(options, place)};
    listen "unix:${ownSocket}";
    server_name target;
${certificateLines(place)}    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_read_timeout 1h;
    location = /__health { return 200 "healthy\\n"; }
    location = /__stats { proxy_pass http://slow; }
    location / {
      limit_req zone=all${burst > 0 ? ` burst=${burst}` : ""}${nodelay ? " nodelay" : ""};
      limit_req_status ${status};
      limit_req_log_level info;
      error_page ${status} @refused;
      proxy_pass http://slow;
    }
    location @refused {
${retryAfter === null ? "" : `      add_header Retry-After ${retryAfter} always;\n`}      return ${status} "overloaded\\n";
    }
  }
}
`;
}

/** The largest queue of connections that Linux lets a program ask for without a setting is 4096. */
const BACKLOG = 4096;

function listenOf({ host, tls, http2 }: NginxOptions, { port }: Place): string {
  return `${addressOf(host, port)} backlog=${BACKLOG}${tls ? " ssl" : ""}${http2 ? " http2" : ""}`;
}

function certificateLines({ certificate }: Place): string {
  if (certificate === undefined) return "";
  return `    ssl_certificate "${certificate.certificateFile}";\n    ssl_certificate_key "${certificate.keyFile}";\n`;
}
