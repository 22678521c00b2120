/** The HTTP guard inside two frameworks. Only method, address and headers are looked at: bodies stay unread. */
import { InputError } from "../../errors.ts";
import type { HttpGuard } from "./http.ts";

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
