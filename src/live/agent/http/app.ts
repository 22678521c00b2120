/** Routes as an application: each request is admitted, read, answered, and whatever goes wrong becomes a problem. */
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { didYouMean } from "../../../errors.ts";
import type { Admission } from "./admission.ts";
import { agentLabFile, pathWithin } from "./lab-files.ts";
import { ApiError, GivenProblem, type HttpContext, PROBLEM_TYPE, problemOf, quotedInput } from "./problem.ts";
import { type FrontMeans, type Route, readJsonBody } from "./route.ts";

/** With every answer: nothing is kept, guessed, framed or handed to other sites. */
const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

export type Api = Hono<{ Bindings: HttpBindings }>;

export function apiOf(routes: readonly Route[], means: FrontMeans, admission: Admission): Api {
  const app: Api = new Hono<{ Bindings: HttpBindings }>({ strict: true });
  app.use(async (ctx, next) => {
    admission.checkSender(ctx.env.incoming);
    await next();
  });
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path.replaceAll(/\{(\w+)\}/g, ":$1"), (ctx) => {
      admission.checkToken(route.needs, ctx.env.incoming.headers);
      return answer(route, means, ctx);
    });
  }
  app.get("/", (ctx) =>
    send(ctx, { status: 302, headers: { ...HEADERS, location: "/lab/", "content-length": "0" }, body: "" }),
  );
  app.get("/lab/*", labAnswer);
  const unknown = stranger(routes);
  app.all("*", (ctx) => {
    throw unknown(ctx);
  });
  app.onError((error, ctx) => send(ctx, refusal(error, means)));
  return app;
}

async function answer(route: Route, means: FrontMeans, ctx: HttpContext): Promise<Response> {
  const params = ctx.req.param() as Record<string, string>;
  const query = queryOf(route, ctx);
  const body = route.body === undefined ? null : await readJsonBody(ctx, route.body);
  const given = await route.handle(means, { params, query, body, ctx });
  if (given instanceof Response) return given;
  const text = typeof given === "string" ? given : jsonLine(given);
  return send(ctx, textAnswer(200, route.answer.type, text));
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** Straight to the socket: twice as many answers as through a `Response`, whose body is a stream. */
function send({ env: { outgoing } }: HttpContext, { status, headers, body }: Answer): Response {
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(status, headers).end(body);
  return RESPONSE_ALREADY_SENT;
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
function queryOf({ query = {} }: Route, { req }: HttpContext): Record<string, string> {
  const given = req.queries();
  for (const [name, values] of Object.entries(given)) {
    const known = Object.keys(query);
    if (!known.includes(name)) {
      const all = known.length === 0 ? "leave it out" : `there is ${known.join(", ")}`;
      throw new ApiError(
        "BAD_QUERY",
        `this route has no parameter ${quotedInput(name)}`,
        didYouMean(name, known).slice(2) || all,
      );
    }
    if (values.length !== 1 || values[0] === "") {
      throw new ApiError(
        "BAD_QUERY",
        `the parameter "${name}" has ${values.length > 1 ? "several values" : "no value"}`,
        "give one",
      );
    }
  }
  return Object.fromEntries(Object.entries(given).map(([name, [value]]) => [name, value]));
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

/** As a `Response`, for whoever has no socket at hand. */
export function problemAnswer(error: unknown, means: Pick<FrontMeans, "log">): Response {
  const { status, headers, body } = refusal(error, means);
  return new Response(body as string, { status, headers });
}

/** The page is public; what it asks for is not. */
async function labAnswer(ctx: HttpContext): Promise<Response> {
  const path = pathWithin((ctx.env.incoming.url ?? "").split(/[?#]/, 1)[0].slice("/lab/".length));
  const file = path === null ? null : await agentLabFile(path, ctx.req.header("accept-encoding") ?? "");
  if (file === null) {
    throw new ApiError(
      "NO_SUCH_FILE",
      "the Lab has no such file",
      "open /lab/; in a checkout, build it with npm run build",
    );
  }
  return send(ctx, { status: 200, headers: { ...HEADERS, ...file.headers }, body: file.body });
}

/** Says of a request to which no route fits what there is at its path, or that there is nothing. */
function stranger(routes: readonly Route[]): (ctx: HttpContext) => ApiError {
  const all = [...routes, ...PAGES].map(({ method, path }) => ({
    methods: method === "get" ? ["GET", "HEAD"] : ["POST"],
    pattern: new RegExp(
      `^${path.replaceAll(".", "\\.").replaceAll(/\{(\w+)\}/g, (_, name) => SHAPES[name] ?? "[^/]+")}$`,
    ),
  }));
  const known = routes.map(({ path }) => path);
  return ({ req: { path, method } }) => {
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
