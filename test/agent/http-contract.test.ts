/** openapi.json is what a client in another language is written from: each route and status, held against the real answers. */
import { setTimeout as pause } from "node:timers/promises";
import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { routes } from "../../src/live/agent/http/routes.ts";
import { GroupError } from "../../src/live/join/errors.ts";
import { membersOf, type Served, served, settled, TOKEN } from "../support/api.ts";
import { Contract, type Description } from "../support/description.ts";

const reading = routes.filter(({ method }) => method === "get");
const changing = routes.filter(({ method }) => method === "post");

const description = async ({ api }: Served) => (await (await fetch(`${api.url}/openapi.json`)).json()) as Description;

test("the description is valid OpenAPI 3.1, and its routes are those that are answered", async () => {
  const [member] = await membersOf(["a"]);
  const one = await served(member);
  const described = await description(one);
  expect(await new Validator().validate(structuredClone(described) as never)).toEqual({ valid: true });
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(operations.sort()).toEqual(routes.map(({ method, path }) => `${method} ${path}`).sort());
  for (const operation of operations) {
    const [method, path] = operation.split(" ");
    const other = method === "get" ? "POST" : "GET";
    const answer = await fetch(`${one.api.url}${path.replace("{name}", "leader")}`, { method: other });
    expect([operation, answer.status, answer.headers.get("allow")]).toEqual([
      ...[operation, 405, method === "get" ? "GET, HEAD" : "POST"],
    ]);
    await answer.body?.cancel();
  }
});

interface Question {
  readonly method?: "get" | "post";
  readonly path: string;
  /** As it is asked, where that is not the path. */
  readonly at?: string;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly code?: string;
}

const bearer = { authorization: `Bearer ${TOKEN}` };
const json = { ...bearer, "content-type": "application/json" };
const post = (path: string, status: number, body: unknown, more: Partial<Question> = {}): Question => ({
  method: "post",
  path,
  status,
  headers: json,
  body: typeof body === "string" ? body : JSON.stringify(body),
  ...more,
});

/** Asks, and holds the answer against the description. */
async function ask(contract: Contract, { api }: Served, question: Question): Promise<Record<string, unknown>> {
  const { method = "get", path, at = path, status, headers = {}, body, code } = question;
  const answer = await fetch(`${api.url}${at}`, { method: method.toUpperCase(), headers, ...(body && { body }) });
  const isStream = answer.headers.get("content-type")!.startsWith("text/event-stream");
  const text = isStream ? "" : await answer.text();
  if (isStream) await answer.body!.cancel();
  const type = answer.headers.get("content-type")!.replace("text/event-stream; charset=utf-8", "text/event-stream");
  expect([at, answer.status, text]).toEqual([at, status, text]);
  expect(contract.complaint(method, path, answer.status, type, text)).toBeNull();
  const value = type.endsWith("json") ? JSON.parse(text) : {};
  if (type.endsWith("json")) expect([at, text.at(-1)]).toEqual([at, "\n"]);
  if (status >= 400) {
    expect(value).toMatchObject({ status, title: expect.any(String), type: "about:blank" });
    expect(value.code).toBe(code ?? value.code);
    for (const sentence of [value.detail, value.advice]) expect(sentence).toMatch(/^\S.{5,}/);
  }
  return value;
}

