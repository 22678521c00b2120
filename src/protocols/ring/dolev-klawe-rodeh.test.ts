import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { type Reckoned, ringComplaint } from "../../../test/support/judged-ring.ts";
import { plantedFaults } from "../../../test/support/planted.ts";
import { complaint, elect, largest, permutations, schedules, subsets } from "../../../test/support/rings.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { bitReversed } from "../../theory/rings/arrangements.ts";
import { petersonBound } from "../../theory/rings/rings.ts";
import { dolevKlaweRodeh } from "./dolev-klawe-rodeh.ts";
import { peterson } from "./peterson.ts";

const protocol = "dolev-klawe-rodeh";

/** Another program: rules A0 to A2 of the paper, a queue for each link, one message at a time in turn. */
const reckoned: Reckoned = (ids, starters) => {
  const n = ids.length;
  const max = [...ids];
  const left = ids.map(() => -1);
  const active = ids.map((_, node) => starters.includes(node));
  const queues: [kind: 1 | 2, id: number][][] = ids.map((id, node) => (active[node] ? [[1, id]] : []));
  let messages = 0;
  for (let node = 0; ; node = (node + 1) % n) {
    const message = queues[node].shift();
    if (message === undefined) continue;
    messages++;
    const v = (node + 1) % n;
    const [kind, id] = message;
    if (!active[v]) queues[v].push(message);
    else if (kind === 1) {
      if (id === max[v]) return { leader: id, messages: messages + n };
      left[v] = id;
      queues[v].push([2, id]);
    } else if (left[v] > id && left[v] > max[v]) {
      max[v] = left[v];
      queues[v].push([1, max[v]]);
    } else active[v] = false;
  }
};

describe("every arrangement of the ids", () => {
  test.each([1, 2, 3, 4, 5, 6].slice(0, effort(4, 6)))("n = %d: the largest leads, with the paper's messages", (n) => {
    for (const ids of permutations(n)) {
      const { messages } = reckoned(ids, [...ids.keys()]);
      for (const schedule of schedules(n)) {
        const result = elect({ protocol, ids, schedule });
        expect(complaint(result, n)).toBeNull();
        expect(result.messages).toBe(messages);
        expect(messages).toBeLessThanOrEqual(petersonBound(n) + n);
      }
    }
  });

  test("every set of initiators", () => {
    for (const ids of permutations(4)) {
      for (const initiators of subsets(4)) {
        const result = elect({ protocol, ids, initiators });
        expect(complaint(result, largest(ids, initiators))).toBeNull();
        expect(result.messages).toBe(reckoned(ids, initiators).messages);
        expect(complaint(elect({ protocol, ids, initiators, params: { passive: "join" } }), 4)).toBeNull();
      }
    }
  });
});

test.each([1, 2, 3, 4, 5, 6, 7])("worst case: 2^%d ids in bit-reversed order", (bits) => {
  const ids = bitReversed(bits);
  expect(reckoned(ids, [...ids.keys()]).messages).toBe(petersonBound(ids.length) + ids.length);
  expect(elect({ protocol, ids }).messages).toBe(petersonBound(ids.length) + ids.length);
});

test("as many messages as Peterson's, and mostly another leader: the owner of the id that survives", () => {
  let others = 0;
  for (const ids of permutations(5)) {
    const [ours, petersons] = [protocol, "peterson"].map((name) => elect({ protocol: name, ids }));
    expect(ours.messages).toBe(petersons.messages);
    if (ours.census.leaders[0] !== petersons.census.leaders[0]) others++;
  }
  expect(others).toBeGreaterThan(60);
});

/** Faults of the machine, which is Peterson's. */
const ours = (machine: AnyProtocol): AnyProtocol => ({
  ...machine,
  init: (params, self, saved, ctx) => machine.init({ ...params, winner: "owner" }, self, saved, ctx),
});

test("what is judged below is the protocol", () => {
  const { init: _, ...same } = ours(peterson);
  expect({ ...dolevKlaweRodeh, ...same, init: null }).toEqual({ ...same, init: null });
});

plantedFaults(
  new URL("./peterson.ts", import.meta.url),
  "peterson",
  [
    [
      "A1: left(v) is sent as <1, i>",
      'ctx.send(NEXT, { kind: "second", id, phase });',
      'ctx.send(NEXT, { kind: "first", id, phase });',
    ],
    [
      "A1: max(v) is sent instead of i",
      '{ kind: "second", id, phase }',
      '{ kind: "second", id: state.temporary, phase }',
    ],
    ["A1: nothing is sent", '    ctx.send(NEXT, { kind: "second", id, phase });\n', ""],
    ["A1: left(v) is not noted", "    state.before = id;\n", ""],
    ["A1: its own largest id goes on", "else if (id === state.temporary) win(state, ctx);\n", ""],
    ["A2: j does not count", "before > state.temporary && before > beforeThat", "before > state.temporary"],
    ["A2: max(v) does not count", "before > state.temporary && before > beforeThat", "before > beforeThat"],
    [
      "A2: larger than one is enough",
      "before > state.temporary && before > beforeThat",
      "before > state.temporary || before > beforeThat",
    ],
    [
      "A2: the smallest survives",
      "before > state.temporary && before > beforeThat",
      "before < state.temporary && before < beforeThat",
    ],
    ["A2: max(v) stays as it was", "    state.temporary = before;\n", ""],
    ["A2: nobody becomes passive", '} else state.role = "relays";', "} else enterPhase(state, ctx);"],
    ["A0: left(v) of the last phase stays", "  state.before = null;\n", ""],
    ["passive processes swallow", "    ctx.send(NEXT, message);\n    return;", "    return;"],
    ["the last active process leads", 'state.params.winner === "last-active"', "true"],
    [
      "the owner of the largest id does not notice",
      "if (message.id === state.id && state.status",
      "if (message.id !== state.id && state.status",
    ],
  ],
  (machine) => ringComplaint(ours(machine), reckoned),
);
