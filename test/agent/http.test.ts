/** The agent's HTTP API over a real socket: what it answers. */
import { expect, test } from "vitest";
import { LEASE, membersOf, served, settled } from "../support/api.ts";

const get = async (url: string) => (await fetch(url)).json() as Promise<Record<string, unknown>>;

test("the leader says for how long it leads, and counts it anew for each answer; others promise nothing", async () => {
  const members = await membersOf(["a", "b"]);
  const leader = await settled(members);
  const [own, other] = await Promise.all(
    [leader, members.find((member) => member !== leader)!].map((member) => served(member)),
  );
  const before = performance.now();
  const first = await get(`${own.api.url}/v1/leader`);
  expect(first).toMatchObject({
    group: "sortition",
    office: "leader",
    term: leader.leader!.term,
    token: String(leader.leader!.token),
    leader: { name: leader.name, address: leader.address, mine: true, state: "live" },
  });
  const left = leader.leaseLeft();
  // Renewed meanwhile, it can only be more than it was.
  expect(first.validForMs).toBeGreaterThan(0);
  expect(first.validForMs).toBeLessThanOrEqual(LEASE);
  expect((first.validForMs as number) - (performance.now() - before)).toBeLessThanOrEqual(left + 1);
  const second = await get(`${other.api.url}/v1/leader`);
  expect(second).toMatchObject({ token: first.token, validForMs: 0, leader: { name: leader.name, mine: false } });
});

test("who only looks is promised nothing, so that no hand-over waits for it", async () => {
  const [leader] = await membersOf(["a"]);
  await settled([leader]);
  const { api } = await served(leader);
  let promised = 0;
  const promise = leader.promise.bind(leader);
  leader.promise = (office) => {
    promised++;
    return promise(office);
  };
  const status = await get(`${api.url}/v1/status`);
  expect(status).toMatchObject({
    at: expect.any(Number),
    self: { name: "a", leads: [{ office: "leader", leaseMs: expect.any(Number) }] },
    members: { members: [{ name: "a", self: true }] },
    offices: [{ office: "leader", leader: { name: "a", mine: true }, validForMs: 0 }],
  });
  await Promise.all(["self", "members", "council"].map((path) => get(`${api.url}/v1/${path}`)));
  const events = await fetch(`${api.url}/v1/events`);
  await events.body!.getReader().read();
  expect(promised).toBe(0);
  await get(`${api.url}/v1/leader`);
  expect(promised).toBe(1);
});
