/**
 * The reliable link under every schedule: some nodes tell, all write down what they hear. Timed runs are whole; untimed
 * ones, in which a time-out can come at any moment, go as far as one time-out in a row without an answer.
 */
import { describe, expect, test } from "vitest";
import type { Budget, Problem } from "../../src/explorer/problem.ts";
import { search } from "../../src/explorer/search/search.ts";
import { termination } from "../../src/properties/properties.ts";
import type { AnyProtocol, Self } from "../../src/protocol.ts";
import { type ReliableOptions, type ReliableState, reliable } from "../../src/protocols/reliable.ts";
import { complete } from "../../src/topology/complete.ts";
import { type Ctx, everyConfiguration, type Plain, stateOf, toy, toyProblem } from "./toy.ts";

/** What was told: by which life, and its place among what that life tells on each link. */
interface Told {
  readonly life: number;
  readonly index: number;
}

interface Diary {
  readonly life: number;
  /** What its former lives had saved. */
  readonly before: readonly number[];
  readonly heard: (Told & { readonly port: number })[];
}

interface Setting extends ReliableOptions {
  readonly tellers?: number;
  readonly count?: number;
  readonly saves?: boolean;
  /** Tells one thing more, so many instants later. */
  readonly later?: number;
}

function gossip({ tellers = 1, count = 2, saves = false, later }: Setting): AnyProtocol {
  const tell = (life: number, index: number, ctx: Ctx) => {
    for (const port of ctx.ports()) ctx.send(port, { life, index });
  };
  return {
    ...toy({ init: () => null }),
    ...(saves && { saved: ({ before, heard }: Diary) => [...before, ...heard.map(({ index }) => index)] }),
    init(_params, { id, life }: Self, saved, ctx): Diary {
      if (id! < tellers) {
        for (let index = 0; index < count; index++) tell(life, index, ctx);
        if (later !== undefined) ctx.arm("later", later);
      }
      return { life, before: saved ?? [], heard: [] };
    },
    receive: ({ heard }: Diary, port, told: Told) => heard.push({ port, ...told }),
    expire: ({ life }: Diary, _timer, ctx) => tell(life, count, ctx),
  };
}

const problemOf = (n: number, setting: Setting, budget: Partial<Budget>, changes: Partial<Problem>): Problem =>
  toyProblem(reliable(gossip(setting), setting), n, {
    topology: complete(n),
    fifo: false,
    budget: { drops: 0, crashes: 0, restarts: 0, ...budget },
    ...changes,
  });

type Promise = (states: readonly (ReliableState<Diary, Told> | null)[], ended: boolean) => string | null;

/** What a node heard from one life on one link: each thing once and in order; from the first one on unless it saves. */
const inOrder =
  (fromTheFirst: boolean): Promise =>
  (states) => {
    for (const [node, state] of states.entries()) {
      const heard = state?.child.heard ?? [];
      for (const { port, life } of heard) {
        const told = heard.filter((other) => other.port === port && other.life === life);
        const first = fromTheFirst ? 0 : told[0].index;
        const wrong = told.findIndex(({ index }, i) => index !== first + i);
        if (wrong >= 0) return `node ${node} heard ${told.map(({ index }) => index)} from life ${life}`;
      }
    }
    return null;
  };

/** In the end everybody has heard everything. */
const everything =
  (tellers: number, count: number): Promise =>
  (states, ended) => {
    for (const [node, state] of states.entries()) {
      const all = states.filter((_, other) => other !== node && other < tellers).length * count;
      const heard = state!.child.heard.length;
      if (ended && heard !== all) return `node ${node} heard ${heard} of ${all}`;
    }
    return null;
  };

/** The first promise that breaks, and how many configurations there are. */
function check(problem: Problem, promises: readonly Promise[]): { broken: string | null; configurations: number } {
  let broken: string | null = null;
  const configurations = everyConfiguration(problem, (network, vector, ended) => {
    const states = network.everybody.map((node) => stateOf(network, vector, node));
    for (const promise of promises) broken ??= promise(states, ended);
  });
  return { broken, configurations };
}

