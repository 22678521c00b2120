/** What a route is: how it is asked, what it answers, and how it is described. The API is a list of these (routes.ts). */
import type { IncomingMessage } from "node:http";
import * as v from "valibot";
import { didYouMean } from "../../../errors.ts";
import type { AdmissionNeeds } from "./admission.ts";
import type { EventStreams } from "./event-streams.ts";
import type { ApiLog, HandlerName } from "./handlers.ts";
import { ApiError, type HttpExchange, quotedInput } from "./problem.ts";

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
interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly exchange: HttpExchange;
}

/** The route has answered by itself. */
export const SENT = Symbol("sent");

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
  /** Gives what is answered: a value for JSON, a text of the route's type, or `SENT`. */
  handle(means: FrontMeans, asked: CheckedRequest): unknown;
}

// Bodies of requests: JSON, small, and of the shape that the route takes.

/** Bytes. */
const LARGEST_BODY = 16 * 1024;

export async function readJsonBody(incoming: IncomingMessage, schema: Schema): Promise<unknown> {
  const bytes = await bytesOf(incoming);
  const type = incoming.headers["content-type"];
  // An empty body needs no content type.
  if (bytes.length > 0 && !/^application\/json *(;|$)/i.test(type ?? "")) {
    throw new ApiError("WRONG_TYPE", "the body is not said to be JSON", 'send "Content-Type: application/json"');
  }
  return checked(bytes.length === 0 ? {} : parsed(bytes), schema);
}

/** By events: an iterator takes the connection with it when it ends early, and a client that sends too much must be told so. */
function bytesOf(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const give = (error: ApiError | null) => {
      incoming.off("data", read).off("end", end).off("error", broken).off("close", broken);
      if (error === null) resolve(Buffer.concat(chunks));
      else reject(error);
    };
    const read = (chunk: Buffer) => {
      length += chunk.length;
      if (length > LARGEST_BODY) give(tooLarge());
      else chunks.push(chunk);
    };
    const end = () => give(null);
    const broken = () => give(new ApiError("BAD_REQUEST", "the request has ended within its body", "send all of it"));
    if (Number(incoming.headers["content-length"] ?? 0) > LARGEST_BODY) return reject(tooLarge());
    incoming.on("data", read).on("end", end).on("error", broken).on("close", broken);
  });
}

const tooLarge = () =>
  new ApiError("TOO_LARGE", `a body has at most ${LARGEST_BODY} bytes`, "send less", { connection: "close" });

const bad = (what: string, advice: string) => new ApiError("BAD_BODY", what, advice);

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw bad("the body is no JSON", 'send an object in UTF-8, such as {"office":"leader"}');
  }
}

function checked(given: unknown, schema: Schema): unknown {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    throw bad("the body is no JSON object", 'send one, such as {"office":"leader"}');
  }
  const result = v.safeParse(schema, given);
  if (result.success) return result.output;
  const [{ path, type, input }] = result.issues;
  const field = String(path?.[0]?.key ?? "");
  const known = Object.keys((schema as unknown as { readonly entries: object }).entries);
  if (type === "strict_object" && !known.includes(field)) {
    const all = known.length === 0 ? "send none" : `there is ${known.join(", ")}`;
    throw bad(
      `the body has a field ${quotedInput(field)} that is not known here`,
      didYouMean(field, known).slice(2) || all,
    );
  }
  if (input === undefined) throw bad(`the body lacks "${field}"`, "add it, as a text");
  const [{ expected }] = result.issues;
  if (type !== "string") throw bad(`"${field}" of the body is not as it should be`, `send ${expected ?? type}`);
  throw bad(`"${field}" of the body is no text`, "send a text in double quotes");
}
