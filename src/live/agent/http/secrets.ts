/** The bearer token of the API and its certificate, as they are in their files now. */
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { GroupError } from "../../join/errors.ts";
import { readSecret } from "../../net/keyring.ts";

export interface ApiSettings {
  /** "127.0.0.1:7070"; port 0 takes a free one. */
  readonly http: string;
  /** Further names under which it is reached, besides its address and this machine's name. */
  readonly httpHosts?: readonly string[] | undefined;
  /** For what changes something, and for everything beyond loopback. */
  readonly httpToken?: string | undefined;
  readonly httpTokenFile?: string | undefined;
  /** Files, in PEM; both or none. */
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
}

/** Shorter ones can be guessed. */
const SHORTEST_TOKEN = 16;

export function apiToken({ httpToken, httpTokenFile }: ApiSettings): string | null {
  if (httpToken === undefined && httpTokenFile === undefined) return null;
  const from = httpTokenFile ?? "httpToken";
  const text = (
    httpToken ?? readSecret(httpTokenFile!, "token file", `make one with "sortition keygen --out ${from}"`)
  ).trim();
  if (/^[\x21-\x7e]+$/.test(text) && text.length >= SHORTEST_TOKEN) return text;
  throw new GroupError(
    "BAD_OPTION",
    `the bearer token of ${from} has fewer than ${SHORTEST_TOKEN} characters, or other characters than letters, digits and signs`,
    `make one with "sortition keygen"`,
  );
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export function certificateOf({ tlsCert, tlsKey }: ApiSettings): Certificate | null {
  if (tlsCert === undefined && tlsKey === undefined) return null;
  if (tlsCert === undefined || tlsKey === undefined) {
    throw new GroupError("BAD_OPTION", "TLS needs a certificate and its key", "give both tlsCert and tlsKey");
  }
  const certificate = {
    cert: certificateText(tlsCert),
    key: readSecret(tlsKey, "TLS key", "give the key of the certificate, in PEM"),
  };
  try {
    createSecureContext(certificate);
  } catch (error) {
    throw new GroupError(
      "BAD_OPTION",
      `${tlsCert} and ${tlsKey} are no certificate and its key`,
      `give both in PEM, whole and of one pair (${(error as Error).message})`,
      { cause: error },
    );
  }
  return certificate;
}

function certificateText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new GroupError("BAD_OPTION", `cannot read ${file} for TLS`, (error as Error).message, { cause: error });
  }
}
