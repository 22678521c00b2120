/** The description of the API, from the same schemas as its answers (OpenAPI 3.1). */
import { toJsonSchema } from "@valibot/to-json-schema";
import { eventSchemas, ProblemSchema } from "../../../api/schemas.ts";
import { version } from "../../../version.ts";
import { PROBLEM_TYPE } from "./problem.ts";
import type { Route, Schema } from "./route.ts";

/** What any route can answer, whatever is asked. */
const COMMON: Readonly<Record<number, string>> = {
  400: "What was asked cannot be read.",
  403: "The host's name or the page's origin is not the agent's, or the agent has no token.",
  500: "Something went wrong in the agent.",
};

const OWN: Readonly<Record<number, string>> = {
  401: "The bearer token is missing, or another.",
  404: "There is no such office or member.",
  409: "It cannot be done as things are; the code says why.",
  413: "The body is too large.",
  415: "The body is not said to be JSON.",
  503: "Not now; the code says why.",
  504: "Nothing has come of it in time.",
};

export function describe(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    paths[route.path] ??= {};
    paths[route.path][route.method] = operation(route);
  }
  const events = Object.fromEntries(
    Object.entries(eventSchemas).map(([name, schema]) => [`event-${name}`, schemaOf(schema)]),
  );
  return {
    openapi: "3.1.0",
    info: {
      title: "Sortition agent",
      version,
      description:
        "What a member of a group knows, and what it can be asked to do. Fields may be added; none is taken away.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: { Problem: schemaOf(ProblemSchema), ...events },
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
    },
  };
}

function operation({
  path,
  method,
  summary,
  description,
  needs,
  params,
  query,
  requestHeaders,
  body,
  answer,
  problems,
}: Route) {
  const parameters = [
    ...listed("path", params, true),
    ...listed("query", query, false),
    ...listed("header", requestHeaders, false),
  ];
  const statuses = new Set([...Object.keys(COMMON).map(Number), ...problems]);
  if (needs !== "nothing") statuses.add(401);
  if (body !== undefined) for (const status of [413, 415]) statuses.add(status);
  return {
    operationId: [method, ...path.split(/[^a-z0-9]+/i).filter(Boolean)].join("-"),
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { content: { "application/json": { schema: schemaOf(body) } } },
    }),
    // Beyond loopback the token is needed for whatever has an alternative here.
    security: needs === "nothing" ? [] : needs === "token" ? [{ bearer: [] }] : [{}, { bearer: [] }],
    responses: {
      200: { description: answer.words, content: { [answer.type]: { schema: schemaOf(answer.schema) } } },
      ...Object.fromEntries([...statuses].sort().map((status) => [status, problemWith(status)])),
    },
  };
}

const listed = (where: string, named: Readonly<Record<string, string>> = {}, required: boolean) =>
  Object.entries(named).map(([name, description]) => ({
    name,
    in: where,
    required,
    description,
    schema: { type: "string" },
  }));

const problemWith = (status: number) => ({
  description: OWN[status] ?? COMMON[status],
  content: { [PROBLEM_TYPE]: { schema: { $ref: "#/components/schemas/Problem" } } },
});

function schemaOf(schema: Schema): object {
  const { $schema: _draft, ...rest } = toJsonSchema(schema, { target: "draft-2020-12" });
  return rest;
}
