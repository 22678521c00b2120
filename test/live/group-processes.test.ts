/** Three members as users start them: the leader is killed, another leads, and the dead one comes back. */
import { afterAll, expect, test } from "vitest";
import { GroupProcesses } from "../support/group-processes.ts";

const group = new GroupProcesses({ profile: "local" });
afterAll(() => group.stop());

test("the leader is killed and another leads; it returns, and the next one leaves gracefully", async () => {
  const first = await group.start(["a", "b", "c"]);
  const a = group.members.get("a")!;
  expect(await a.line(({ event }) => event === "new")).toMatchObject({ self: "a", member: "a" });
  expect(await a.line(({ event }) => event === "leader")).toMatchObject({ self: "a", office: "leader", token: null });

  await group.end(first.leader, "SIGKILL");
  expect((await group.agree({ but: first.leader })).term).toBeGreaterThan(first.term);

  // With its saved term, and at another port: the lock of the dead process is void.
  const back = await group.join(first.leader);
  // On a busy machine that may be the first one again.
  const second = (await group.agree()).leader;
  expect(back.lines.some(({ event }) => event === "new")).toBe(false);

  expect(await group.end(second, "SIGTERM")).toBe(0);
  const { lines } = group.gone.at(-1)!;
  expect(lines.at(-1)).toMatchObject({ event: "left", self: second, member: second });
  expect(lines.some(({ event }) => event === "resigned")).toBe(true);
  for (const member of group.all) await member.line(({ event, member: who }) => event === "left" && who === second);
  await group.agree({ but: second });
  const names = [...group.members.keys()];
  expect(await Promise.all(names.map((name) => group.end(name, "SIGINT")))).toEqual([0, 0]);
});
