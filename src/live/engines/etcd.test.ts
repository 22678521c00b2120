/** A client of etcd and endpoints that answer as the test says: tokens, refusals, and which endpoint is asked. */
import { expect, onTestFinished, test } from "vitest";
import { stubServer } from "../../../test/support/stub-server.ts";
import { EtcdClient } from "./etcd.ts";

type Said = readonly [status: number, body: object] | null;

/** An endpoint; `answer` gets the token, and null breaks the connection. */
async function endpoint(answer: (path: string, token: string | undefined) => Said) {
  const asked: string[] = [];
  const at = await stubServer((request, response) => {
    const { url = "", headers } = request.resume();
    asked.push(`${url} ${headers.authorization ?? "-"}`);
    const said = answer(url, headers.authorization);
    if (said === null) request.socket.destroy();
    else response.writeHead(said[0]).end(JSON.stringify(said[1]));
  });
  return { asked, at };
}

function clientOf(address: string) {
  const client = new EtcdClient(address);
  onTestFinished(() => client.close());
  return { ask: () => client.post("/kv", {}).catch((error: Error) => error.message) };
}

const LOGIN = "/v3/auth/authenticate";

test("a token is asked for once, and anew when it is not accepted any more; a new one that is not accepted is said", async () => {
  let [made, accepted] = [0, "t1"];
  const { asked, at } = await endpoint((path, token) => {
    if (path === LOGIN) return [200, { token: `t${++made}` }];
    return token === accepted ? [200, { by: token }] : [401, { error: "etcdserver: invalid auth token" }];
  });
  const { ask } = clientOf(`etcd://me:secret@${at}`);
  expect([await ask(), await ask()]).toEqual([{ by: "t1" }, { by: "t1" }]);
  accepted = "t2";
  expect(await ask()).toEqual({ by: "t2" });
  expect(asked).toEqual([`${LOGIN} -`, "/kv t1", "/kv t1", "/kv t1", `${LOGIN} -`, "/kv t2"]);
  accepted = "none";
  expect(await ask()).toBe(`etcd at ${at}: etcdserver: invalid auth token`);
  expect(asked.slice(6)).toEqual(["/kv t2", `${LOGIN} -`, "/kv t3"]);
});

test.each([
  ["me:secret@", `the user "me"`],
  ["", "members without a user"],
])("a right that is lacking is said of %j, and asked of no other endpoint", async (user, whose) => {
  const refuse = (path: string): Said =>
    path === LOGIN ? [200, { token: "t" }] : [403, { message: "etcdserver: permission denied" }];
  const [one, two] = [await endpoint(refuse), await endpoint(refuse)];
  const { ask } = clientOf(`etcd://${user}${one.at},${two.at}`);
  for (let again = 0; again < 2; again++)
    expect(await ask()).toMatch(new RegExp(`^etcd lacks a right for ${whose} \\(etcdserver: permission denied\\)`));
  expect(two.asked).toEqual([]);
});

test("without a user an auth token that is refused is said, and no user is let in by other words", async () => {
  const { asked, at } = await endpoint((path) => [
    400,
    { error: path === LOGIN ? "no such user" : "invalid auth token" },
  ]);
  expect(await clientOf(`etcd://${at}`).ask()).toBe(`etcd at ${at}: invalid auth token`);
  expect(await clientOf(`etcd://me:secret@${at}`).ask()).toBe(`etcd does not let the user "me" in: no such user`);
  expect(asked).toEqual(["/kv -", `${LOGIN} -`]);
});

test("an endpoint that breaks off is asked last from then on, and the request is not repeated: it may have passed", async () => {
  const [one, two] = [await endpoint(() => null), await endpoint(() => [200, { by: "two" }])];
  const { ask } = clientOf(`etcd://${one.at},${two.at}`);
  expect(await ask()).toBe(`${one.at} closed the connection`);
  expect([await ask(), await ask()]).toEqual([{ by: "two" }, { by: "two" }]);
  expect(one.asked).toHaveLength(1);
});
