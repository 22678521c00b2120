/** Routes as an application: each request is admitted, read, answered, and whatever goes wrong becomes a problem. */
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { didYouMean } from "../../../errors.ts";
import type { Admission } from "./admission.ts";
import { readBody } from "./body.ts";
import { labFile, pathWithin } from "./lab-files.ts";
import { ApiError, PROBLEM_TYPE, problemOf, shown } from "./problem.ts";
import type { ApiMeans, Ctx, Route } from "./route.ts";

/** With every answer: nothing is kept, guessed, framed or handed to other sites. */
const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

export type Api = Hono<{ Bindings: HttpBindings }>;

export function apiOf(routes: readonly Route[], means: ApiMeans, admission: Admission): Api {
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
  app.get("/", (ctx) => ctx.body(null, 302, { ...HEADERS, location: "/lab/" }));
  app.get("/lab/*", labAnswer);
  app.all("*", (ctx) => {
    throw unknown(ctx, routes);
  });
  app.onError((error) => problemAnswer(error, means));
  return app;
}

async function answer(route: Route, means: ApiMeans, ctx: Ctx): Promise<Response> {
  const params = ctx.req.param() as Record<string, string>;
  const query = queryOf(route, ctx);
  const body = route.body === undefined ? null : await readBody(ctx, route.body);
  const given = await route.handle(means, { params, query, body, ctx });
  if (given instanceof Response) return given;
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return textAnswer(200, route.answer.type, text);
}

function textAnswer(status: number, type: string, text: string, more: Readonly<Record<string, string>> = {}): Response {
  return new Response(text, {
    status,
    headers: { ...HEADERS, ...more, "content-type": type, "content-length": String(Buffer.byteLength(text)) },
  });
}

/** A name that is not known, or said twice, is a mistake whose answer would be about something else. */
function queryOf({ query = {} }: Route, { req }: Ctx): Record<string, string> {
  const given = req.queries();
  for (const [name, values] of Object.entries(given)) {
    const known = Object.keys(query);
    if (!known.includes(name)) {
      const all = known.length === 0 ? "leave it out" : `there is ${known.join(", ")}`;
      throw new ApiError(
        "BAD_QUERY",
        `this route has no parameter ${shown(name)}`,
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

export function problemAnswer(error: unknown, { log }: Pick<ApiMeans, "log">): Response {
  const problem = problemOf(error);
  if (problem.code === "INTERNAL") {
    log.error("an HTTP request has failed", {
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    });
  }
  const headers = error instanceof ApiError ? error.headers : {};
  return textAnswer(problem.status, PROBLEM_TYPE, JSON.stringify(problem), headers);
}

/** The page is public; what it asks for is not. */
async function labAnswer(ctx: Ctx): Promise<Response> {
  const path = pathWithin((ctx.env.incoming.url ?? "").split(/[?#]/, 1)[0].slice("/lab/".length));
  const file = path === null ? null : await labFile(path, ctx.req.header("accept-encoding") ?? "");
  if (file === null) {
    throw new ApiError(
      "NO_SUCH_FILE",
      "the Lab has no such file",
      "open /lab/; in a checkout, build it with npm run build",
    );
  }
  return new Response(file.body, { headers: { ...HEADERS, ...file.headers } });
}

/** Another method is known at this path, or nothing is. */
function unknown(ctx: Ctx, routes: readonly Route[]): ApiError {
  const { path } = ctx.req;
  const here = [...routes, ...PAGES].filter((route) => matches(route.path, path));
  if (here.length > 0) {
    const allow = here.flatMap(({ method }) => (method === "get" ? ["GET", "HEAD"] : ["POST"])).join(", ");
    return new ApiError("WRONG_METHOD", `${shown(ctx.req.method)} is not answered here`, `use ${allow}`, { allow });
  }
  const known = routes.map((route) => route.path);
  return new ApiError(
    "NO_SUCH_ROUTE",
    `there is nothing at ${shown(path)}`,
    didYouMean(path, known).slice(2) || "GET /openapi.json lists what there is",
  );
}

const PAGES = [
  { method: "get", path: "/" },
  { method: "get", path: "/lab/{file}" },
] as const;

const matches = (pattern: string, path: string): boolean =>
  new RegExp(
    `^${pattern.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, pattern.startsWith("/lab") ? ".*" : "[^/]+")}$`,
  ).test(path);
