import type { Flags } from "../program/flags.ts";
import type { Certificate } from "./certificate.ts";
import type { RealServerOptions } from "./options.ts";

/** Where a server finds what was made for it. */
export interface Place {
  /** The server's own folder, for all that it writes. */
  readonly folder: string;
  readonly port: number;
  /** Unix domain socket of the upstream. */
  readonly upstreamSocket: string;
  /** Unix domain socket on which the server answers HTTP/1.1 as well, for this program's own questions. */
  readonly ownSocket: string;
  /** With `--tls` alone. */
  readonly certificate: Certificate | undefined;
  /** Client connections that the limit on open files allows. */
  readonly connectionsMax: number;
}

/** What to expect of the server, from its settings alone. */
export interface Theory {
  /** The most that it can serve a second. */
  readonly capacityRps: number;
  /** The longest that it lets a request wait before the upstream has it, or before it turns it away. */
  readonly waitMsMax: number;
}

/** A real program that can be a target: how it is found, told and started. */
export interface RealServer<Options extends RealServerOptions> {
  /** The name of the program, which is that of its Debian package as well. */
  readonly name: string;
  /** The first paragraphs of the help. */
  readonly about: string;
  readonly flags: Flags<Options>;
  /** The texts of its configuration, by the names of the files in its folder. */
  files(options: Options, place: Place): Readonly<Record<string, string>>;
  /** What follows the program's name to run in the foreground with these files. */
  args(place: Place): readonly string[];
  theory(options: Options): Theory;
}
