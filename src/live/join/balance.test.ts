import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { TestGroup } from "../testing/test-group.ts";
import { nextMove, type Sharer } from "./balance.ts";

const sharers = (...held: number[]): Sharer[] =>
  held.map((count, i) => ({ name: "abcdefgh"[i], weight: 1, zone: "", held: count }));

describe("one move", () => {
  test("goes from the member with most above its share to the one that lacks most", () => {
    expect(nextMove("a", sharers(6, 0, 0))).toBe("b");
    expect(nextMove("a", sharers(5, 1, 0))).toBe("c");
    expect(nextMove("b", sharers(1, 5, 0))).toBe("c");
    expect(nextMove("a", sharers(3, 1, 2))).toBe("b");
    for (const settled of [sharers(2, 2, 2), sharers(3, 2), sharers(1, 1, 0), sharers(0, 0, 1)]) {
      for (const { name } of settled) expect(nextMove(name, settled)).toBeNull();
    }
  });

  test("is by weight, and prefers a member of the same zone", () => {
    const [a, b, c] = sharers(6, 0, 0);
    expect(nextMove("a", [a, { ...b, weight: 3 }])).toBe("b");
    expect(
      nextMove("a", [
        { ...a, held: 2 },
        { ...b, weight: 2, held: 4 },
      ]),
    ).toBeNull();
    expect(nextMove("a", [{ ...a, zone: "east" }, b, { ...c, zone: "east" }])).toBe("c");
  });

  test("by move every group comes to at most ceil and at least floor of its shares, with no more moves than are needed, and stays", () => {
    const group = fc.array(fc.record({ weight: fc.integer({ min: 1, max: 4 }), held: fc.nat({ max: 9 }) }), {
      minLength: 1,
      maxLength: 8,
    });
    fc.assert(
      fc.property(group, (drawn) => {
        const held = drawn.map((each, i) => ({ ...each, name: `m${i}`, zone: "" }));
        const seats = held.reduce((sum, each) => sum + each.held, 0);
        const weight = held.reduce((sum, each) => sum + each.weight, 0);
        const surplus = held.reduce((sum, each) => sum + Math.max(0, each.held - (seats * each.weight) / weight), 0);
        let moves = 0;
        for (;;) {
          const movers = held.flatMap(({ name }) => {
            const to = nextMove(name, held);
            return to === null ? [] : [[name, to]];
          });
          expect(movers.length).toBeLessThanOrEqual(1);
          if (movers.length === 0) break;
          const [[from, to]] = movers;
          held.find(({ name }) => name === from)!.held--;
          held.find(({ name }) => name === to)!.held++;
          moves++;
          expect(moves).toBeLessThanOrEqual(Math.ceil(surplus) + held.length);
        }
        for (const each of held) {
          const share = (seats * each.weight) / weight;
          expect(each.held).toBeGreaterThanOrEqual(Math.floor(share + 1e-9));
          expect(each.held).toBeLessThanOrEqual(Math.ceil(share - 1e-9));
        }
      }),
      { seed: 1, numRuns: effort(200, 20_000) },
    );
  });
});

test("six shards: the first member takes all; with two more each has two; after a departure three each; then nothing moves", async () => {
  const working = new Map<string, Set<number>>();
  let most = 0;
  const group = await TestGroup.start({
    offices: ["leader"],
    program: ({ name, member }) => {
      const own = new Set<number>();
      working.set(name, own);
      member.shards("orders", 6, async (shard, signal) => {
        own.add(shard);
        const all = [...working.values()].flatMap((set) => [...set]);
        most = Math.max(most, all.filter((each) => each === shard).length);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        own.delete(shard);
      });
    },
    members: ["a", "b", "c"],
  });
  const sizes = () => group.processes.map(({ name }) => working.get(name)?.size ?? 0).sort();
  for (const name of ["b", "c"]) group.kill(name);
  await group.until(() => sizes().join() === "6", 20_000);
  await group.restart("b");
  await group.restart("c");
  await group.until(() => sizes().join() === "2,2,2", 60_000);
  const before = JSON.stringify([...working].map(([name, set]) => [name, [...set]]));
  await group.run(10_000);
  expect(JSON.stringify([...working].map(([name, set]) => [name, [...set]]))).toBe(before);
  void group.process("c").member.leave();
  await group.until(
    () => working.get("c")!.size === 0 && working.get("a")!.size + working.get("b")!.size === 6,
    60_000,
  );
  await group.until(() => working.get("a")!.size === 3 && working.get("b")!.size === 3, 60_000);
  expect(most).toBe(1);
});
