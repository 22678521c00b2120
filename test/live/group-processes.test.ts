/** Three members as users start them: the leader is killed, another leads, and the dead one comes back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { GroupProcess, type Line } from "../support/group-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-group-"));
const members: GroupProcess[] = [];
afterAll(async () => {
  await Promise.all(members.map((member) => member.kill("SIGKILL")));
  rmSync(folder, { recursive: true });
});

const start = (name: string, bind: string, seeds: readonly string[]) => {
  const join_ = seeds.length === 0 ? [] : ["--join", seeds.join(",")];
  const files = ["--key-file", join(folder, "group.key"), "--state", join(folder, "state")];
  const member = new GroupProcess(name, ["--bind", bind, "--profile", "local", ...join_, ...files]);
  members.push(member);
  return member;
};

const leads = (line: Line) => line.event === "leader";

test("the leader is killed and another leads; it returns, and the next one leaves in good order", async () => {
  await sortition("keygen", "--out", join(folder, "group.key"));
  const a = start("a", "127.0.0.1:0", []);
  const { address } = await a.line(({ event }) => event === "started");
  expect(await a.line(({ event }) => event === "new")).toMatchObject({ self: "a", member: "a" });
  const b = start("b", "127.0.0.1:0", [address!]);
  const c = start("c", "127.0.0.1:0", [address!]);
  for (const member of [a, b, c]) await member.line(({ members: count }) => count === 3);
  // Whoever leads by then, all of them know it.
  const { leader, term } = await c.line((line) => leads(line) && line.leader !== "c");
  await Promise.all(
    [a, b].map((member) => member.line((line) => leads(line) && line.leader === leader && line.term === term)),
  );
  expect(await a.line(leads)).toMatchObject({ self: "a", office: "leader", token: null });

  const dead = members.find(({ name }) => name === leader)!;
  const rest = members.filter((member) => member !== dead);
  const before = rest.map(({ lines }) => lines.length);
  await dead.kill("SIGKILL");
  const next = await Promise.all(
    rest.map((member, i) => member.line((line) => leads(line) && line.term! > term!, before[i])),
  );
  expect(next[0].leader).not.toBe(leader);
  expect(next[0]).toMatchObject({ leader: next[1].leader, term: next[1].term });

  // With its saved term, and at another port: the lock of the dead process is void.
  const back = start(dead.name, "127.0.0.1:0", [(await rest[0].line(({ event }) => event === "started")).address!]);
  const found = await back.line((line) => leads(line));
  expect(found.term).toBeGreaterThan(term!);
  expect(back.lines.some(({ event }) => event === "new")).toBe(false);

  const holder = [...rest, back].find(({ name }) => name === found.leader)!;
  const others = [...rest, back].filter((member) => member !== holder);
  expect(await holder.kill("SIGTERM")).toBe(0);
  expect(holder.lines.at(-1)).toMatchObject({ event: "left", self: holder.name, member: holder.name });
  expect(holder.lines.some(({ event }) => event === "resigned")).toBe(true);
  for (const member of others) await member.line((line) => leads(line) && line.term! > found.term!);
  for (const member of others) await member.line(({ event, member: who }) => event === "left" && who === holder.name);
  expect(await Promise.all(others.map((member) => member.kill("SIGINT")))).toEqual([0, 0]);
});
