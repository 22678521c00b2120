/** Seven members as users start them, 25 in the long run. What happens to their leaders is known to everybody soon, and to no leader twice. */
import { afterAll, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { type Agreement, GroupProcesses, lastWord } from "../support/group-processes.ts";

const LIMIT = { timeout: effort(60_000, 300_000) };
const names = Array.from({ length: effort(5, 25) }, (_, i) => `m${String(i + 1).padStart(2, "0")}`);
const group = new GroupProcesses({ profile: "lan" });
afterAll(() => group.stop());

/** The members that have said that they lead, and not that they no longer do. While views differ there may be two; not once all agree. */
function leading(): string[] {
  return group.all.flatMap(({ name, lines }) =>
    lines.findLast(({ event }) => ["leads", "resigned", "started"].includes(event))?.event === "leads" ? [name] : [],
  );
}

/**
 * Waits until all agree: then the member that they agree on is the only one that leads. A member says whom it follows
 * before it says that it leads or no longer leads, and each line takes its time, so the test waits for the second line.
 */
async function agreed(but: string | null = null): Promise<Agreement> {
  const agreement = await group.agree({ but });
  await expect.poll(leading, { timeout: 10_000, interval: 5 }).toEqual([agreement.leader]);
  return agreement;
}

test("killed, stopped and resumed, leaving, coming back, and joining during an election", LIMIT, async () => {
  await group.start(names);
  const first = await agreed();

  // Killed, and a newcomer joins while the others elect.
  const killed = group.end(first.leader, "SIGKILL");
  const joining = group.join("late");
  await killed;
  const second = await agreed(first.leader);
  expect(second.term).toBeGreaterThan(first.term);
  expect(second.leader).not.toBe(first.leader);
  await joining;

  // Stands still, and goes on without having noticed.
  const still = group.members.get(second.leader)!;
  still.child.kill("SIGSTOP");
  const others = group.all.filter((member) => member !== still);
  const third = await group.agree({ but: second.leader, some: others, size: null });
  expect(third.term).toBeGreaterThan(second.term);
  const before = still.lines.length;
  still.child.kill("SIGCONT");
  expect(await still.line(({ event }) => event === "resigned", before)).toMatchObject({ term: second.term });
  const back = await agreed();

  // Leaves gracefully; the next one leads without anybody being taken for dead.
  const said = new Map(group.all.map(({ name, lines }) => [name, lines.length]));
  expect(await group.end(back.leader, "SIGTERM")).toBe(0);
  const fourth = await agreed(back.leader);
  for (const { name, lines } of group.all) {
    const since = lines.slice(said.get(name));
    expect(since.filter(({ event, member }) => event === "failed" && member === back.leader)).toEqual([]);
  }

  // Comes back under its name and with what it saved.
  const returned = await group.join(first.leader);
  const last = await agreed();
  expect(returned.lines.some(({ event }) => event === "new")).toBe(false);
  expect(lastWord(returned)).toMatchObject({ leader: last.leader, term: last.term });
  expect(last.term).toBeGreaterThanOrEqual(fourth.term);

  for (const { name, lines } of [...group.all, ...group.gone]) {
    const led = lines.filter(({ event }) => event === "leads").map(({ term }) => term);
    expect(led, `${name} led a term twice`).toEqual([...new Set(led)]);
  }
  for (const { lines } of group.all) {
    const seen = lines.filter(({ event }) => event === "term").map(({ term }) => term!);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  }
});
