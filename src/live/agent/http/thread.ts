/**
 * What the two threads of an agent say to each other. HTTP has a thread to itself (front.ts), so that no client can keep the member
 * (server.ts) from renewing a lease. The front reads requests and refuses what it can; only questions to the member cross over.
 */
import type { HttpPlace } from "../listening.ts";
import type { Certificate } from "./admission.ts";
import type { HandlerName, HandlerRequest } from "./handlers.ts";
import type { HttpProblem } from "./problem.ts";

export interface StreamLimits {
  /** How many streams at a time. */
  readonly streams: number;
  /** Bytes that may wait for one reader. */
  readonly backlog: number;
  /** Milliseconds between signs of life. If data waits and a reader has taken none of it in between, the reader is cut off. */
  readonly beat: number;
  /** Events that are kept. */
  readonly kept: number;
}

export const STREAM_LIMITS: StreamLimits = { streams: 64, backlog: 1024 * 1024, beat: 10_000, kept: 256 };

export interface ApiLimits extends StreamLimits {
  /** If more are open, the oldest connection on which no answer is due is closed. */
  readonly connections: number;
  /** Milliseconds for the headers of a request, and for all of it. */
  readonly headersWithin: number;
  readonly requestWithin: number;
  /** Milliseconds that a connection is kept without a request. */
  readonly idle: number;
}

/** What can be replaced while the front runs. */
export interface ApiSecrets {
  readonly token: string | null;
  readonly secure: Certificate | null;
}

export interface FrontSetup extends ApiSecrets {
  readonly place: HttpPlace;
  /** Further names under which it is reached. */
  readonly names: readonly string[];
  readonly limits: ApiLimits;
}

/** From the member's thread. */
export type ToFront =
  | { readonly kind: "answer"; readonly id: number; readonly text: string }
  | {
      readonly kind: "problem";
      readonly id: number;
      readonly problem: HttpProblem;
      readonly headers: Readonly<Record<string, string>>;
    }
  /** To all event streams. */
  | { readonly kind: "publish"; readonly text: string }
  | ({ readonly kind: "secrets" } & ApiSecrets)
  /** `last`: what event streams end with. */
  | { readonly kind: "close"; readonly last: string };

/** From the front. */
export type FromFront =
  | { readonly kind: "listening"; readonly place: HttpPlace }
  | { readonly kind: "cannot listen"; readonly code: string | undefined; readonly message: string }
  | { readonly kind: "ask"; readonly id: number; readonly handler: HandlerName; readonly request: HandlerRequest }
  /** So many event streams are open. */
  | { readonly kind: "streams"; readonly count: number }
  | { readonly kind: "error"; readonly message: string; readonly fields: Readonly<Record<string, unknown>> };
