/** The connection to a NATS server with JetStream. The client comes back by itself when the server does. */
import { readFileSync } from "node:fs";
import type { JetStreamClient, JetStreamManager } from "@nats-io/jetstream";
import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { InputError, notInstalled } from "../../errors.ts";

export interface NatsOptions {
  /** nats://HOST:PORT or tls://HOST:PORT, several with commas; user:password@ or token@ before the host. */
  readonly url: string;
  /** A file of credentials, as `nsc` writes it. */
  readonly creds?: string | undefined;
  /** Certificates to trust, in PEM; with it the connection is encrypted. */
  readonly ca?: string | undefined;
}

type Packages = typeof import("@nats-io/transport-node") & typeof import("@nats-io/jetstream");

export interface Nats {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  readonly packages: Packages;
  /** Without what stands before an @. */
  readonly place: string;
}

export async function openNats(options: NatsOptions): Promise<Nats> {
  const { servers, place, ...given } = readUrl(options.url);
  const packages = await loadPackages();
  const { connect, credsAuthenticator, jetstream, jetstreamManager } = packages;
  const setup: NodeConnectionOptions = {
    ...given,
    servers,
    ...(options.creds === undefined ? {} : { authenticator: credsAuthenticator(fileOf(options.creds, "credentials")) }),
    ...(options.ca === undefined ? {} : { tls: { ca: fileOf(options.ca, "certificates").toString() } }),
    name: "sortition",
    timeout: 5000,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    ignoreAuthErrorAbort: true,
  };
  const nc = await connect(setup).catch((error: Error) => {
    throw new InputError(`cannot connect to NATS at ${place}: ${wordsOf(error)}`, { cause: error });
  });
  try {
    return { nc, js: jetstream(nc), jsm: await jetstreamManager(nc), packages, place };
  } catch (error) {
    await nc.close();
    throw new InputError(`NATS at ${place} has no JetStream for this user: start it with "nats-server -js"`, {
      cause: error,
    });
  }
}

async function loadPackages(): Promise<Packages> {
  try {
    // One by one: esbuild lets a package be missing that is awaited in a "try", and nowhere else.
    const transport = await import("@nats-io/transport-node");
    const stream = await import("@nats-io/jetstream");
    return { ...transport, ...stream };
  } catch (error) {
    throw notInstalled(
      error,
      "campaigns over NATS need two packages: npm install @nats-io/transport-node @nats-io/jetstream",
    );
  }
}

const SHAPE = "give it as nats://HOST:PORT or tls://HOST:PORT";

function readUrl(text: string) {
  const urls = text.split(",").map((each) => {
    const written = each.includes("://") ? each.trim() : `nats://${each.trim()}`;
    if (!URL.canParse(written)) throw new InputError(`the address of NATS is wrong: ${SHAPE}`);
    return new URL(written);
  });
  for (const { protocol, hostname } of urls) {
    if (!["nats:", "tls:"].includes(protocol) || hostname === "")
      throw new InputError(`the address of NATS is wrong: ${SHAPE}`);
  }
  const [{ username, password }] = urls;
  const [user, pass] = [username, password].map(decodeURIComponent);
  const servers = urls.map(({ host }) => host);
  return {
    servers,
    place: servers.join(","),
    ...(user === "" ? {} : pass === "" ? { token: user } : { user, pass }),
    ...(urls.some(({ protocol }) => protocol === "tls:") ? { tls: {} } : {}),
  };
}

function fileOf(path: string, what: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new InputError(`cannot read the ${what} in ${path}: ${(error as Error).message}`);
  }
}

const KNOWN: readonly (readonly [RegExp, string])[] = [
  [/refused|ECONNREFUSED/i, "nobody listens there"],
  [/ENOTFOUND|EAI_AGAIN/, "there is no host of that name"],
  [
    /authorization|authentication|permission/i,
    "it does not accept these credentials (user and password, token, or --nats-creds)",
  ],
  [
    /certificate|tls|ssl/i,
    "its certificate is not trusted or names another host, or it wants TLS: use tls://HOST and --nats-ca, or ?ca=FILE for leases",
  ],
  [/timeout/i, "it does not answer"],
];

function wordsOf(error: Error): string {
  const cause = error.cause instanceof Error ? `${error.cause.message}` : "";
  const text = `${error.name} ${error.message} ${cause}`;
  return KNOWN.find(([pattern]) => pattern.test(text))?.[1] ?? error.message;
}
