/**
 * Which requests the agent answers. A page of another site can make a browser send requests here, also under a name of its own that leads to
 * this machine (DNS rebinding): so names (Host) and origins are checked before anything else, and no other origin may read answers.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { GroupError } from "../../join/errors.ts";
import { readSecret } from "../../net/keyring.ts";
import { isLoopback } from "../../net/udp.ts";
import { ApiError, quotedInput } from "./problem.ts";

/** What a route asks for: nothing; the token unless the API is on loopback; the token. */
export type AdmissionNeeds = "nothing" | "token beyond loopback" | "token";

/** An address of IPv6 in brackets, or a name or an address of IPv4; then perhaps a port. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^[\]:@/?#\\\s]+))(?::\d{1,5})?$/i;

interface AdmissionSetup {
  /** Only processes of this machine can ask. */
  readonly isLocal: boolean;
  readonly isSecure: boolean;
  /** Further names under which it is reached. */
  readonly names: readonly string[];
  /** As it is now; null: none is configured. */
  token(): string | null;
}

export class Admission {
  private readonly setup: AdmissionSetup;
  private readonly names: ReadonlySet<string>;

  constructor(setup: AdmissionSetup) {
    this.setup = setup;
    const own = hostname().toLowerCase();
    this.names = new Set(["localhost", own, own.split(".", 1)[0], ...setup.names.map((name) => name.toLowerCase())]);
  }

  /** Throws unless the request may come in at all. */
  checkSender({ url = "", headers, headersDistinct }: IncomingMessage): void {
    if (!url.startsWith("/")) {
      throw new ApiError("BAD_REQUEST", "the request's target is no path", "ask for a path such as /v1/leader");
    }
    const { host } = headers;
    // Node takes the first of several; a proxy before it may have gone by another one.
    if ((headersDistinct.host?.length ?? 0) > 1) {
      throw new ApiError("BAD_REQUEST", "the request names its host more than once", "send one Host header");
    }
    if (host !== undefined && !HOST.test(host)) {
      throw new ApiError("BAD_REQUEST", "the request's host cannot be read", "send a name or an address, and a port");
    }
    if (host === undefined || !this.isOwn(host)) {
      throw new ApiError(
        "BAD_HOST",
        host === undefined ? "the request names no host" : `this agent is not called ${quotedInput(host)}`,
        `use its address or "localhost"; further names are given with --http-hosts`,
      );
    }
    this.checkOrigin(host, headers);
  }

  /** Throws unless the request may do what it asks for. */
  checkToken(needs: AdmissionNeeds, { authorization }: IncomingHttpHeaders): void {
    if (needs === "nothing" || (needs === "token beyond loopback" && this.setup.isLocal)) return;
    const token = this.setup.token();
    if (token === null) {
      throw new ApiError(
        "NO_TOKEN",
        "this agent has no bearer token, so nothing can be changed through it",
        "start it with --http-token-file, and send the token",
      );
    }
    const given = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
    if (given !== undefined && isEqual(given, token)) return;
    throw new ApiError(
      "TOKEN_NEEDED",
      given === undefined ? "this needs the agent's bearer token" : "the bearer token is not the agent's",
      'send the header "Authorization: Bearer TOKEN", with the token of --http-token-file',
      { "www-authenticate": 'Bearer realm="sortition"' },
    );
  }

  /** An address in numbers cannot be somebody else's name for this machine; beyond loopback any may lead here, by translation. */
  private isOwn(host: string): boolean {
    const [, six, other] = HOST.exec(host) ?? [];
    const name = (six ?? other)?.toLowerCase();
    if (name === undefined) return false;
    if (isIP(name) !== 0) return !this.setup.isLocal || isLoopback({ host: name, port: 0 });
    return this.names.has(name);
  }

  private checkOrigin(
    host: string,
    { origin, "sec-fetch-site": site, "sec-fetch-mode": mode }: IncomingHttpHeaders,
  ): void {
    const own = `${this.setup.isSecure ? "https" : "http"}://${host}`.toLowerCase();
    const isForeign = origin !== undefined && origin.toLowerCase() !== own;
    // Without an origin: what pages embed. A user who follows a link navigates.
    const isEmbedded = site !== undefined && !["same-origin", "none"].includes(String(site)) && mode !== "navigate";
    if (!isForeign && !isEmbedded) return;
    throw new ApiError(
      "BAD_ORIGIN",
      `a page of ${isForeign ? quotedInput(origin) : "another site"} has asked, and answers are for this agent's own page only`,
      "let a server ask, or open the page at the agent's own address",
    );
  }
}

/** Takes the same time whatever differs, also the length. */
function isEqual(a: string, b: string): boolean {
  const [first, second] = [a, b].map((text) => createHash("sha256").update(text).digest());
  return timingSafeEqual(first, second);
}

// The bearer token of the API and its certificate, as they are in their files now.

export interface ApiSettings {
  /** "127.0.0.1:7070", or "unix:PATH"; port 0 takes a free one. */
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
    httpToken ?? readSecret(httpTokenFile!, "token file", `make one with "sortition keygen --http-token --out ${from}"`)
  ).trim();
  if (/^[\x21-\x7e]+$/.test(text) && text.length >= SHORTEST_TOKEN) return text;
  throw new GroupError(
    "BAD_OPTION",
    `the bearer token of ${from} has fewer than ${SHORTEST_TOKEN} characters, or other characters than letters, digits and signs`,
    `make one with "sortition keygen --http-token"`,
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
    process.getBuiltinModule("node:tls").createSecureContext(certificate);
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
