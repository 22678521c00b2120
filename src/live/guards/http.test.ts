/** What a guard before an HTTP service answers, request by request, without a server. */
import { describe, expect, test } from "vitest";
import { keyringOf } from "../net/keyring.ts";
import { type FenceRefused, fenceOf, type Newest, type Refusal } from "./fence.ts";
import { expressGuard, fastifyGuard, httpGuard, refusedBy } from "./http.ts";
import { guardKeys } from "./keys.ts";
import { admit, type GuardStore, guardedUpdate } from "./store.ts";

const keys = guardKeys(keyringOf([Buffer.alloc(32, 1)]), "jobs");
const others = guardKeys(keyringOf([Buffer.alloc(32, 2)]), "jobs");
const fence = (token: bigint, lease = "a", seat = "leader", by = keys) => fenceOf(by, { seat, token, lease });

/** Remembers one lease. */
function memory(newest: Newest | null = null): GuardStore & { newest: Newest | null } {
  const store = {
    newest,
    read: async () => store.newest,
    replace: async (_seat: object, _before: Newest | null, after: Newest) => {
      store.newest = after;
      return true;
    },
  };
  return store;
}

const ask = (header: string | null, path = "/") =>
  new Request(`http://x${path}`, header === null ? {} : { headers: { "sortition-fence": header } });

describe("a request", () => {
  test.each<readonly [Refusal, number, string | null]>([
    ["missing", 428, null],
    ["malformed", 400, "s1~1"],
    ["forged", 403, fence(6n, "a", "leader", others)],
    ["foreign", 403, fence(6n, "a", "janitor")],
    ["old", 412, fence(4n)],
    ["rival", 412, fence(5n, "b")],
  ])("that is refused as %s is answered with status %i, which the leader can read", async (code, status, header) => {
    const guard = httpGuard({ keys, seat: "leader", store: memory({ token: 5n, lease: "a" }) });
    const request = ask(header);
    const response = (await guard(request))!;
    expect([response.status, guard.admitted(request)]).toEqual([status, undefined]);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const refusal = (await refusedBy(response)) as FenceRefused;
    const newest = code === "old" || code === "rival" ? 5n : null;
    expect([refusal.code, refusal.newest]).toEqual([code, newest]);
    const body = (await response.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ type: `urn:sortition:fence:${code}`, status, detail: refusal.message });
    expect("newest" in body).toBe(newest !== null);
  });

  test("of a newer leader is admitted, and remembered; the seat may depend on the request", async () => {
    const store = memory({ token: 5n, lease: "a" });
    const guard = httpGuard({ keys, seat: ({ url }) => new URL(url).pathname.slice(1), store });
    const request = ask(fence(6n, "b"), "/leader");
    expect(await guard(request)).toBeNull();
    expect(guard.admitted(request)).toMatchObject({ token: 6n, lease: "b" });
    expect(store.newest).toEqual({ token: 6n, lease: "b" });
    expect((await guard(ask(fence(6n, "b"), "/janitor")))!.status).toBe(403);
  });

  test("while the store fails is refused with status 503, and the guard's owner is told why", async () => {
    const told: unknown[] = [];
    const error = new Error("the disk is full");
    const store = { ...memory(), read: () => Promise.reject(error) };
    for (const failed of [(why: unknown) => void told.push(why), undefined]) {
      const response = (await httpGuard({ keys, seat: "leader", store, ...(failed && { failed }) })(ask(fence(1n))))!;
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await response.text()).not.toContain("disk");
    }
    expect(told).toEqual([error]);
  });
});

describe("a response", () => {
  const problem = (body: unknown, type = "application/problem+json") =>
    new Response(typeof body === "string" ? body : JSON.stringify(body), { headers: { "content-type": type } });
  const type = "urn:sortition:fence:old";

  test.each([
    ["of another type", problem({ type }, "application/json")],
    ["without a type", new Response(null)],
    ["that is no JSON", problem("{")],
    ["with nothing in it", problem(null)],
    ["with another problem", problem({ type: "about:blank" })],
    ["with no name of a problem", problem({ type: 7 })],
    ["with a problem that no guard has", problem({ type: "urn:sortition:fence:toString" })],
  ])("%s is no guard's", async (_, response) => {
    expect(await refusedBy(response)).toBeNull();
  });

  test.each([
    ["7", 7n],
    ["07", null],
    ["9".repeat(20), null],
    [7, null],
    [undefined, null],
  ])("of a guard names the newest token %j as %s", async (newest, token) => {
    expect(await refusedBy(problem({ type, detail: "x", newest }))).toMatchObject({ code: "old", newest: token });
  });
});

describe("inside a framework", () => {
  const guard = httpGuard({ keys, seat: "leader", store: memory() });
  const incoming = (header: string | undefined, url = "/jobs") => ({
    method: "POST",
    url,
    headers: { host: "x", "sortition-fence": header, ":path": "/jobs" },
  });

  test("a refusal is answered with its status and headers", async () => {
    const said: Record<string, string> = {};
    const codes: number[] = [];
    const reply = {
      code: (status: number) => void codes.push(status),
      header: (name: string, value: string) => Object.assign(said, { [name]: value }),
      send: (body: string) => body,
    };
    expect(await fastifyGuard(guard)(incoming(undefined), reply)).toContain("missing");
    expect([codes, said["content-type"], said["cache-control"]]).toEqual([
      [428],
      "application/problem+json",
      "no-store",
    ]);
    expect(await fastifyGuard(guard)(incoming(fence(1n)), reply)).toBeUndefined();
    const response = {
      statusCode: 0,
      setHeader: (name: string, value: string) => Object.assign(said, { [name]: value }),
    };
    const body = await new Promise<string>((end, fail) =>
      expressGuard(guard)(incoming(undefined), { ...response, end, setHeader: response.setHeader }, fail),
    );
    expect(body).toContain("missing");
    await new Promise<void>((done, fail) =>
      expressGuard(guard)(incoming(fence(1n)), { ...response, end: fail }, () => done()),
    );
  });

  test.each(["/a/../b", "//b", "/a\\b", "/./b", "/%2e%2E/b"])("the address %s is refused", async (url) => {
    const reply = { code: () => {}, header: () => {}, send: (body: string) => body };
    await expect(fastifyGuard(guard)(incoming(fence(1n), url), reply)).rejects.toMatchObject({ statusCode: 400 });
  });

  test.each(["/a?b=../c", "/a#/../c", "/a.b/c", "/..a"])("the address %s is plain", async (url) => {
    const reply = { code: () => {}, header: () => {}, send: (body: string) => body };
    expect(await fastifyGuard(guard)(incoming(fence(1n), url), reply)).toBeUndefined();
  });
});

describe("a store that never agrees", () => {
  test("is asked a thousand times", async () => {
    let asked = 0;
    const store = { read: async () => null, replace: async () => ++asked < 0 };
    await expect(admit({ keys, seat: "leader", store }, fence(1n))).rejects.toThrow("refused 1000 writes");
    expect(asked).toBe(1000);
  });

  test("and agrees at last is believed", async () => {
    let asked = 0;
    const store = { read: async () => null, replace: async () => ++asked === 1000 };
    expect(await admit({ keys, seat: "leader", store }, fence(1n))).toMatchObject({ token: 1n });
  });

  test("is not asked where the fence is refused", async () => {
    const cell = {
      read: async () => ({ newest: { token: 5n, lease: "a" }, value: 1 }),
      replace: async () => expect.unreachable(),
    };
    const update = guardedUpdate({ keys, seat: "leader", cell }, fence(4n), () => 2);
    await expect(update).rejects.toMatchObject({ code: "old" });
  });
});
