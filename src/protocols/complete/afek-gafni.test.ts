import { describe, expect, test } from "vitest";
import { drawnGroups, electIn, exploredComplaint, type Group } from "../../../test/support/judged-complete.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import { permutations } from "../../../test/support/rings.ts";
import { explore } from "../../explorer/explore.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { predict } from "../../registry/all.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { LOSSLESS } from "../../theory/prediction.ts";
import { afekGafni, capturePart } from "./afek-gafni.ts";

/** Another program: tables of who asks whom, phase by phase. */
function reckoned({ ids, starters }: Group): { messages: number; phases: number; leader: number } {
  const n = ids.length;
  const owner = ids.map((id, node) => (starters.includes(node) ? id : -1));
  let left = [...starters];
  let messages = n - 1;
  let phases = 0;
  for (let from = 1; from < n; from = Math.min(n, 2 * from)) {
    phases++;
    const asked = ids.map(() => [] as number[]);
    for (const node of left) {
      for (let away = from; away < Math.min(n, 2 * from); away++) asked[(node + away) % n].push(node);
    }
    const refused = new Set<number>();
    for (const [process, askers] of asked.entries()) {
      messages += askers.length;
      const best = askers.reduce((a, b) => (a < 0 || ids[b] > ids[a] ? b : a), -1);
      const captured = best >= 0 && ids[best] > owner[process];
      if (captured) {
        messages++;
        owner[process] = ids[best];
      }
      for (const node of askers) if (!captured || node !== best) refused.add(node);
    }
    left = left.filter((node) => !refused.has(node));
  }
  expect(left.length).toBe(1);
  return { messages, phases, leader: ids[left[0]] };
}

const everybody = (ids: readonly number[]): Group => ({ ids, starters: [...ids.keys()] });
const predicted = (n: number, initiators: number) =>
  predict({ protocol: afekGafni, n, params: {}, initiators, ...LOSSLESS })!;

function complaint(protocol: AnyProtocol): string | null {
  const explored = exploredComplaint(protocol, [
    { n: 1 },
    { n: 2, initiators: "any" },
    { n: 3, initiators: "any" },
    { n: 4 },
  ]);
  if (explored !== null) return explored;
  for (const group of drawnGroups(30, 40)) {
    const wanted = reckoned(group);
    const { messages, census, measures } = electIn(protocol, group, null);
    if (messages !== wanted.messages) return `${messages} messages, not ${wanted.messages}`;
    if (census.leaders[0] !== wanted.leader || census.beliefs.get(wanted.leader) !== group.ids.length)
      return "another leads";
    if (measures.announcements !== group.ids.length - 1 || measures.phases !== wanted.phases) return "other measures";
  }
  return null;
}

test("there is nothing to complain of: as many messages as another program counts, and the largest that starts leads", () => {
  expect(complaint(afekGafni)).toBeNull();
});

describe("costs", () => {
  test.each([2, 3, 4, 5, 6])("n = %d: every arrangement is within the bound, in 2⌈log2 n⌉ + 1 rounds", (n) => {
    for (const ids of permutations(n)) {
      const { messages, time } = electIn(afekGafni, everybody(ids), null);
      expect(messages).toBe(reckoned(everybody(ids)).messages);
      expect(messages).toBeLessThanOrEqual(predicted(n, n).factors!.atMost);
      expect(time).toBe(2 * Math.ceil(Math.log2(n)) + 1);
    }
  });

  test("one that starts takes 3(n - 1) messages; alone it takes none", () => {
    for (const n of [2, 9, 33]) {
      expect(
        electIn(afekGafni, { ids: Array.from({ length: n }, (_, i) => i), starters: [2 % n] }, null).messages,
      ).toBe(3 * (n - 1));
      expect(predicted(n, 1).messages).toBeCloseTo(3 * (n - 1), 6);
    }
    expect(electIn(afekGafni, everybody([7]), null)).toMatchObject({ messages: 0, census: { leaders: [7] } });
  });

  test.each([
    [16, 16],
    [100, 100],
    [100, 20],
  ])("n = %d, %d start: theory is within 2% of the mean", (n, initiators) => {
    const counts = Array.from(
      { length: 150 },
      (_, trial) => runTrial(resolve({ protocol: "afek-gafni", n, initiators }), trial).messages,
    );
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    expect(Math.abs(mean / predicted(n, initiators).messages! - 1)).toBeLessThan(0.02);
  });
});

test("a crash or a loss leaves the group without a leader, never with two, and every run ends", () => {
  const properties = ["at-most-one-leader", "agreement", "termination"];
  for (const faults of [{ crashes: 1 }, { drops: 1 }, { duplicates: 1 }]) {
    expect(explore(afekGafni, { n: 3, ...faults, properties })).toMatchObject({ violation: null, complete: true });
  }
  const { violation } = explore(afekGafni, { n: 3, crashes: 1, properties: ["some-leader"] });
  expect(violation?.what).toBe("nobody leads in the end");
});

test("a picture shows who stands, who is captured, who knows and who leads", () => {
  const process = { status: "undecided", leader: null, stands: false, owner: null } as const;
  expect(capturePart(process)).toBe("idle");
  expect(capturePart({ ...process, owner: 3 })).toBe("out");
  expect(capturePart({ ...process, stands: true, owner: 3 })).toBe("contends");
  expect(capturePart({ ...process, status: "elected" })).toBe("leads");
  expect(capturePart({ ...process, status: "not-elected" })).toBe("informed");
});

test("the size of a message is that of its kind and id", () => {
  expect(afekGafni.bits({ kind: "capture", id: 5 })).toBe(2 + 3);
});

plantedFaults(
  new URL("./afek-gafni.ts", import.meta.url),
  "afekGafni",
  [
    ["a process that starts belongs to nobody", "owner: self.initiator ? self.id : null", "owner: null"],
    ["the smallest that asks is answered", "id > state.best.id", "id < state.best.id"],
    ["the last that asks is answered", "state.best === null || id > state.best.id", "true"],
    ["a process forgets its owner", "    state.owner = best.id;\n", ""],
    ["the owner does not matter", "(owner !== null && owner > best.id)", "false"],
    ["smaller ones take over", "owner > best.id", "owner < best.id"],
    ["nobody is answered", '    ctx.send(best.port, { kind: "captured", id: best.id });\n', ""],
    ["who asked in an earlier round is answered", "    state.best = null;\n", ""],
    ["one capture may be missing", "if (state.missing === 0)", "if (state.missing <= 1)"],
    ["captures are not counted", "state.missing--", "state.missing = 0"],
    ["who has given up goes on", "else state.stands = false;", "else enterPhase(state, ctx);"],
    ["phases do not grow", "2 ** state.phase", "1"],
    ["phases grow three times", "2 ** state.phase", "3 ** state.phase"],
    ["links are used twice", "slice(used, state.used)", "slice(0, state.used - used)"],
    ["it leads one link too early", "if (used === ctx.degree)", "if (used >= ctx.degree - 1)"],
    ["nobody is told", "    tellEverybody(id, ctx);\n", ""],
    ["answers are awaited a round less", 'ctx.arm("answers", 2)', 'ctx.arm("answers", 1)'],
    ["answers are awaited a round more", 'ctx.arm("answers", 2)', 'ctx.arm("answers", 4)'],
  ],
  (broken) => {
    const said = complaint(broken);
    if (said !== null) return said;
    const { time } = electIn(broken, everybody([4, 2, 3, 1]), null);
    return time === 5 ? null : `${time} rounds`;
  },
);