test("every route answers as it is described, for each status that it has of its own", async () => {
  const offices = ["leader", "shards:2", "audit:1..3"];
  const members = await membersOf(["a", "b", "c"], { offices });
  const leader = await settled(members);
  let ready: { ready: boolean; why?: string } = { ready: true };
  const own = await served(leader, { isReady: () => ready, limits: { streams: 1 } });
  const other = await served(members.find((member) => member !== leader)!);
  const contract = new Contract(await description(own));
  const to = other.member.name;
  const third = members.find((member) => member !== leader && member !== other.member)!;
  const questions: Question[] = [
    ...["leader", "self", "members", "status", "council"].map((name) => ({ path: `/v1/${name}`, status: 200 })),
    ...["/healthz", "/readyz", "/metrics", "/openapi.json"].map((path) => ({ path, status: 200 })),
    { path: "/v1/offices/{name}", at: "/v1/offices/leader", status: 200 },
    { path: "/v1/offices/{name}", at: "/v1/offices/shards", status: 200 },
    { path: "/v1/offices/{name}", at: "/v1/offices/shards%232", status: 200 },
    { path: "/v1/offices/{name}", at: "/v1/offices/nothing", status: 404, code: "NO_SUCH_OFFICE" },
    { path: "/v1/offices/{name}", at: `/v1/offices/${"x".repeat(5000)}`, status: 404, code: "NO_SUCH_OFFICE" },
    { path: "/v1/council", at: "/v1/council?office=audit", status: 200 },
    { path: "/v1/council", at: "/v1/council?office=nothing", status: 404, code: "NO_SUCH_OFFICE" },
    { path: "/v1/council", at: "/v1/council?ofice=audit", status: 400, code: "BAD_QUERY" },
    { path: "/v1/events", status: 200 },
    { path: "/v1/fence", status: 200, headers: bearer },
    { path: "/v1/fence", at: "/v1/fence?office=nothing", status: 404, headers: bearer, code: "NO_SUCH_OFFICE" },
    post("/v1/transfer", 404, { to: "nobody" }, { code: "NO_SUCH_MEMBER" }),
    post("/v1/transfer", 400, {}, { code: "BAD_BODY" }),
    post("/v1/elect", 409, {}, { code: "HELD" }),
    post("/v1/elect", 404, { office: "nothing" }, { code: "NO_SUCH_OFFICE" }),
    post("/v1/resign", 404, { office: "nothing" }, { code: "NO_SUCH_OFFICE" }),
    post("/v1/transfer", 404, { to, office: "nothing" }, { code: "NO_SUCH_OFFICE" }),
    { path: "/v1/jobs/{name}", at: "/v1/jobs/nightly", status: 200 },
    post("/v1/begin", 200, { key: "nightly" }),
    post("/v1/begin", 404, { key: "nightly", office: "nothing" }, { code: "NO_SUCH_OFFICE" }),
    post("/v1/begin", 400, { key: "nightly", office: "shards" }, { code: "BAD_OPTION" }),
    post("/v1/begin", 400, { key: "nightly", attempts: "many" }, { code: "BAD_BODY" }),
    post("/v1/finish", 200, { key: "nightly", attempt: "of nobody", outcome: "done" }),
    post("/v1/finish", 400, { key: "nightly", attempt: "of nobody", outcome: "maybe" }, { code: "BAD_BODY" }),
    post("/v1/rekey", 200, ""),
    post("/v1/transfer", 200, { to, office: "leader" }),
    post("/v1/transfer", 409, { to: third.name, office: "leader" }, { code: "NOT_HELD" }),
    post("/v1/resign", 200, { office: "leader" }),
  ];
  // Of every route that is asked for something, and of every one that changes something.
  for (const { path } of routes) {
    const at = path.replace("{name}", "leader");
    const method = reading.some((route) => route.path === path) ? "get" : "post";
    questions.push({ method, path, at, status: 403, headers: { origin: "http://evil.example" }, code: "BAD_ORIGIN" });
    if (method === "get") questions.push({ path, at: `${at}?x=1`, status: 400, headers: bearer, code: "BAD_QUERY" });
  }
  for (const { path } of changing) {
    questions.push(
      post(path, 401, {}, { headers: {}, code: "TOKEN_NEEDED" }),
      post(path, 401, {}, { headers: { authorization: "Bearer another-token-of-nobody" }, code: "TOKEN_NEEDED" }),
      post(path, 400, "{", { code: "BAD_BODY" }),
      post(path, 413, `{"x":"${"y".repeat(17_000)}"}`, { code: "TOO_LARGE" }),
      post(path, 415, {}, { headers: { ...bearer, "content-type": "text/plain" }, code: "WRONG_TYPE" }),
    );
  }
  for (const question of questions) {
    await ask(contract, own, question);
  }

  // An office that nobody wants any more, until somebody does.
  await Promise.all(members.map((member) => member.lead("audit", () => {}).done));
  while (members.some((member) => member.office("audit").leader !== null)) await pause(10);
  const arrived = new Promise<void>((resolve) => {
    const elect = leader.elect.bind(leader);
    leader.elect = (...given) => {
      resolve();
      return elect(...given);
    };
  });
  const asked = ask(contract, own, post("/v1/elect", 200, { office: "audit" }));
  await arrived;
  third.lead("audit", ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)));
  expect(await asked).toMatchObject({ elected: [{ office: "audit", leader: third.name }] });

  ready = { ready: false, why: "the engine does not answer" };
  const said = await ask(contract, own, { path: "/readyz", status: 503, code: "NOT_READY" });
  expect(said.detail).toBe("the engine does not answer");
  const stream = await fetch(`${own.api.url}/v1/events`);
  await ask(contract, own, { path: "/v1/events", status: 503, code: "TOO_MANY" });
  await stream.body!.cancel();

  await ask(contract, own, { path: "/v1/fence", status: 409, headers: bearer, code: "NOT_HELD" });

  const plain = await served((await membersOf(["p"], { strict: false }))[0]);
  for (const path of ["/v1/begin", "/v1/finish"]) {
    await ask(contract, plain, post(path, 409, needed(path, "p"), { code: "BAD_LEASE" }));
  }
  await ask(contract, plain, { ...JOB, status: 409, code: "BAD_LEASE" });

  // Beyond loopback nothing but the signs of life is told without the token.
  const wide = await served(leader, { settings: { http: "0.0.0.0:0" } });
  for (const { path, needs } of reading) {
    const at = path.replace("{name}", "leader");
    const isOpen = needs === "nothing";
    await ask(contract, wide, { path, at, status: isOpen ? 200 : 401, ...(!isOpen && { code: "TOKEN_NEEDED" }) });
    if (path !== "/v1/fence") await ask(contract, wide, { path, at, status: 200, headers: bearer });
  }

  // What cannot be brought about at will: nothing comes of it in time, or something breaks.
  const late = new GroupError("TIMED_OUT", "nothing has come of it", "ask again");
  const fails = (error: Error) =>
    served(new Proxy(leader, { get: (_, name) => (name === "on" || name === "off" ? () => {} : fail(error)) }), {
      metrics: () => fail(error),
      isReady: () => fail(error),
    });
  const slow = await fails(late);
  for (const { path } of changing.filter(({ problems }) => problems.includes(504))) {
    await ask(contract, slow, post(path, 504, needed(path, to), { code: "TIMED_OUT" }));
  }
  await ask(contract, slow, { ...JOB, status: 504, code: "TIMED_OUT" });
  const torn = await fails(new Error("a secret of the inside"));
  for (const { path, method } of routes.filter((route) => route.path !== "/openapi.json")) {
    const at = path.replace("{name}", "leader");
    const body = method === "post" ? { body: JSON.stringify(needed(path, to)) } : {};
    const problem = await ask(contract, torn, {
      method,
      path,
      at,
      status: 500,
      headers: json,
      ...body,
      code: "INTERNAL",
    });
    expect(JSON.stringify(problem)).not.toContain("secret");
  }
  expect(torn.lines.filter((line) => line.includes("a secret of the inside"))).not.toEqual([]);

  await leader.leave();
  for (const { path } of changing) {
    await ask(contract, own, post(path, 503, needed(path, to), { code: "LEFT" }));
  }
  await ask(contract, own, { ...JOB, status: 503, code: "LEFT" });
  await ask(contract, own, { path: "/healthz", status: 503, code: "NOT_READY" });
  expect(contract.described.filter((answer) => !contract.seen.has(answer))).toEqual(["get /openapi.json 500"]);
});

/** The least that a route must be told. */
const needed = (path: string, to: string): Record<string, string> =>
  ({ "/v1/transfer": { to }, "/v1/begin": { key: "k" }, "/v1/finish": { key: "k", attempt: "x", outcome: "done" } })[
    path
  ] ?? {};

const JOB = { path: "/v1/jobs/{name}", at: "/v1/jobs/k" };

function fail(error: Error): never {
  throw error;
}
