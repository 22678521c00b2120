/** What a route is: how it is asked, what it answers, and how it is described. The API is a list of these (routes.ts). */

import type * as v from "valibot";
import type { AdmissionNeeds } from "./admission.ts";
import type { HttpContext } from "./context.ts";
import type { EventStreams } from "./event-streams.ts";
import type { ApiLog, HandlerName } from "./handlers.ts";

export type Schema = v.GenericSchema<unknown, unknown>;

/** What routes work with, in the thread that serves HTTP. */
export interface FrontMeans {
  readonly log: Pick<ApiLog, "error">;
  /** Asks the member's thread. */
  ask(handler: HandlerName, asked: CheckedRequest): Promise<string>;
  readonly streams: EventStreams;
  /** The API's description. */
  description(): unknown;
}

/** What was asked, once it was found to be well-formed. */
export interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly ctx: HttpContext;
}

export interface Route {
  readonly method: "get" | "post";
  /** As OpenAPI writes it: /v1/offices/{name}. */
  readonly path: string;
  readonly needs: AdmissionNeeds;
  readonly summary: string;
  readonly description?: string;
  /** Each with what it is. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly requestHeaders?: Readonly<Record<string, string>>;
  readonly body?: Schema;
  readonly answer: { readonly type: string; readonly schema: Schema; readonly words: string };
  /** Statuses of problems that are this route's own. */
  readonly problems: readonly number[];
  /** Gives what is answered: a value for JSON, a text of the route's type, or the whole response. */
  handle(means: FrontMeans, asked: CheckedRequest): unknown;
}
