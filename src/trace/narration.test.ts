import { describe, expect, test } from "vitest";
import { explorationProblem } from "../explorer/explore.ts";
import { Player } from "../explorer/player.ts";
import type { AnyProtocol } from "../protocol.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { changRoberts } from "../protocols/ring/chang-roberts.ts";
import { type Request, resolve } from "../simulation/settings.ts";
import { tellPath, tellTrial } from "./replay.ts";
import { generalNarrator, sentenceOf } from "./story.ts";

/** Sizes at which each protocol has something to tell, and the settings that show its corners. */
const CORNERS: Readonly<Record<string, readonly Omit<Request, "protocol">[]>> = {
  "chang-roberts": [
    { n: 6, initiators: 2, params: { passive: "join" } },
    { n: 4, params: { reading: "printed", spread: 3 } },
  ],
  peterson: [{ n: 6, initiators: 2, params: { passive: "join", winner: "owner" } }],
  "hirschberg-sinclair": [{ n: 6, params: { stop: "known-n" } }],
  "itai-rodeh": [{ n: 5, params: { range: 2 } }],
  tournament: [{ n: 9, params: { gamma: 0.3 } }],
  "tournament-async": [
    { n: 9, params: { gamma: 0.2 } },
    { n: 9, params: { mediator: "eager" } },
  ],
  quorum: [
    { n: 6, params: { timing: "sync" } },
    { n: 6, params: { reading: "tables" }, delay: { kind: "uniform", min: 0.2, max: 1 } },
  ],
  referees: [{ n: 9, params: { answers: "all", wakeup: "adversarial", explicit: true } }],
  "random-walks": [{ n: 8, params: { explicit: true, reading: "printed-visited" } }],
  "flood-max": [{ n: 8, topology: "ring", params: { stop: "diameter" } }, { n: 7, topology: "ba:1" }, { n: 1 }],
  "tree-election": [{ n: 9, topology: "ring" }, { n: 12, topology: "torus:3x4", initiators: 1 }, { n: 1 }],
  "network-size": [
    { n: 9, topology: "ba:2", params: { repeats: 3 } },
    { n: 8, topology: "star", params: { repeats: 2 } },
  ],
  "filter-relay": [{ n: 12, faults: { loss: 0.3 } }],
  "epidemic-multicast": [{ n: 10, faults: { loss: 0.2, multicastLoss: 0.5 } }],
  "council-naive": [{ n: 8, params: { L: 2, U: 2, limit: 1 } }],
  "council-continuous": [{ n: 10, params: { hours: 0.2, stay: 0.05, policy: "restart" } }],
};

const stories = catalogue.map((protocol) => {
  const shared = protocol.name === "council-continuous" ? { params: { hours: 0.05 } } : {};
  const requests: Omit<Request, "protocol">[] = [
    { n: 7, ...shared },
    { n: 8, seed: 2, ...shared },
    ...(CORNERS[protocol.name] ?? []),
  ];
  const told = requests.flatMap((request) => {
    const story = tellTrial(resolve({ ...request, protocol: protocol.name }), 0);
    return story.events.map((event, i) => ({ event, text: sentenceOf(story, i), told: story.told.get(i) }));
  });
  return { name: protocol.name, told };
});

const NO_COUNT =
  /(?<!host )\b[01] (ids|nodes|mediators|referees|walks|replies|answers|bits|hops|offers|members|contenders|notifications|relays)\b/;

