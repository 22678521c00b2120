/**
 * Numbers that are kept by order: what a search says of them is what it says of the numbers themselves, and a declaration that is
 * not true is refused.
 */
import { describe, expect, test } from "vitest";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { probabilities } from "../../src/explorer/probability/probabilities.ts";
import type { Property } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { itaiRodeh } from "../../src/protocols/ring/itai-rodeh.ts";
import { NEXT } from "../../src/topology/ring.ts";
import { effort, isLong } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import { type Plain, type Toy, toy } from "./toy.ts";
import { type VoteFault, vote } from "./vote.ts";

const byValue = (protocol: AnyProtocol): AnyProtocol => ({ ...protocol, ordered: [], ignoresOlder: false });
const safe: ExploreRequest = { n: 3, capacity: 1, properties: ["at-most-one-leader"] };
const crash = { crashes: 1, restarts: 1 };

const FAULTS: Readonly<Record<VoteFault, Partial<ExploreRequest>>> = {
  "votes twice": {},
  "counts votes of any term": {},
  "stands in its old term": {},
  "votes in older terms": {},
  "votes for others too": {},
  "leads on in a later term": {},
  "forgets in a crash": crash,
  "forgets its vote in a crash": crash,
};
/** Their voters listen to older words, which is told; without that declaration the fault itself is found. */
const LISTEN: readonly VoteFault[] = ["counts votes of any term", "votes in older terms"];
const faults = Object.keys(FAULTS) as VoteFault[];

describe("a vote with terms and heartbeats", () => {
  test.each([{}, ...effort([], [crash, { duplicates: 1 }, { partitions: 1 }, { fifo: false, capacity: 2, n: 2 }])])(
    "has one leader of a term at most, among three, whatever their terms: %j",
    (more) => {
      const found = explore(vote(null), { ...safe, ...more });
      expect(found).toMatchObject({ complete: true, verdict: "holds" });
      expect(found.tried.map(({ what }) => what)).toContain("term of any size, by order");
      expect(found.untried.map(({ what }) => what)).toContain("more messages on a link");
    },
  );

  test.each(faults.filter((fault) => isLong || fault !== "forgets in a crash"))(
    "%s: found, as with the terms themselves",
    (fault) => {
      const request = { ...safe, ...FAULTS[fault], maxStates: 200_000 };
      const listens = LISTEN.includes(fault);
      if (listens) expect(() => explore(vote(fault), request)).toThrow("declares ignoresOlder");
      const { violation } = explore(vote(fault, listens ? { ignoresOlder: false } : {}), request);
      expect(violation?.property).toBe("at-most-one-leader");
      expectRun(violation!);
      if (!isLong && request.crashes !== undefined) return;
      const shortest = explore(byValue(vote(fault)), request).violation;
      expect(violation!.steps).toHaveLength(shortest!.steps.length);
    },
  );

  test.each([null, ...faults])(
    "%s: where nodes stand only so often, all terms say the same as their order",
    (fault) => {
      const tries = effort(1, 2);
      const request = { ...safe, n: 2, ...(fault === null ? {} : FAULTS[fault]) };
      const listens = fault !== null && LISTEN.includes(fault);
      const known = explore(byValue(vote(fault, {}, tries)), request);
      const found = explore(vote(fault, listens ? { ignoresOlder: false } : {}, tries), request);
      expect([found.verdict, found.complete]).toEqual([known.verdict, known.complete]);
    },
  );
});

describe("Itai and Rodeh's phases", () => {
  test("have no bound, and every promise is kept", () => {
    for (const n of [2, 3]) {
      const found = explore(itaiRodeh, { n });
      expect(found).toMatchObject({ complete: true, verdict: "holds", loops: true });
      expect(found.properties).toContain("termination");
    }
  });

  test("the mean of messages is a fraction, within what a search by value knows", () => {
    // Two nodes: 3 messages where they draw different ids, 4 and all again where not; and 2 to announce.
    for (const [n, over, under] of [
      [2, 9n, 1n],
      [3, 211n, 16n],
    ] as const) {
      const found = probabilities(itaiRodeh, { n });
      expect(found).toMatchObject({ exact: true, stopped: null });
      expect(found.outcomes.one.min.exact).toEqual({ over: 1n, under: 1n });
      for (const end of ["min", "max"] as const) expect(found.messages![end].exact).toEqual({ over, under });
      const known = probabilities(byValue(itaiRodeh), { n, limits: { phases: 4 } });
      expect(known.messages!.min.from).toBeLessThan(Number(over) / Number(under));
      expect(known.messages!.min.from).toBeGreaterThan((0.9 * Number(over)) / Number(under));
    }
  });

  test.runIf(effort(false, true))("finish at n = 4", () => {
    const found = probabilities(itaiRodeh, { n: 4 });
    expect(found.stopped).toBeNull();
    expect(found.messages!.max.to).toBeCloseTo(5696 / 315, 9);
    expect(found.messages!.min.from).toBeCloseTo(5696 / 315, 9);
  });
});

