/** Leases in the API of Kubernetes, by an API that answers as the test says: refusals in words, conflicts, and objects that are missing. */
import { expect, onTestFinished, test } from "vitest";
import { stubServer } from "../../../test/support/stub-server.ts";
import { realWorld } from "../real-world.ts";
import { kubernetesRows } from "./kubernetes.ts";

type Answer = readonly [status: number, body?: object];

async function scene(answers: Readonly<Record<string, readonly Answer[]>>, { migrate = true, group = "jobs" } = {}) {
  const asked: string[] = [];
  const left = Object.entries(answers).map(([method, each]) => ({ method, each: [...each] }));
  const at = await stubServer((request, response) => {
    const { method = "", url = "", headers } = request.resume();
    asked.push(`${method} ${url.split("/namespaces/")[1]} ${headers.authorization}`);
    const one = left.find((each) => each.method === method)!;
    // The last answer is repeated.
    const [status, body = {}] = one.each.length > 1 ? one.each.shift()! : one.each[0];
    response.writeHead(status).end(JSON.stringify(body));
  });
  const address = {
    name: "kubernetes:",
    server: `http://${at}`,
    namespace: "apps",
    tls: {},
    token: () => "t",
  };
  const rows = kubernetesRows(address, { group, world: realWorld, migrate });
  onTestFinished(() => rows.close());
  const change = { seen: new Map([["seat/leader", null]]), puts: new Map([["seat/leader", SEAT]]) };
  return {
    asked,
    read: () => rows.read(LIMIT),
    commit: () => rows.commit(change, LIMIT),
  };
}

const LIMIT = { signal: new AbortController().signal, left: () => 30_000 };
const row = { token: 1, preemptible: false, lease: null, reserved: null };
const SEAT = JSON.stringify({ v: 1, nonce: "n", at: 0, row });
const object = (version: string, annotations = {}): Answer => [
  200,
  { metadata: { resourceVersion: version, uid: "u", annotations } },
];
const TAKEN = object("2", { "sortition/rows": JSON.stringify({ "seat/leader": SEAT }) });
const LEASES = "apps/leases";
const OBJECT = `${LEASES}/sortition-jobs`;

test.each<[Answer, string]>([
  [[401], "the API server does not know who this member is: look at its service account"],
  [
    [403, { message: "no" }],
    "the service account lacks a right (no); it needs get, create and update of leases in apps",
  ],
  [[422, { message: "Too long: may not be" }], "the leases of this group do not fit into one Lease object (256 KiB)"],
  [[422, { message: "Invalid value" }], "the API server answered 422: Invalid value"],
  [[500], "the API server answered 500: no reason"],
])("an answer of %j is told in words", async (answer, words) => {
  await expect((await scene({ GET: [answer] })).read()).rejects.toThrow(words);
  await expect((await scene({ GET: [[404]], POST: [answer] })).read()).rejects.toThrow(words);
  await expect((await scene({ GET: [object("1")], PUT: [answer] })).commit()).rejects.toThrow(words);
});

test("an object that is missing is made, once; a member that only looks makes none", async () => {
  for (const made of [[201], [409]] as const) {
    const { read, asked } = await scene({ GET: [[404], object("7")], POST: [made] });
    expect(await read()).toMatchObject({ incarnation: "u", revision: 7 });
    expect(asked).toEqual([`GET ${OBJECT} Bearer t`, `POST ${LEASES} Bearer t`, `GET ${OBJECT} Bearer t`]);
  }
  const looks = await scene({ GET: [[404]] }, { migrate: false });
  expect((await looks.read()).texts).toEqual(new Map());
  expect(looks.asked).toHaveLength(1);
  await expect(looks.commit()).rejects.toThrow("this process must not make it");
});

test("an object that has changed, or has gone, is a conflict; otherwise the write has passed", async () => {
  for (const status of [409, 404]) {
    const { commit, asked } = await scene({ GET: [object("1"), TAKEN], PUT: [[status]] });
    expect((await commit()).image).toMatchObject({ revision: 2 });
    expect(asked.filter((each) => each.startsWith("PUT"))).toHaveLength(1);
  }
  const { commit } = await scene({ GET: [object("1")], PUT: [object("2")] });
  expect(await commit()).toEqual({ revision: 2, image: null });
});

test("a group whose name no object can have gets an object by a hash of the name", async () => {
  const { read, asked } = await scene({ GET: [object("1")] }, { group: "Jobs" });
  await read();
  expect(asked[0]).toMatch(/^GET apps\/leases\/sortition-x-[0-9a-f]{32} /);
});
