/**
 * The term rule of a group of three under every schedule, with the code that ships: a member takes part in one election of a term, in
 * all its lives together, so nobody leads beside another one in the same term, and nobody in a lower one than before.
 */
import { describe, expect, test } from "vitest";
import { group } from "../../src/elector/group.ts";
import type { GroupState } from "../../src/elector/state.ts";
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { agreement, atMostOneLeader } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { effort, isLong } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import { forward, type TermRule, termRule, vote } from "./term-rule.ts";
import { LISTENS, TERM_FAULTS, type TermFault, type TermRuleModel, termRuleModel } from "./term-rule-model.ts";

const properties = [atMostOneLeader, agreement, forward];
const every = (rule: TermRule, request: Partial<ExploreRequest> = {}) =>
  explore(termRule(rule), { n: 3, properties, limits: { terms: 1 }, ...request });

describe("one leader of a term at the most", () => {
  test.each<Partial<ExploreRequest>>([
    { drops: 1 },
    { duplicates: 1, fifo: false },
    { partitions: 1 },
    { crashes: 1, restarts: 1, ...effort({ ids: [1, 2, 3] }, {}) },
    ...effort(
      [],
      [
        { halfway: 1, restarts: 1 },
        { limits: { terms: 2 }, ids: [1, 2, 3] },
      ],
    ),
  ])("%j", (request) => {
    const found = every({}, request);
    expect(found.violation).toBeNull();
    expect(found.complete).toBe(true);
    // Some have won in it, and everything beyond the term was left out: that is the rule's own.
    expect(found.cut).toBeGreaterThan(0);
  });

  test("with all three who stand", () => {
    expect(every({ standing: [1, 2, 3] })).toMatchObject({ complete: true, violation: null });
  });

  test("who takes others for dead elects among the rest: each side has a leader, unless it needs a majority", () => {
    expect(every({ doubts: true }).violation?.property).toBe("at-most-one-leader");
    const params = { policy: "majority", expected: 3 } as const;
    const request = effort({ maxStates: 4_000 }, {});
    expect(every({ doubts: true, params }, request).violation).toBeNull();
  });
});

describe("what breaks without it", () => {
  const machine = group({ protocols: [vote] }) as AnyProtocol;

  test("a member that forgets its term votes again in its next life", () => {
    const forgetful = { ...machine, saved: ({ name }: GroupState) => ({ name, terms: {} }) };
    const { violation } = every({ machine: forgetful }, { crashes: 1, restarts: 1, ids: [1, 2, 3] });
    expect(violation?.property).toBe("at-most-one-leader");
    expectRun(violation!);
  });

  test("one that takes part twice votes twice", () => {
    const eager: AnyProtocol = {
      ...machine,
      receive(state: GroupState, port, message, ctx) {
        const office = state.offices.get("leader")!;
        if (office.election === null && office.claim === null) office.joinedTerm = office.term - 1;
        machine.receive(state, port, message, ctx);
      },
    };
    expect(every({ machine: eager }).violation?.property).toBe("at-most-one-leader");
  });
});

describe("the rule alone, with terms by order", () => {
  const CAPACITY = { capacity: 1, properties: ["at-most-one-leader"] };
  const faults = Object.keys(TERM_FAULTS) as TermFault[];
  const anyTerm = (rule: TermRuleModel, request: Partial<ExploreRequest> = {}) =>
    explore(termRuleModel(rule), { n: 3, ...CAPACITY, ...request });

  test.each<[TermRuleModel, Partial<ExploreRequest>]>([
    [{ tells: false }, {}],
    ...effort<[TermRuleModel, Partial<ExploreRequest>][]>(
      [],
      [
        [{}, {}],
        [{ tells: false }, { crashes: 1, restarts: 1 }],
        [{ tells: false }, { drops: 1 }],
      ],
    ),
  ])("%j %j: one leader of a term at most among three, whatever their terms", (rule, request) => {
    const found = anyTerm(rule, request);
    expect(found).toMatchObject({ complete: true, verdict: "holds", cut: 0 });
    expect(found.tried.map(({ what }) => what)).toContain("term of any size, by order");
  });

  test.each(faults)("%s: found in terms of any size, and in the first terms", (fault) => {
    const rule = { fault, tells: false };
    const request = TERM_FAULTS[fault];
    if (LISTENS.includes(fault)) expect(() => anyTerm(rule, request)).toThrow("declares ignoresOlder");
    else {
      const { violation } = anyTerm(rule, request);
      expect(violation?.property).toBe("at-most-one-leader");
      expectRun(violation!);
    }
    if (!isLong) return;
    expect(anyTerm(rule, { ...request, limits: { terms: 2 } }).violation?.property).toBe("at-most-one-leader");
  });

  test("the first terms say the same of the rule itself", () => {
    const bounded = anyTerm({ tells: false }, { limits: { terms: effort(1, 2) } });
    expect(bounded).toMatchObject({ complete: true, violation: null });
    expect(bounded.cut).toBeGreaterThan(0);
  });

  test.each([null, ...faults.filter((fault) => !LISTENS.includes(fault))])(
    "%s: where members stand only so often, all terms say the same as their order",
    (fault) => {
      const rule = { fault, tries: effort(1, 2) };
      const request = { n: 2, ...(fault === null ? {} : TERM_FAULTS[fault]) };
      const byOrder = anyTerm(rule, request);
      const byValue = explore(
        { ...termRuleModel(rule), ordered: [], ignoresOlder: false },
        { ...CAPACITY, ...request },
      );
      expect([byOrder.verdict, byOrder.complete]).toEqual([byValue.verdict, byValue.complete]);
    },
  );
});
