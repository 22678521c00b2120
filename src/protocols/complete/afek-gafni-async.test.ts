import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { drawnGroups, electIn, exploredComplaint, type Group } from "../../../test/support/judged-complete.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import { permutations } from "../../../test/support/rings.ts";
import { explore } from "../../explorer/explore.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { predict } from "../../registry/all.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { LOSSLESS } from "../../theory/prediction.ts";
import { afekGafniAsync } from "./afek-gafni-async.ts";

type Letter = readonly [
  to: number,
  from: number,
  kind: "ask" | "kill" | "yield" | "yes",
  level: number,
  candidate: number,
];

/**
 * Another program, written from the paper's rules: one queue for all messages, each a delay after it was sent. `strength` puts level
 * and id into one number.
 */
function reckoned({ ids, starters }: Group): { messages: number; leader: number } {
  const n = ids.length;
  const strength = (level: number, candidate: number) => level * 1e6 + ids[candidate];
  const alive = ids.map((_, node) => starters.includes(node));
  const level = ids.map(() => 0);
  const bid = ids.map((_, node) => (alive[node] ? strength(0, node) : -1));
  const father = ids.map((_, node) => (alive[node] ? node : -1));
  const suitor = [...father];
  let queue: Letter[] = [];
  let messages = 0;
  let leader = -1;
  const post = (letter: Letter) => {
    messages++;
    queue.push(letter);
  };
  const goOn = (node: number) => {
    if (level[node] === n - 1) leader = node;
    else post([(node + level[node] + 1) % n, node, "ask", level[node], node]);
  };
  const take = (node: number) => {
    father[node] = suitor[node];
    post([suitor[node], node, "yes", 0, suitor[node]]);
  };
  const yields = (node: number, claim: number) => {
    const weaker = claim > strength(level[node], node);
    if (weaker) alive[node] = false;
    return weaker;
  };
  for (const node of starters) goOn(node);
  while (queue.length > 0) {
    const letters = queue;
    queue = [];
    for (const [to, from, kind, at, candidate] of letters) {
      const claim = strength(at, candidate);
      if (kind === "yes") {
        if (!alive[to]) continue;
        level[to]++;
        goOn(to);
      } else if (kind === "kill") {
        if (yields(to, claim)) post([from, to, "yield", at, candidate]);
      } else if (kind === "yield") {
        if (claim === bid[to]) take(to);
      } else if (claim > bid[to]) {
        bid[to] = claim;
        suitor[to] = from;
        if (father[to] < 0) take(to);
        else if (father[to] !== to) post([father[to], to, "kill", at, candidate]);
        else if (yields(to, claim)) take(to);
      }
    }
  }
  return { messages: messages + n - 1, leader: ids[leader] };
}

const everybody = (ids: readonly number[]): Group => ({ ids, starters: [...ids.keys()] });
const predicted = (n: number, initiators: number) =>
  predict({ protocol: afekGafniAsync, n, params: {}, initiators, ...LOSSLESS })!;

function complaint(protocol: AnyProtocol): string | null {
  const explored = exploredComplaint(protocol, [
    { n: 1 },
    { n: 2, initiators: "any" },
    { n: 3, initiators: "any", fifo: false },
    { n: 4 },
    { n: 5, ids: [5, 1, 3, 2, 4] },
  ]);
  if (explored !== null) return explored;
  for (const group of drawnGroups(30, 30)) {
    const wanted = reckoned(group);
    const { messages, census, measures } = electIn(protocol, group, { kind: "fixed", value: 1 });
    if (messages !== wanted.messages) return `${messages} messages, not ${wanted.messages}`;
    if (census.leaders[0] !== wanted.leader || census.beliefs.get(wanted.leader) !== group.ids.length)
      return "another leads";
    if (measures.announcements !== group.ids.length - 1) return "other measures";
    const { census: drawn } = electIn(protocol, group, { kind: "exponential", mean: 1 });
    if (drawn.elected !== 1 || drawn.undecided > 0) return "not everybody follows one";
  }
  return null;
}

test("there is nothing to complain of: as many messages as another program counts, and the same process leads", () => {
  expect(complaint(afekGafniAsync)).toBeNull();
});

