/** The leader's fence, for the program beside it to show to guards; nobody gets it without the bearer token. */
import { expect, test } from "vitest";
import { readFence } from "../../src/live/guards/fence.ts";
import { guardKeys } from "../../src/live/guards/keys.ts";
import { insecureKeyring } from "../../src/live/net/keyring.ts";
import { membersOf, served, settled, TOKEN } from "../support/api.ts";

async function ask(url: string, token?: string): Promise<Record<string, unknown>> {
  const answer = await fetch(url, token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
}

test("the leader's agent gives its fence to clients with the bearer token; other agents give none", async () => {
  const members = await membersOf(["a", "b"]);
  const leader = await settled(members);
  const [own, other] = await Promise.all(
    [leader, members.find((member) => member !== leader)!].map((member) => served(member)),
  );
  const { token } = leader.leader!;
  const held = await ask(`${own.api.url}/v1/fence`, TOKEN);
  expect(held).toMatchObject({ status: 200, group: "sortition", office: "leader", token: String(token) });
  expect(held.validForMs).toBeGreaterThan(0);
  const read = readFence(guardKeys(insecureKeyring(), "sortition"), "leader", held.fence as string);
  expect(read).toMatchObject({ seat: "leader", token });

  expect(await ask(`${own.api.url}/v1/fence`)).toMatchObject({ status: 401, code: "TOKEN_NEEDED" });
  expect(await ask(`${other.api.url}/v1/fence?office=leader`, TOKEN)).toMatchObject({ status: 409, code: "NOT_HELD" });
  expect(await ask(`${own.api.url}/v1/fence?office=audit`, TOKEN)).toMatchObject({ status: 404 });
  expect(own.lines.join()).not.toContain(held.fence);
});

test("of several seats that it leads one is named; without leases there is no fence", async () => {
  const [alone] = await membersOf(["a"], { offices: ["shards:2"] });
  for (const seat of ["shards#1", "shards#2"]) await settled([alone], seat);
  const { api } = await served(alone);
  expect(await ask(`${api.url}/v1/fence?office=shards`, TOKEN)).toMatchObject({ status: 400, code: "BAD_OPTION" });
  expect(await ask(`${api.url}/v1/fence?office=shards%232`, TOKEN)).toMatchObject({ status: 200, office: "shards#2" });

  const [weak] = await membersOf(["a"], { strict: false });
  await settled([weak]);
  const { api: plain } = await served(weak);
  expect(await ask(`${plain.url}/v1/fence`, TOKEN)).toMatchObject({ status: 409, code: "BAD_LEASE" });
});