/** A node that raises its number whenever it hears something; `does` is what it does besides. */
const counter = (does: (state: Plain, message: Plain) => unknown, more: Partial<AnyProtocol> = {}): AnyProtocol => ({
  ...toy({
    init(_node, ctx) {
      ctx.send(NEXT, { term: 0 });
      return { term: 0, leads: false };
    },
    receive(state, message, ctx) {
      does(state, message);
      state.term = Math.max(state.term, message.term) + 1;
      ctx.send(NEXT, { term: state.term });
    },
  } as Toy),
  ordered: ["term"],
  verdict: ({ leads }: Plain) => ({ status: leads ? "elected" : "undecided", leader: null, term: 0 }),
  ...more,
});

describe("what is declared is checked", () => {
  const told =
    (protocol: AnyProtocol, properties: readonly (string | Property)[] = ["at-most-one-leader"]) =>
    () =>
      explore(protocol, { n: 2, properties, maxStates: 5000 });

  test("numbers that are compared, copied and raised are fine, and have an end", () => {
    expect(told(counter(() => undefined))()).toMatchObject({ complete: true, violation: null });
  });

  test.each<[string, (state: Plain, message: Plain) => unknown]>([
    ["odd and even", (state) => Object.assign(state, { leads: state.term % 2 === 1 })],
    ["a constant", (state) => Object.assign(state, { leads: state.term > 50 })],
    ["the distance of two", (state, message) => Object.assign(state, { leads: message.term - state.term === 2 })],
    ["one more than another", (state, message) => Object.assign(state, { leads: message.term > state.term + 1 })],
    ["as text", (state) => Object.assign(state, { name: `term ${state.term}` })],
  ])("%s: refused", (_what, does) => {
    expect(told(counter(does))).toThrow("does something else when numbers that ordered names (term) are");
  });

  test("draws from as many values as the number says: refused", () => {
    const drawing = counter(() => undefined);
    const receive: AnyProtocol["receive"] = (state, port, message, ctx) => {
      ctx.choose(state.term + 2);
      drawing.receive(state, port, message, ctx);
    };
    expect(() => explore({ ...drawing, receive }, { n: 2, choices: 1000, properties: ["at-most-one-leader"] })).toThrow(
      "does something else",
    );
  });

  test("raised by two: refused", () => {
    const twice = counter((state) => Object.assign(state, { term: state.term + 1 }));
    expect(told(twice)).toThrow(/makes \d+ of [\d, ]+ in a field that ordered names/);
  });

  test("no number, or one below 0: refused", () => {
    expect(told(counter((state) => Object.assign(state, { other: { term: "first" } })))).toThrow(
      "which holds no number",
    );
    expect(told(counter((state) => Object.assign(state, { other: { term: -1 } })))).toThrow("whole numbers from 0 on");
  });

  test("a promise that tells how large numbers are: refused", () => {
    const small: Property = {
      name: "small",
      about: "terms are small",
      when: "always",
      violated: (view) => ((view.report!(0) as number) > 3 ? "it is not" : null),
    };
    const shown = counter(() => undefined, { report: ({ term }: Plain) => term });
    expect(told(shown, [small])).toThrow(/does something else|tells how large numbers are/);
    const inside = counter(() => undefined, { report: ({ term }: Plain) => ({ term }) });
    const large = {
      ...small,
      violated: (view: Parameters<Property["violated"]>[0]) =>
        (view.report!(0) as Plain).term > 3 ? "it is not" : null,
    };
    expect(told(inside, [large])).toThrow('the promise "small" tells how large numbers are');
  });

  test("fields are named in a list", () => {
    expect(() => explore({ ...vote(null), ordered: "term" } as never, safe)).toThrow(
      "ordered that is no list of fields",
    );
  });
});

test("a run that exists by order alone is not shown: whether numbers are next to each other is asked then", () => {
  /** One above the other; the lower one is raised once, and then they are equal: by order it could lie between. */
  const pair = toy({
    init(node, ctx) {
      if (node === 0) for (const word of ["raise", "look"]) ctx.send(NEXT, word);
      return { low: 0, high: 1, leads: false };
    },
    receive(state, word) {
      if (word === "raise") state.low++;
      else state.leads = state.low < state.high;
    },
  } as Toy);
  const nobody: Property = {
    name: "nobody-leads",
    about: "nobody leads",
    when: "always",
    violated: (view) => (view.verdict(1).status === "elected" ? "node 1 leads" : null),
  };
  const protocol: AnyProtocol = {
    ...pair,
    ordered: ["low", "high"],
    verdict: ({ leads }: Plain) => ({ status: leads ? "elected" : "undecided", leader: null, term: 0 }),
  };
  expect(explore(protocol, { n: 2, properties: [nobody] }).verdict).toBe("holds");
});
