/**
 * A guard before an HTTP service, on the Fetch standard. It fences **admission only**: a request that was admitted while its sender led
 * may still be at work when a newer leader's request is admitted. What must not happen then belongs into a guarded transaction
 * (`postgresGuard`, `sqliteGuard`), or into `guardedUpdate`.
 */

import { InputError } from "../../errors.ts";
import { FENCE_HEADER, type Fence, FenceRefused, type Guarding, type Refusal } from "./fence.ts";
import { admit, type GuardStore } from "./store.ts";

/** Settings of a guard before an HTTP service. */
export interface HttpGuardOptions {
  readonly keys: Guarding["keys"];
  /** The seat whose holder may send requests; a function where that depends on the request, as with shards. */
  readonly seat: string | ((request: Request) => string);
  /** Where the newest lease is remembered. It must survive a restart, and be one for all processes of the service. */
  readonly store: GuardStore;
  /** Told where the store fails; the request is refused then. */
  readonly failed?: (error: unknown) => void;
}

/** Fences admission only: null where the request may go on, and otherwise the response to give instead. */
export interface HttpGuard {
  (request: Request): Promise<Response | null>;
  /** The fence with which a request was admitted: a `Request`, or the request object of the framework. */
  admitted(request: object): Fence | undefined;
  /** For adapters: admits by the headers of `request`, and remembers that for `as`. */
  judge(request: Request, as: object): Promise<Response | null>;
}

const STATUS: Readonly<Record<Refusal, number>> = {
  missing: 428,
  malformed: 400,
  forged: 403,
  foreign: 403,
  old: 412,
  rival: 412,
};

const TITLE: Readonly<Record<Refusal, string>> = {
  missing: "A fence is required",
  malformed: "The fence is none",
  forged: "The fence is not signed by this group",
  foreign: "The fence is one of another seat",
  old: "A newer leader has been here",
  rival: "Another lease with this token has been here",
};

const TYPE = "urn:sortition:fence:";

/** Admits requests of the newest leader alone, by the header `Sortition-Fence`. Fences admission only. */
export function httpGuard({ keys, seat, store, failed }: HttpGuardOptions): HttpGuard {
  const fences = new WeakMap<object, Fence>();

  async function judge(request: Request, as: object): Promise<Response | null> {
    const asked = typeof seat === "function" ? seat(request) : seat;
    try {
      fences.set(as, await admit({ keys, seat: asked, store }, request.headers.get(FENCE_HEADER)));
      return null;
    } catch (error) {
      if (error instanceof FenceRefused) return problemOf(error);
      failed?.(error);
      return unavailable();
    }
  }

  return Object.assign((request: Request) => judge(request, request), {
    admitted: (request: object) => fences.get(request),
    judge,
  });
}

const problem = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify({ ...body, status }), {
    status,
    headers: { "content-type": "application/problem+json", "cache-control": "no-store", ...headers },
  });

const problemOf = ({ code, message, newest }: FenceRefused): Response =>
  problem(STATUS[code], {
    type: TYPE + code,
    title: TITLE[code],
    detail: message,
    ...(newest === null ? {} : { newest: String(newest) }),
  });

const unavailable = (): Response =>
  problem(
    503,
    {
      type: "about:blank",
      title: "Service Unavailable",
      detail: "the guard cannot remember who leads just now, and lets nobody in: try again",
    },
    { "retry-after": "1" },
  );

/**
 * For leaders: what a guard has refused, from its response; null where the response is none of a guard. The response can still be
 * read. An attacker who can change responses on their way can make up one: use TLS.
 */
export async function refusedBy(response: Response): Promise<FenceRefused | null> {
  if (!response.headers.get("content-type")?.startsWith("application/problem+json")) return null;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const { type, detail, newest } = (body ?? {}) as Record<string, unknown>;
  const code = typeof type === "string" && type.startsWith(TYPE) ? type.slice(TYPE.length) : "";
  if (!Object.hasOwn(STATUS, code)) return null;
  const token = typeof newest === "string" && /^[1-9]\d{0,18}$/.test(newest) ? BigInt(newest) : null;
  return new FenceRefused(code as Refusal, String(detail), token);
}

// The HTTP guard inside two frameworks. Only method, address and headers are looked at: bodies stay unread.

/** What of a request of Express or Fastify is looked at. */
export interface IncomingRequest {
  readonly method: string;
  /** Express: the address before routers have cut it. */
  readonly originalUrl?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What is used of a response of Express. */
export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** What is used of a reply of Fastify. */
export interface FastifyReply {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body: string): unknown;
}

/** The guard as a middleware for Express. Fences admission only. `guard.admitted(req)` has the fence. */
export const expressGuard =
  (guard: HttpGuard) =>
  (request: IncomingRequest, response: ExpressResponse, next: (error?: unknown) => void): void => {
    const refuse = async (refused: Response) => {
      response.statusCode = refused.status;
      for (const [name, value] of refused.headers) response.setHeader(name, value);
      response.end(await refused.text());
    };
    // Somebody else may have answered meanwhile: what that throws is the framework's to handle, too.
    answer(guard, request).then((refused) => (refused === null ? next() : refuse(refused).catch(next)), next);
  };

/** The guard as a hook for Fastify: `onRequest`, or `preHandler`. Fences admission only. `guard.admitted(request)` has the fence. */
export const fastifyGuard =
  (guard: HttpGuard) =>
  async (request: IncomingRequest, reply: FastifyReply): Promise<unknown> => {
    const refused = await answer(guard, request);
    if (refused === null) return undefined;
    reply.code(refused.status);
    for (const [name, value] of refused.headers) reply.header(name, value);
    return reply.send(await refused.text());
  };

/** Asynchronous also where the address is none, so that the framework hears of it in its own way. */
async function answer(guard: HttpGuard, request: IncomingRequest): Promise<Response | null> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // Those of HTTP/2 that say what stands in the first line of HTTP/1 are no headers.
    if (!name.startsWith(":")) for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const address = request.originalUrl ?? request.url;
  checkAddress(address);
  const url = new URL(address, `http://${headers.get("host") ?? "localhost"}`);
  return guard.judge(new Request(url, { method: request.method, headers }), request);
}

/**
 * What the Fetch standard reads otherwise than routers do: ".." as a step back, "//" as another host, "\\" as "/". By such an address the
 * leader of one shard could get at another one.
 */
const AMBIGUOUS = /^[/\\]{2}|\\|(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

function checkAddress(address: string): void {
  const [path] = address.split(/[?#]/, 1);
  if (!AMBIGUOUS.test(path)) return;
  throw Object.assign(new InputError(`the address ${path} is not in its plain form: leave out "..", "." and "\\"`), {
    status: 400,
    statusCode: 400,
  });
}
