/** JSON over HTTP(S) to a store, with connections that are kept and certificates of the user's. */
import { readFileSync } from "node:fs";
import { Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent, request } from "node:https";
import { didYouMean, InputError } from "../../errors.ts";

/** Certificates and keys, as text. */
export interface Tls {
  readonly ca?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the store's own JSON; an engine looks at the fields that it knows
  readonly body: any;
}

interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Nothing of the request has left this machine: it can be sent elsewhere. */
export class NotSent extends Error {}

export class HttpClient {
  private readonly agents: { readonly http: PlainAgent; readonly https: Agent };

  constructor(tls: Tls) {
    const keep = { keepAlive: true, maxSockets: 4 };
    this.agents = { http: new PlainAgent(keep), https: new Agent({ ...keep, ...tls }) };
  }

  call(url: string, { method, body, headers, signal }: HttpRequest): Promise<HttpAnswer> {
    const text = body === undefined ? "" : JSON.stringify(body);
    const isTls = url.startsWith("https:");
    const options = {
      method,
      signal,
      agent: isTls ? this.agents.https : this.agents.http,
      headers: { "content-type": "application/json", "content-length": Buffer.byteLength(text), ...headers },
    };
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(signal.aborted ? signal.reason : inWords(error, url));
      const asked = (isTls ? request : plainRequest)(url, options, (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.on("error", failed);
        response.on("end", () => {
          const said = Buffer.concat(parts).toString();
          try {
            resolve({ status: response.statusCode!, body: said === "" ? null : JSON.parse(said) });
          } catch {
            reject(new Error(`${new URL(url).host} answered ${response.statusCode} with text that is no JSON`));
          }
        });
      });
      asked.on("error", failed);
      asked.end(text);
    });
  }

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }
}

function inWords(error: NodeJS.ErrnoException, url: string): Error {
  const { host, hostname } = new URL(url);
  const { code, message } = error;
  if (code === "ECONNREFUSED") return new NotSent(`nothing listens at ${host}: start the server, or fix the address`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new NotSent(`the name ${hostname} cannot be looked up: fix the address, or this machine's resolver`);
  if (code === "ECONNRESET" || code === "EPIPE") return new Error(`${host} closed the connection`);
  return new Error(`${host}: ${message}`);
}

/** What the query of an address may say, checked by name. */
export function parametersOf(query: string, known: readonly string[], store: string): ReadonlyMap<string, string> {
  const given = new Map(new URLSearchParams(query));
  for (const name of given.keys()) {
    if (!known.includes(name))
      throw new InputError(
        `the address of ${store} has "${name}", which is none of ${known.join(", ")}${didYouMean(name, known)}`,
      );
  }
  return given;
}

/** The files with certificates that an address names by `ca`, `cert` and `key`. */
export function tlsIn(given: ReadonlyMap<string, string>): Tls {
  const text = (option: string) => {
    const file = given.get(option);
    try {
      return file === undefined ? undefined : readFileSync(file, "utf8");
    } catch (error) {
      throw new InputError(`${option}: cannot read ${file}: ${(error as Error).message}`);
    }
  };
  return { ca: text("ca"), cert: text("cert"), key: text("key") };
}