describe("costs", () => {
  test("whatever the delays, within the bound, and one leads, which all know", () => {
    for (const [i, group] of [...drawnGroups(40, 40)].entries()) {
      const n = group.ids.length;
      const { messages, census } = electIn(afekGafniAsync, group, { kind: "exponential", mean: 1 }, i);
      expect(messages).toBeLessThanOrEqual(predicted(n, group.starters.length).factors!.atMost);
      expect(census).toMatchObject({ elected: 1, undecided: 0 });
      expect(census.beliefs.get(census.leaders[0])).toBe(n);
    }
  });

  test.each([2, 3, 4, 5])("n = %d: every arrangement is within the bounds of messages and time", (n) => {
    for (const ids of permutations(n)) {
      const { messages, time } = electIn(afekGafniAsync, everybody(ids), { kind: "fixed", value: 1 });
      expect(messages).toBe(reckoned(everybody(ids)).messages);
      expect(messages).toBeLessThanOrEqual(predicted(n, n).factors!.atMost);
      expect(time).toBeLessThanOrEqual(4 * (n - 1) + 1);
    }
  });

  test("one that starts takes 3(n - 1) messages and 2n - 1 delays; alone it takes none", () => {
    for (const n of [2, 9, 33]) {
      const group = { ids: Array.from({ length: n }, (_, i) => i), starters: [2 % n] };
      expect(electIn(afekGafniAsync, group, { kind: "fixed", value: 1 })).toMatchObject({
        messages: 3 * (n - 1),
        time: 2 * n - 1,
      });
      expect(predicted(n, 1)).toMatchObject({ messages: 3 * (n - 1), rounds: 2 * n - 1 });
    }
    expect(electIn(afekGafniAsync, everybody([7]), { kind: "fixed", value: 1 })).toMatchObject({
      messages: 0,
      census: { leaders: [7] },
    });
  });

  test.each([
    [16, 16],
    [100, 100],
    [100, 20],
  ])("n = %d, %d start: theory is within 6% of the mean", (n, initiators) => {
    const counts = Array.from(
      { length: 100 },
      (_, trial) => runTrial(resolve({ protocol: "afek-gafni-async", n, initiators }), trial).messages,
    );
    const mean = counts.reduce((a, b) => a + b) / counts.length;
    expect(Math.abs(mean / predicted(n, initiators).messages! - 1)).toBeLessThan(0.06);
  });
});

test("a crash, a loss or a duplicate never makes two leaders or two beliefs, and every run ends", () => {
  const properties = ["at-most-one-leader", "agreement", "termination"];
  for (const faults of [{ crashes: 1 }, { drops: 1 }, { pauses: 1 }]) {
    expect(explore(afekGafniAsync, { n: 3, ...faults, properties })).toMatchObject({ violation: null, complete: true });
  }
});

test.runIf(effort(0, 1) === 1)("any of four start, in every order", () => {
  expect(exploredComplaint(afekGafniAsync, [{ n: 4, initiators: "any", maxStates: 1_000_000 }])).toBeNull();
});

test("the size of a message is that of its kind, id and level", () => {
  expect(afekGafniAsync.bits({ kind: "capture", id: 5, level: 2 })).toBe(3 + 3 + 2);
  expect(afekGafniAsync.bits({ kind: "leader", id: 5 })).toBe(3 + 3);
  expect(afekGafniAsync.bits({ kind: "captured" })).toBe(3);
});

plantedFaults(
  new URL("./afek-gafni-async.ts", import.meta.url),
  "afekGafniAsync",
  [
    ["a process that starts belongs to nobody", "owner: self.initiator ? SELF : null", "owner: null"],
    ["levels do not count", "a.level > b.level || (a.level === b.level && a.id > b.id)", "a.id > b.id"],
    ["ids do not count", "a.level > b.level || (a.level === b.level && a.id > b.id)", "a.level > b.level"],
    ["weaker claims are answered", "  if (state.claim !== null && isStronger(state.claim, claim)) return;\n", ""],
    ["owners are not asked", "state.owner === null || (state.owner === SELF && givesWay(state, claim))", "true"],
    ["its own candidate is not asked", "(state.owner === SELF && givesWay(state, claim))", "state.owner === SELF"],
    ["its own candidate never gives way", "(state.owner === SELF && givesWay(state, claim))", "false"],
    ["owners always give way", "  if (!isStronger(claim, state)) return false;\n", ""],
    ["owners that give way go on", "  state.stands = false;\n", ""],
    [
      "owners do not say that they give way",
      'if (givesWay(state, message)) ctx.send(port, { ...message, kind: "killed" });',
      "givesWay(state, message);",
    ],
    ["a killed candidate goes on", "        if (!state.stands) break;\n", ""],
    ["captures are not counted", "        state.level++;\n", ""],
    ["it leads one link too early", "state.used === ctx.degree", "state.used >= ctx.degree - 1"],
    ["a link is used twice", "state.used++", "state.level"],
    ["nobody is told", "    tellEverybody(id, ctx);\n", ""],
    ["the captured process stays silent", '  ctx.send(state.owner, { kind: "captured" });\n', ""],
    [
      "the first who asks is answered, not the strongest",
      "  state.claimant = port;\n",
      "  if (state.claimant === SELF) state.claimant = port;\n",
    ],
  ],
  complaint,
);
