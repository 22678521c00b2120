/** Twenty-five members as users start them. What happens to their leaders is known to everybody soon, and to no leader twice. */
import { afterAll, expect, test } from "vitest";
import { GroupProcesses, lastWord } from "../support/group-processes.ts";

const names = Array.from({ length: 25 }, (_, i) => `m${String(i + 1).padStart(2, "0")}`);
const group = new GroupProcesses({ profile: "lan" });
afterAll(() => group.stop());

/** Two winners of one term may be found while a group forms: views differ then. They lead for no longer than this, in milliseconds. */
const RESOLVED = 5000;

/** Who said that it leads which term, and until when: it says when it no longer does. */
function reigns() {
  const open = new Map<string, { name: string; term: number; from: number; to: number }>();
  const all: { name: string; term: number; from: number; to: number }[] = [];
  for (const { event, self, term, at } of group.lines) {
    if (event === "leads") {
      const reign = { name: self, term: term!, from: at, to: Number.POSITIVE_INFINITY };
      open.set(self, reign);
      all.push(reign);
    } else if (event === "resigned" || event === "started") {
      const reign = open.get(self);
      if (reign !== undefined) reign.to = at;
      open.delete(self);
    }
  }
  return all;
}

test("killed, stopped and resumed, leaving, coming back, and joining during an election", async () => {
  const first = await group.start(names);

  // Killed, and a newcomer joins while the others elect.
  const killed = group.end(first.leader, "SIGKILL");
  const joining = group.join("late");
  await killed;
  const second = await group.agree({ but: first.leader });
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
  const back = await group.agree({ but: second.leader });

  // Leaves in good order; the next one leads without anybody being taken for dead.
  const said = new Map(group.all.map(({ name, lines }) => [name, lines.length]));
  expect(await group.end(back.leader, "SIGTERM")).toBe(0);
  const fourth = await group.agree({ but: back.leader });
  for (const { name, lines } of group.all) {
    const since = lines.slice(said.get(name));
    expect(since.filter(({ event, member }) => event === "failed" && member === back.leader)).toEqual([]);
  }

  // Comes back under its name and with what it saved.
  const returned = await group.join(first.leader);
  const last = await group.agree();
  expect(returned.lines.some(({ event }) => event === "new")).toBe(false);
  expect(lastWord(returned)).toMatchObject({ leader: last.leader, term: last.term });
  expect(last.term).toBeGreaterThanOrEqual(fourth.term);

  const terms = new Map<number, ReturnType<typeof reigns>>();
  for (const reign of reigns()) terms.set(reign.term, [...(terms.get(reign.term) ?? []), reign]);
  for (const rivals of terms.values()) {
    for (const [i, a] of rivals.entries()) {
      for (const b of rivals.slice(i + 1)) {
        expect(a.name, `led term ${a.term} twice`).not.toBe(b.name);
        expect(Math.min(a.to, b.to) - Math.max(a.from, b.from)).toBeLessThan(RESOLVED);
      }
    }
  }
  for (const { lines } of group.all) {
    const seen = lines.filter(({ event }) => event === "term").map(({ term }) => term!);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  }
});