const holds = (configurations: number) => ({ broken: null, configurations });
const timed = (maxDelay: number) => ({ maxDelay });
const untimed: Partial<Problem> = { limits: { attempts: 1 } };

describe("one loss and one duplicate: everything arrives, once and in order", () => {
  const faults = { drops: 1, duplicates: 1 };
  test.each<[string, number, Setting, Partial<Problem>, number]>([
    ["two messages, delays up to 1", 2, { timeout: 2 }, timed(1), 162],
    ["two messages, delays up to 2", 2, { timeout: 4 }, timed(2), 560],
    ["three messages, a window of 2", 2, { timeout: 2, count: 3, window: 2 }, timed(1), 253],
    ["both tell", 2, { timeout: 4, tellers: 2 }, timed(2), 26659],
    ["a time-out below the round trip", 2, { timeout: 1 }, timed(1), 308],
    ["two neighbours", 3, { timeout: 2 }, timed(1), 1485],
    ["time-outs at any moment", 2, {}, untimed, 3305],
    ["time-outs at any moment, both tell", 2, { tellers: 2, count: 1 }, untimed, 3917],
  ])("%s", (_what, n, setting, changes, configurations) => {
    const { tellers = 1, count = 2 } = setting;
    const promises = [inOrder(true), everything(tellers, count)];
    expect(check(problemOf(n, setting, faults, changes), promises)).toEqual(holds(configurations));
  });
});

describe("one crash and one restart, of either side", () => {
  test.each<[string, boolean, Partial<Budget>, Partial<Problem>]>([
    ["without saved state", false, { drops: 1, duplicates: 1 }, timed(1)],
    ["with saved state", true, { drops: 1, duplicates: 1 }, timed(1)],
    ["without saved state, time-outs at any moment", false, { duplicates: 1 }, untimed],
    ["with saved state, time-outs at any moment", true, { drops: 1 }, untimed],
  ])("%s: no life hears anything twice or out of order from another", (_what, saves, faults, changes) => {
    const setting = { timeout: 2, patience: 3, tellers: changes === untimed ? 1 : 2, count: 1, saves };
    const budget = { ...faults, crashes: 1, restarts: 1 };
    expect(check(problemOf(2, setting, budget, changes), [inOrder(!saves)]).broken).toBeNull();
  });

  test("both sides start again: they recognise each other, and it ends", () => {
    const setting = { timeout: 2, patience: 2, tellers: 2, count: 1 };
    const problem = problemOf(2, setting, { crashes: 2, restarts: 2 }, timed(1));
    expect(check(problem, [inOrder(true)]).broken).toBeNull();
    expect(search(problem, { properties: [termination] })).toMatchObject({ complete: true, violation: null });
  });

  /** Both live in the end, and the teller has not started again: the other has heard everything, in this life or before. */
  const nothingVoid: Promise = ([teller, other], ended) => {
    // Nothing is acknowledged in this stream where the other came back too late: then it had been given up.
    if (!ended || teller?.life !== 0 || other === null || teller.links[0].sending.first === 0) return null;
    const known = [...other.child.before, ...other.child.heard.map(({ index }) => index)];
    return [0, 1].every((index) => known.includes(index)) ? null : `only ${known} was heard`;
  };

  test("with saved state nothing is void: what was not acknowledged reaches the new life", () => {
    const problem = problemOf(2, { timeout: 2, saves: true }, { crashes: 1, restarts: 1, halfway: 1 }, timed(1));
    expect(check(problem, [inOrder(false), nothingVoid]).broken).toBeNull();
  });
});

test("a pause of either side costs time, and nothing else", () => {
  const problem = problemOf(2, { timeout: 2, patience: 1 }, { drops: 1, pauses: 1 }, { maxDelay: 1, longestPause: 6 });
  expect(check(problem, [inOrder(true)]).broken).toBeNull();
});

