import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { Failure } from "./failure.ts";
import { findProgram } from "./find-program.ts";

/** Files in PEM. */
export interface Certificate {
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Certificate and key one after the other, as HAProxy wants them. */
  readonly bothFile: string;
}

const VALID_DAYS = 2;

/**
 * Makes a certificate for localhost, 127.0.0.1 and `host` that nobody signed but itself. It vouches for nothing: a client
 * trusts it because it is told to.
 *
 * @throws Failure when openssl is absent or fails.
 */
export function makeCertificate(folder: string, host: string): Certificate {
  const openssl = findProgram("openssl");
  if (openssl === undefined) throw new Failure("openssl is not installed, and --tls needs it: apt-get install openssl");
  const certificateFile = join(folder, "certificate.pem");
  const keyFile = join(folder, "key.pem");
  const bothFile = join(folder, "both.pem");
  const names = ["DNS:localhost", "IP:127.0.0.1"];
  if (host !== "127.0.0.1" && host !== "localhost") names.push(`${isIP(host) === 0 ? "DNS" : "IP"}:${host}`);
  const made = spawnSync(
    openssl,
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", String(VALID_DAYS), "-subj", "/CN=localhost", "-addext", `subjectAltName=${names.join(",")}`],
      ...["-keyout", keyFile, "-out", certificateFile],
    ],
    { encoding: "utf8" },
  );
  if (made.status !== 0) {
    const said = made.stderr.trim().split("\n").at(-1) ?? "";
    throw new Failure(`openssl could not make a certificate: ${made.error?.message ?? said}`);
  }
  writeFileSync(bothFile, readFileSync(certificateFile, "utf8") + readFileSync(keyFile, "utf8"), { mode: 0o600 });
  return { certificateFile, keyFile, bothFile };
}
