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
import { effort } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import { forward, type TermRule, termRule, vote } from "./term-rule.ts";

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
