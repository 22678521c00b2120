/** Routes as an application: each request is admitted, read, answered, and whatever goes wrong becomes a problem. */
import type { IncomingMessage } from "node:http";
import { didYouMean } from "../../../errors.ts";
import type { Admission } from "./admission.ts";
import { agentLabFile, pathWithin } from "./lab-files.ts";
import { ApiError, type Exchange, GivenProblem, PROBLEM_TYPE, problemOf, quotedInput } from "./problem.ts";
import { type FrontMeans, type Route, readJsonBody, SENT } from "./route.ts";

/** With every answer: nothing is kept, guessed, framed or handed to other sites. */
const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

type Respond = (exchange: Exchange) => void | Promise<void>;

/** Answers each request, and never rejects. */
export function apiOf(routes: readonly Route[], means: FrontMeans, admission: Admission): Respond {
  const unknown = stranger(routes);
  const patterns = routes.map((route) => ({ route, parts: route.path.split("/") }));
  const respond: Respond = (exchange) => {
    const { method = "", headers } = exchange.incoming;
    const path = pathOf(exchange);
    const parts = path.split("/").map(decoded);
    const isRead = method === "GET" || method === "HEAD";
    for (const { route, parts: pattern } of patterns) {
      const params = (route.method === "get" ? isRead : method === "POST") ? paramsOf(pattern, parts) : null;
      if (params === null) continue;
      admission.checkToken(route.needs, headers);
      return answer(route, means, exchange, params);
    }
    if (isRead && path === "/") {
      return send(exchange, {
        status: 302,
        headers: { ...HEADERS, location: "/lab/", "content-length": "0" },
        body: "",
      });
    }
    if (isRead && /^\/lab(?:\/|$)/.test(path)) return labAnswer(exchange);
    throw unknown(path, method);
  };
  return answering(admission, means, respond);
}

/** Requests that are admitted get an answer; what goes wrong becomes a problem. */
export function answering(admission: Admission, means: Pick<FrontMeans, "log">, respond: Respond): Respond {
  return async (exchange) => {
    const { incoming, outgoing } = exchange;
    outgoing.once("finish", () => dropRest(incoming));
    try {
      admission.checkSender(incoming);
      await respond(exchange);
    } catch (error) {
      send(exchange, refusal(error, means));
    }
  };
}

/** Milliseconds for the rest of a body that nobody reads; then the connection is cut. */
const REST = 500;

function dropRest(incoming: IncomingMessage): void {
  if (incoming.complete || incoming.destroyed) return;
  const timer = setTimeout(() => incoming.socket.destroy(), REST);
  incoming.once("close", () => clearTimeout(timer));
  incoming.resume();
}

export const pathOf = ({ incoming: { url = "" } }: Exchange): string => url.split(/[?#]/, 1)[0];

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What stands in a path where its pattern has names; null: it does not fit. */
function paramsOf(pattern: readonly string[], parts: readonly string[]): Record<string, string> | null {
  if (pattern.length !== parts.length) return null;
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const name = /^\{(\w+)\}$/.exec(pattern[i])?.[1];
    if (name === undefined ? part !== pattern[i] : part === "") return null;
    if (name !== undefined) params[name] = part;
  }
  return params;
}

async function answer(
  route: Route,
  means: FrontMeans,
  exchange: Exchange,
  params: Record<string, string>,
): Promise<void> {
  const query = queryOf(route, exchange);
  const body = route.body === undefined ? null : await readJsonBody(exchange.incoming, route.body);
  const given = await route.handle(means, { params, query, body, exchange });
  if (given !== SENT) sendText(exchange, route.answer.type, given);
}

/** JSON, unless it is a text already. */
export function sendText(exchange: Exchange, type: string, given: unknown): void {
  send(exchange, textAnswer(200, type, typeof given === "string" ? given : jsonLine(given)));
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export function send({ outgoing }: Exchange, { status, headers, body }: Answer): void {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status, headers).end(body);
}

/** With an end of line, so that a shell's prompt does not stick to what curl prints. */
const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

function textAnswer(status: number, type: string, body: string, more: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { ...HEADERS, ...more, "content-type": type, "content-length": String(Buffer.byteLength(body)) },
    body,
  };
}

/** A name that is not known, or said twice, is a mistake whose answer would be about something else. */
function queryOf({ query = {} }: Route, { incoming: { url = "" } }: Exchange): Record<string, string> {
  const given = new URLSearchParams(url.split("?").slice(1).join("?"));
  const known = Object.keys(query);
  for (const name of given.keys()) {
    if (!known.includes(name)) {
      const all = known.length === 0 ? "leave it out" : `there is ${known.join(", ")}`;
      throw new ApiError(
        "BAD_QUERY",
        `this route has no parameter ${quotedInput(name)}`,
        didYouMean(name, known).slice(2) || all,
      );
    }
    const values = given.getAll(name);
    if (values.length !== 1 || values[0] === "") {
      throw new ApiError(
        "BAD_QUERY",
        `the parameter "${name}" has ${values.length > 1 ? "several values" : "no value"}`,
        "give one",
      );
    }
  }
  return Object.fromEntries(given);
}

function refusal(error: unknown, { log }: Pick<FrontMeans, "log">): Answer {
  const problem = problemOf(error);
  // What goes wrong in the member's thread is told to the log there.
  if (problem.code === "INTERNAL" && !(error instanceof GivenProblem)) {
    log.error("an HTTP request has failed", {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  const headers = error instanceof ApiError || error instanceof GivenProblem ? error.headers : {};
  return textAnswer(problem.status, PROBLEM_TYPE, jsonLine(problem), headers);
}

/** The page is public; what it asks for is not. */
export async function labAnswer(exchange: Exchange): Promise<void> {
  const path = pathWithin(pathOf(exchange).slice("/lab/".length));
  const file =
    path === null ? null : await agentLabFile(path, String(exchange.incoming.headers["accept-encoding"] ?? ""));
  if (file === null) {
    throw new ApiError(
      "NO_SUCH_FILE",
      "the Lab has no such file",
      "open /lab/; in a checkout, build it with npm run build",
    );
  }
  send(exchange, { status: 200, headers: { ...HEADERS, ...file.headers }, body: file.body });
}

/** Says of a request to which no route fits what there is at its path, or that there is nothing. */
function stranger(routes: readonly Route[]): (path: string, method: string) => ApiError {
  const all = [...routes, ...PAGES].map(({ method, path }) => ({
    methods: method === "get" ? ["GET", "HEAD"] : ["POST"],
    pattern: new RegExp(
      `^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, (_, name) => SHAPES[name] ?? "[^/]+")}$`,
    ),
  }));
  const known = routes.map(({ path }) => path);
  return (path, method) => {
    const allow = all.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : [])).join(", ");
    if (allow !== "") {
      return new ApiError("WRONG_METHOD", `${quotedInput(method)} is not answered here`, `use ${allow}`, { allow });
    }
    const near = path.length > 64 ? "" : didYouMean(path, known).slice(2);
    return new ApiError(
      "NO_SUCH_ROUTE",
      `there is nothing at ${quotedInput(path)}`,
      near || "GET /openapi.json lists what there is",
    );
  };
}

/** What is no part of the API. */
const PAGES = [
  { method: "get", path: "/" },
  { method: "get", path: "/lab/{file}" },
] as const;

/** A file may be in a folder. */
const SHAPES: Readonly<Record<string, string>> = { file: ".*" };