describe("planted bugs are found", () => {
  interface Bug {
    /** Before a message is received, or a timer expires. */
    before?(state: Plain, message: Plain): void;
    after?(state: Plain): void;
    sends?(message: Plain, state: Plain): Plain;
  }

  const planted = (protocol: AnyProtocol, { before, after, sends = (message) => message }: Bug): AnyProtocol => {
    const handled = (state: Plain, ctx: Ctx, message: Plain, handle: (ctx: Ctx) => void) => {
      const tampered: Ctx = Object.create(ctx);
      tampered.send = (port, sent) => ctx.send(port, sends(sent, state));
      before?.(state, message);
      handle(tampered);
      after?.(state);
    };
    return {
      ...protocol,
      receive: (state, port, message, ctx) =>
        handled(state, ctx, message, (tampered) => protocol.receive(state, port, message, tampered)),
      expire: (state, timer, ctx) => handled(state, ctx, null, (tampered) => protocol.expire!(state, timer, tampered)),
    };
  };

  function found(setting: Setting, bug: Bug | AnyProtocol, promises: readonly Promise[], budget: Partial<Budget>) {
    const problem = problemOf(2, setting, budget, timed(1));
    expect(check(problem, promises).broken).toBeNull();
    const protocol = "init" in bug ? bug : planted(problem.protocol, bug);
    return check({ ...problem, protocol }, promises).broken;
  }

  test("a duplicate is handed over again", () => {
    const bug: Bug = {
      before(state, message) {
        if (message?.kind === "data" && message.number < (state.links[0]?.receiving.expected ?? 0))
          state.links[0].receiving.expected = message.number;
      },
    };
    expect(found({}, bug, [inOrder(true)], { duplicates: 1 })).toMatch(/heard .* from life 0/);
  });

  test("what has not been handed over is acknowledged", () => {
    const bug: Bug = {
      sends(message, state) {
        const early = state.links[0].receiving.early.at(-1);
        return early === undefined ? message : { ...message, heard: { ...message.heard, next: early.number + 1 } };
      },
    };
    expect(found({}, bug, [everything(1, 2)], { drops: 1 })).toBe("node 1 heard 0 of 2");
  });

  test("a link that was given up uses its numbers again", () => {
    const bug: Bug = {
      after(state) {
        if (state.links[0] !== undefined) state.links[0].sending.stream = 0;
      },
    };
    // The acknowledgement of the first is lost, and patience has an end: the second is a stream of its own.
    const setting = { patience: 0, count: 1, later: 4 };
    const second: Promise = ([teller, other], ended) =>
      ended && teller!.links[0].sending.first > 0 && other!.child.heard.at(-1)?.index !== 1
        ? "the second message is acknowledged and was never heard"
        : null;
    expect(found(setting, bug, [second], { drops: 1 })).toMatch(/never heard/);
  });

  test("the window is not respected", () => {
    const window: Promise = (states) => {
      const sendings = states.flatMap((state) => Object.values(state?.links ?? {})).map(({ sending }) => sending);
      const wide = sendings.find(({ first, next }) => next > first + 1);
      return wide === undefined ? null : `${wide.next - wide.first} messages on their way`;
    };
    const wide = reliable(gossip({ count: 3 }), { window: 2 });
    expect(found({ count: 3, window: 1 }, wide, [window], {})).toBe("2 messages on their way");
  });

  test("a former life is taken for the present one", () => {
    const bug: Bug = {
      before(state, message) {
        if (message?.kind === "data" && state.links[0] !== undefined) state.links[0].neighbour.life = message.life;
      },
    };
    const faults = { crashes: 1, restarts: 1, drops: 1 };
    expect(found({ tellers: 2, count: 1 }, bug, [inOrder(true)], faults)).toMatch(/heard .* from life/);
  });
});
