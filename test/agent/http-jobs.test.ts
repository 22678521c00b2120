/** Jobs over HTTP, for programs in any language: they begin beside the leader, their end is recorded, and everybody can read it. */
import { expect, test } from "vitest";
import { membersOf, type Served, served, settled, TOKEN } from "../support/api.ts";

async function post({ api }: Served, path: string, body: unknown): Promise<Record<string, never> & { record: never }> {
  const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
  const answer = await fetch(`${api.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as never;
}

test("a job begins beside the leader alone, its end is recorded once, and a late end of an older attempt counts for nothing", async () => {
  const members = await membersOf(["a", "b"]);
  const leader = await settled(members);
  const own = await served(leader);
  const other = await served(members.find((member) => member !== leader)!);
  expect(await post(other, "/v1/begin", { key: "k" })).toMatchObject({
    verdict: "elsewhere",
    attempt: null,
    record: null,
  });
  const begun = await post(own, "/v1/begin", { key: "k" });
  expect(begun).toMatchObject({
    verdict: "begun",
    attempt: expect.any(String),
    fence: expect.any(String),
    token: String(leader.leader!.token),
    record: { state: "running", name: leader.name, attempts: 1, failures: 0 },
  });
  expect(begun.validForMs).toBeGreaterThan(0);
  // Begun again, as after a crash of the program: the first attempt is superseded.
  const again = await post(own, "/v1/begin", { key: "k" });
  expect(again).toMatchObject({ verdict: "begun", record: { attempts: 2 } });
  const finish = { key: "k", outcome: "failed", status: 3 };
  expect(await post(own, "/v1/finish", { ...finish, attempt: begun.attempt })).toMatchObject({ recorded: false });
  expect(await post(own, "/v1/finish", { ...finish, attempt: again.attempt })).toMatchObject({
    recorded: true,
    record: { state: "failed", failures: 1, status: 3 },
  });
  expect(await post(own, "/v1/begin", { key: "k" })).toMatchObject({ verdict: "wait" });
  expect(await post(own, "/v1/begin", { key: "k", attempts: 1 })).toMatchObject({ verdict: "failed" });
  const third = await post(own, "/v1/begin", { key: "other" });
  expect(await post(own, "/v1/finish", { key: "other", attempt: third.attempt, outcome: "done" })).toMatchObject({
    recorded: true,
  });
  expect(await post(own, "/v1/begin", { key: "other" })).toMatchObject({ verdict: "done", fence: null });
  const read = await fetch(`${other.api.url}/v1/jobs/other`);
  expect(await read.json()).toMatchObject({ record: { key: "other", state: "done", name: leader.name } });
});

test("the first occurrence of a schedule that nobody knows is noted, and the next one begins", async () => {
  const [member] = await membersOf(["a"]);
  await settled([member]);
  const own = await served(member);
  const at = (scheduledAt: number) => post(own, "/v1/begin", { key: "nightly", scheduledAt, noted: true });
  expect(await at(1000)).toMatchObject({ verdict: "noted", attempt: null, record: { state: "noted", attempts: 0 } });
  expect(await at(1000)).toMatchObject({ verdict: "done", record: { state: "noted" } });
  expect(await at(2000)).toMatchObject({ verdict: "begun", office: "leader", record: { attempts: 1 } });
});
