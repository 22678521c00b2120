/**
 * A guard before an HTTP service, on the Fetch standard. It fences **admission only**: a request that was admitted while its sender led
 * may still be at work when a newer leader's request is admitted. What must not happen then belongs into a guarded transaction
 * (`postgresGuard`, `sqliteGuard`), or into `guardedUpdate`.
 */
import { FENCE_HEADER, type Fence } from "./fence.ts";
import { FenceRefused, type Refusal } from "./refused.ts";
import type { Guarding } from "./rule.ts";
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
 * read. Whoever can change responses on their way can make up one: use TLS.
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