describe.each(stories)("$name", ({ told }) => {
  test("tells each event that it handles in its own words", () => {
    const general = told.filter(({ told }) => told?.general === true).map(({ text }) => text);
    expect(general).toEqual([]);
    for (const { event, told: sentence } of told) {
      if (["start", "deliver", "timer", "end-round"].includes(event.do)) expect(sentence?.node).toBe(event.node);
    }
  });

  test("names nodes and ids, counts in English, and never shows what is missing", () => {
    for (const { text, told: sentence } of told) {
      expect(text).not.toMatch(/undefined|null|NaN|\[object|Infinity|no 1 | {2}/);
      expect(sentence?.says ?? "").not.toMatch(NO_COUNT);
      expect(text).not.toMatch(/[.:;,] *$/);
    }
  });
});

const all = (name: string) => stories.find((story) => story.name === name)!.told.map(({ text }) => text);

test.each([
  ["chang-roberts", /^node \d swallows id \d: its own id, \d, is larger$/],
  ["chang-roberts", /^node \d joins with its own id, \d: it is larger than id \d$/],
  ["peterson", /^node \d becomes passive: id \d before it is not a local maximum, since \d is larger$/],
  ["hirschberg-sinclair", /^node \d is the largest within distance 1 and probes to distance 2$/],
  ["itai-rodeh", /^node \d marks id \d as not unique: it has drawn the same$/],
  ["time-slice", /^node \d speaks: the slot of its id, 1, has come in silence$/],
  ["known-highest", /^node \d leads: it has the highest id, which everybody knows$/],
  ["tournament", /^M\d says no to C\d and C\d: 2 contenders asked at once$/],
  ["tournament-async", /^M\d refuses C\d: C\d was first in round 1$/],
  ["tournament", /^M\d does not answer C\d: it has failed as a mediator$/],
  ["quorum", /^M\d refuses C\d: it holds C\d, whose rank is larger$/],
  ["quorum-estimated", /^C\d takes the network for one of \d+, and asks/],
  ["referees", /^referee \d refuses .*: it lets somebody through only once$/],
  ["random-walks", /^node \d stops \d+ walks? from node \d: a higher rank has been here$/],
  ["flood-max", /^node \d stops id \d from node \d: it has seen \d, which is larger$/],
  ["tree-election", /^node \d joins with node \d: both have chosen the link between them$/],
  ["tree-election", /^node \d leads|it leads: the tree is complete, and of the last link's ends it has the larger id$/],
  [
    "network-size",
    /^node \d has the walk from node \d, is taken again as sample \d+, and sends the walk on to node \d$/,
  ],
  ["filter-relay", /^node \d becomes a relay of round 1: the hash admits it/],
  ["epidemic-multicast", /^node \d lacks the message and asks node \d for it$/],
  ["council-naive", /^the centre polls: all hosts are to draw anew, as if they were \d$/],
  ["council-naive", /^the centre has 4 replies, not 2, and gives up$/],
  ["council-masks", /^host \d replies: its bits match the key$/],
  ["council-continuous", /^host \d offers itself for a seat$/],
])("%s: %s", (name, sentence) => {
  expect(
    all(name)
      .filter((text) => sentence.test(text))
      .slice(0, 1),
  ).toHaveLength(1);
});

test("as printed, a mediator listens to anybody who declines, and says so", () => {
  const request = { n: 3, ids: [1, 2, 3], choices: 1, timed: 1, params: { s: 2, reading: "tables" } };
  const player = new Player(explorationProblem(catalogue.find(({ name }) => name === "quorum")!, request));
  player.move("start with 1 1 0");
  player.move("run");
  const { told } = tellPath(
    explorationProblem(catalogue.find(({ name }) => name === "quorum")!, request),
    player.network,
    player.steps,
  );
  expect([...told.values()].map(({ text }) => text).join("\n")).toContain("the printed tables do not ask");
});

describe("a protocol that nobody here wrote", () => {
  const { narrate: _, ...plain } = changRoberts;
  const request = { n: 3, ids: [10, 30, 20] };
  const tell = (protocol: AnyProtocol, names?: readonly string[]) => {
    const problem = explorationProblem(protocol, request);
    const player = new Player(problem);
    player.move("start");
    player.move("deliver 0->1");
    const story = tellPath(problem, player.network, player.steps, names);
    return sentenceOf(story, story.events.length - 1);
  };

  test("is told in general words", () => {
    expect(tell({ ...plain, name: "mine" })).toBe("node 1 receives elect (id 10) from node 0");
  });

  test("may bring words of its own, and nodes may have names", () => {
    const mine = { ...plain, narrate: () => ({ says: "does what I want" }) };
    expect(tell(mine)).toBe("node 1 does what I want");
    expect(tell(mine, ["A", "B", "C"])).toBe("B does what I want");
  });

  test("says what changed and what was sent", () => {
    const scene = { n: 2, name: (node: number) => `node ${node}`, id: () => null, behind: () => 0 };
    const event = {
      do: "timer",
      timer: "tick",
      node: 1,
      sent: [{ to: 0, message: { kind: "ping", hops: 1 } }],
    } as const;
    const said = generalNarrator({ phase: 1, name: "a", seen: [] }, event, { phase: 2, name: "a", seen: [1] }, scene);
    expect(said).toEqual({
      says: 'has its timer "tick" expire, phase is 2, seen has changed, sends ping (hops 1) to node 0',
      brief: "phase is 2",
    });
  });
});
