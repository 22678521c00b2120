/** The group in virtual time does what tests ask of it. */
import { expect, test } from "vitest";
import { type Machine, SELF } from "../../protocol.ts";
import { VirtualOpenGroup } from "./virtual.ts";

/** Says to an address what it is told to; reports what it has heard. */
const speaker: Machine<null, { heard: string[] }, unknown, never, null, readonly string[]> = {
  name: "speaker",
  assumes: {
    topology: "open",
    identity: "anonymous",
    timing: "partial",
    start: "common",
    knows: [],
    fifo: false,
    multicast: false,
    tolerates: [],
  },
  init: () => ({ heard: [] }),
  receive(state, port, message, ctx) {
    if (port !== SELF) state.heard.push(String(message));
    else {
      const { to, word } = message as { to: string; word: string };
      ctx.send(ctx.link(to), word);
    }
  },
  verdict: () => ({ status: "undecided", leader: null, term: 0 }),
  report: ({ heard }) => heard,
  bits: () => 1,
};

const NAMES = ["a", "b", "c"];

function scene(): VirtualOpenGroup {
  const group = new VirtualOpenGroup({ seed: 1, machine: speaker, params: () => null });
  for (const name of NAMES) group.start(name, { seeds: [] });
  return group;
}

/** Which of the three hear each other within this many milliseconds, as "ab" for a to b. */
function heard(group: VirtualOpenGroup, ms: number): readonly string[] {
  const pairs = NAMES.flatMap((from) => NAMES.filter((to) => to !== from).map((to) => [from, to]));
  const word = `at ${group.network.now}`;
  for (const [from, to] of pairs) {
    const { host, port } = group.address(to);
    group.command(from, { to: `${host}:${port}`, word: `${word} from ${from}` });
  }
  group.run(ms);
  const isHeard = ([from, to]: readonly string[]) =>
    (group.of(to).report as readonly string[]).includes(`${word} from ${from}`);
  return pairs.filter(isHeard).map((pair) => pair.join(""));
}

const ALL = ["ab", "ac", "ba", "bc", "ca", "cb"];
const FAULTS: readonly (readonly [string, (group: VirtualOpenGroup) => void, readonly string[]])[] = [
  ["no fault", () => {}, ALL],
  ["a cut", (group) => group.cut("a", "b"), ["ac", "bc", "ca", "cb"]],
  ["a one-way cut", (group) => group.cut("a", "b", { oneWay: true }), ALL.filter((pair) => pair !== "ab")],
  ["a partition", (group) => group.part(["a"], ["b", "c"]), ["bc", "cb"]],
];

test.each(FAULTS)("%s: who hears whom", (_what, fault, pairs) => {
  const group = scene();
  // Two that have not met prove their addresses to each other first, for which they need both ways.
  for (let again = 0; again < 2; again++) expect(heard(group, 50)).toEqual(ALL);
  fault(group);
  expect(heard(group, 50)).toEqual(pairs);
});

test("after a pause an overdue deadline comes before messages that waited for an address", () => {
  const log: string[] = [];
  const machine: Machine<null, object, unknown, "limit", null, null> = {
    ...speaker,
    init(_params, _self, _saved, ctx) {
      ctx.deadline("limit", 5);
      ctx.send(ctx.link("b.example:7001"), "hello");
      return {};
    },
    receive() {},
    expire: (_state, timer) => void log.push(timer),
    report: () => null,
  };
  const group = new VirtualOpenGroup({ seed: 1, machine, params: () => null });
  group.name("b.example", ["10.0.0.9"]);
  group.network.tap = () => log.push("sent");
  group.start("a", { seeds: [] });
  group.pause("a", 100);
  group.run(101);
  expect(log.slice(0, 2)).toEqual(["limit", "sent"]);
});

test("peers stand in the order of their starts; a second start is a crash and a restart", () => {
  const group = scene();
  const first = group.of("a");
  group.start("a");
  expect(group.peers.map(({ name }) => name)).toEqual(["b", "c", "a"]);
  expect(group.of("a")).not.toBe(first);
  group.crash("b");
  group.leave("c");
  expect(group.peers.map(({ name }) => name)).toEqual(["a"]);
  expect(() => group.of("b")).toThrow("b does not run");
});
