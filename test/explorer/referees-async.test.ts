/**
 * Referees without rounds under every schedule, at small n. Ranks follow from ids, so that all arrangements of ids are all orders
 * of ranks, and everybody who starts stands.
 */
import { describe, expect, test } from "vitest";
import { type Exploration, type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { atMostOneLeader, type Property, propertyNames } from "../../src/properties/properties.ts";
import type { AnyProtocol, Context } from "../../src/protocol.ts";
import { type RefereesAsyncState, refereesAsync } from "../../src/protocols/complete/referees-async.ts";
import { effort } from "../support/effort.ts";
import { leadersAreApart } from "../support/leaders-apart.ts";

const someLeader = propertyNames["some-leader"];

type Ctx = Context<never, string>;

function replacing(ctx: Ctx, changes: Partial<Ctx>): Ctx {
  return new Proxy(ctx, {
    get(target, name) {
      const own = Reflect.get(Object.hasOwn(changes, name) ? changes : target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** Everybody who starts stands, with its id for a rank. A leader's verdict tells whom it asked, a bit for each port. */
const { candidacy: _, ...coinless } = refereesAsync as AnyProtocol;
const ranked: AnyProtocol = {
  ...coinless,
  assumes: { ...refereesAsync.assumes, identity: "ids" },
  init(params, self, saved, ctx: Ctx) {
    let asked = 0;
    const watching = replacing(ctx, {
      choose: () => self.id!,
      sample(k, including) {
        const ports = ctx.sample(k, including);
        asked = ports.reduce((bits, port) => bits | (1 << (port + 1)), 0);
        return ports;
      },
    });
    const state = refereesAsync.init(params, { ...self, candidate: self.initiator }, saved, watching as never);
    return { ...state, asked };
  },
  verdict(state) {
    const { status, term } = refereesAsync.verdict(state);
    return { status, leader: status === "elected" ? state.asked : null, term };
  },
};

const bugOf = (change: Partial<AnyProtocol>): AnyProtocol => ({ ...ranked, ...change });

function every(protocol: AnyProtocol, request: ExploreRequest): Exploration {
  return explore(protocol, { fifo: false, properties: [atMostOneLeader], ...request });
}

const found = ({ violation, complete }: Exploration) => violation?.what ?? (complete ? null : "not all was visited");

describe("everybody asked: at most one leads, whatever happens and whenever timers expire", () => {
  const [ascending, descending] = [
    [1, 2, 3],
    [3, 2, 1],
  ];
  const once = { tries: 1 };
  const cases: readonly (readonly [string, ExploreRequest])[] = [
    ["two, with everything that can go wrong", { n: 2, drops: 1, duplicates: 1, crashes: 1, pauses: 1 }],
    ["two candidates of three", { n: 3, ids: ascending, initiators: [0, 1], params: once, drops: 1, crashes: 1 }],
    [
      "two candidates of three, twice delivered",
      { n: 3, ids: descending, initiators: [0, 1], params: once, duplicates: 1 },
    ],
    ["two candidates of three that are paused", { n: 3, ids: ascending, initiators: [0, 1], params: once, pauses: 1 }],
    // The long ones.
    ["two candidates of four", { n: 4, ids: [1, 2, 3, 4], initiators: [0, 1], params: { ...once, window: 0 } }],
    ["two candidates of three that ask again", { n: 3, ids: ascending, initiators: [0, 1] }],
    ["three candidates of three", { n: 3, ids: ascending, params: once }],
    [
      "two candidates of four, and a loss",
      { n: 4, ids: [1, 2, 3, 4], initiators: [0, 1], params: { ...once, window: 0 }, drops: 1 },
    ],
  ];
  test.each(cases.slice(0, effort(2, cases.length)))("%s", (_name, request) => {
    expect(found(every(ranked, request))).toBeNull();
  });
});

describe("in time", () => {
  test.each<[string, ExploreRequest]>([
    ["three candidates of three, delays of up to 2", { n: 3, timed: 2 }],
    ["three candidates of four", { n: 4, timed: 1, initiators: [0, 1, 2], ids: [2, 3, 1, 4] }],
    ["any of three start", { n: 3, timed: 2, initiators: "any" }],
  ])("%s: somebody leads, and only one", (_name, request) => {
    const properties = [atMostOneLeader, someLeader];
    expect(found(every(ranked, { ...request, properties }))).toBeNull();
  });

  test("a process that dies, or a message that is lost, spoils nothing", () => {
    const unless: Property = {
      ...someLeader,
      // Who should have led may be the one that died.
      violated: (view) => (view.alive(0) ? someLeader.violated(view) : null),
    };
    const dead = { n: 4, timed: 1, initiators: [0], crashes: 1, ids: [4, 3, 2, 1] };
    expect(found(every(ranked, { ...dead, properties: [atMostOneLeader, unless] }))).toBeNull();
    const lost = { n: 4, timed: 1, initiators: [0, 1], drops: 1, ids: [1, 2, 3, 4] };
    expect(found(every(ranked, { ...lost, properties: [atMostOneLeader, someLeader] }))).toBeNull();
  });
});

describe("a part asked", () => {
  const two = { n: 4, timed: 1, initiators: [0, 1], ids: [1, 2, 3, 4] };

  test.each([{ m: 2 }, { m: 3 }, { m: 3, spread: 1 }])(
    "%o: two lead only where they asked nobody in common",
    (params) => {
      expect(found(every(ranked, { ...two, params, properties: [leadersAreApart] }))).toBeNull();
    },
  );

  test("somebody leads where they start together", () => {
    expect(found(every(ranked, { ...two, params: { m: 3 }, properties: [someLeader] }))).toBeNull();
  });

  test("and two that asked nobody in common do lead: m = 2 of 4", () => {
    expect(found(every(ranked, { ...two, params: { m: 2 } }))).toBe("nodes 0 and 1 both lead");
  });
});

describe("planted mistakes are found", () => {
  const two = { n: 3, ids: [1, 2, 3], initiators: [0, 1], params: { tries: 1 } };

  test("half of those asked are enough", () => {
    const half = bugOf({
      receive(state: RefereesAsyncState, port, message, ctx) {
        ranked.receive(state, port, message, ctx);
        if (state.bid !== null && state.status === "undecided" && 2 * state.bid.endorsed >= state.bid.asked) {
          state.status = "elected";
        }
      },
    });
    expect(found(every(half, { ...two, n: 2, ids: [1, 2] }))).toBe("nodes 0 and 1 both lead");
  });

  test("a referee changes its mind for a better rank", () => {
    const fickle = bugOf({
      receive(state: RefereesAsyncState, port, message, ctx) {
        const { hearing } = state;
        if (message.kind === "request" && hearing?.open === false && message.rank > hearing.best.rank) {
          hearing.best = { port, rank: message.rank };
        }
        ranked.receive(state, port, message, ctx);
      },
    });
    expect(found(every(fickle, two))).toBe("nodes 0 and 1 both lead");
  });

  test("an answer that arrives twice is counted twice", () => {
    const twice = bugOf({
      receive(state: RefereesAsyncState, port, message, ctx) {
        if (message.kind !== "request") state.bid?.silent.add(port);
        ranked.receive(state, port, message, ctx);
      },
    });
    expect(found(every(twice, { ...two, duplicates: 1 }))).toBe("nodes 0 and 1 both lead");
  });

  test("a refusal does not matter although only a part was asked", () => {
    const deaf = bugOf({
      receive(state: RefereesAsyncState, port, message, ctx) {
        if (message.kind !== "refused") ranked.receive(state, port, message, ctx);
      },
    });
    const part = { n: 5, ids: [1, 2, 3, 4, 5], initiators: [0, 1], timed: 1, params: { m: 3 } };
    expect(found(every(ranked, { ...part, properties: [leadersAreApart] }))).toBeNull();
    expect(found(every(deaf, { ...part, properties: [leadersAreApart] }))).toMatch("lead, and both asked");
  });
});
