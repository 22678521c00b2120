/** Three members as users start them: the leader is killed, another leads, and the dead one comes back. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { sortition } from "../cli/run.ts";
import { GroupProcess } from "../support/group-process.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-group-"));
const members: GroupProcess[] = [];
afterAll(async () => {
  await Promise.all(members.map((member) => member.kill("SIGKILL")));
  rmSync(folder, { recursive: true });
});

const start = (name: string, seeds: readonly string[]) => {
  const asked = seeds.flatMap((seed) => ["--join", seed]);
  const files = ["--key-file", join(folder, "group.key"), "--state", join(folder, "state")];
  const member = new GroupProcess(name, ["--bind", "127.0.0.1:0", "--profile", "local", ...asked, ...files]);
  members.push(member);
  return member;
};

/** Whom all of them hold for the leader, in the same term; null while they differ. */
function agreed(group: readonly GroupProcess[]): string | null {
  const last = group.map(({ lines }) => lines.findLast(({ event }) => event === "leader" || event === "none"));
  const [first] = last;
  const isShared = last.every((line) => line?.leader === first?.leader && line?.term === first?.term);
  return isShared ? (first?.leader ?? null) : null;
}

async function leaderOf(group: readonly GroupProcess[], isIt: (name: string) => boolean = () => true) {
  const now = () => {
    const leader = agreed(group);
    return leader !== null && isIt(leader) ? leader : null;
  };
  await expect.poll(now, { timeout: 60_000, interval: 20 }).not.toBeNull();
  return group.find(({ name }) => name === now())!;
}

const termOf = ({ lines }: GroupProcess) => lines.findLast(({ event }) => event === "term")!.term!;

test("the leader is killed and another leads; it returns, and the next one leaves in good order", async () => {
  await sortition("keygen", "--out", join(folder, "group.key"));
  const a = start("a", []);
  const { address } = await a.line(({ event }) => event === "started");
  expect(await a.line(({ event }) => event === "new")).toMatchObject({ self: "a", member: "a" });
  const group = [a, start("b", [address!]), start("c", [address!])];
  for (const member of group) await member.line(({ members: count }) => count === 3);
  const first = await leaderOf(group);
  const term = termOf(first);
  expect(await a.line(({ event }) => event === "leader")).toMatchObject({ self: "a", office: "leader", token: null });

  const rest = group.filter((member) => member !== first);
  await first.kill("SIGKILL");
  expect(termOf(await leaderOf(rest, (name) => name !== first.name))).toBeGreaterThan(term);

  // With its saved term, and at another port: the lock of the dead process is void.
  const back = start(first.name, [(await rest[0].line(({ event }) => event === "started")).address!]);
  const all = [...rest, back];
  const second = await leaderOf(all, (name) => name !== first.name);
  expect(back.lines.some(({ event }) => event === "new")).toBe(false);

  const others = all.filter((member) => member !== second);
  expect(await second.kill("SIGTERM")).toBe(0);
  expect(second.lines.at(-1)).toMatchObject({ event: "left", self: second.name, member: second.name });
  expect(second.lines.some(({ event }) => event === "resigned")).toBe(true);
  for (const member of others) await member.line(({ event, member: who }) => event === "left" && who === second.name);
  await leaderOf(others, (name) => name !== second.name);
  expect(await Promise.all(others.map((member) => member.kill("SIGINT")))).toEqual([0, 0]);
});
