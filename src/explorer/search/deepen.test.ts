import { describe, expect, test } from "vitest";
import { toy } from "../../../test/explorer/toy.ts";
import type { Property } from "../../properties/properties.ts";
import type { AnyProtocol } from "../../protocol.ts";
import { protocolNamed } from "../../protocols/catalogue.ts";
import type { ExploreRequest } from "../explore.ts";
import { deepening, finishing } from "./deepen.ts";
import { finished } from "./search-terms.ts";

/** A clock that goes on by a millisecond whenever somebody looks: what stops, stops at the same place every time. */
const looking = (budget: number) => {
  let looks = 0;
  return { budget, now: () => looks++ };
};
const deepen = (protocol: AnyProtocol, request: ExploreRequest, budget = 1000) =>
  finished(deepening(protocol, request, looking(budget)));

const drawn: Property = {
  name: "never-5",
  about: "nobody draws 5",
  when: "always",
  violated: (view) => (view.report!(0) === 5 ? "somebody drew 5" : null),
};
const draws = (values: number): AnyProtocol => ({
  ...toy({ init: (_node, ctx) => ({ drawn: ctx.choose(values) }) }),
  report: (state) => state.drawn,
});

describe("values of draws", () => {
  test("are tried in growing numbers: what only the sixth value shows is found", () => {
    const { result, levels } = deepen(draws(1000), { n: 1, properties: [drawn] });
    expect(result.violation?.what).toBe("somebody drew 5");
    expect(levels.map(({ choices }) => choices)).toEqual([2, 4, 8]);
  });

  test("no more often than there are values, and as often as the user says", () => {
    expect(deepen(draws(3), { n: 1, properties: [] }).levels.map(({ choices }) => choices)).toEqual([2, 4]);
    expect(deepen(draws(9), { n: 1, choices: 3, properties: [] }).levels.map(({ choices }) => choices)).toEqual([3]);
    expect(deepen(protocolNamed("peterson"), { n: 3 }).levels).toHaveLength(1);
    expect(deepen(draws(20), { n: 1, properties: [] }).levels.map(({ choices }) => choices)).toEqual([2, 4, 8, 20]);
  });
});

describe("what does not end", () => {
  test("is cut at growing phases, and what is known is what came to its end", () => {
    const byValue: AnyProtocol = { ...protocolNamed("itai-rodeh"), ordered: [] };
    const { result, levels, stopped } = deepen(byValue, { n: 2, params: { range: 2 } }, 300);
    expect([stopped, result.complete, result.violation]).toEqual([true, true, null]);
    expect(levels[0].complete).toBe(false);
    const last = levels.findLast(({ complete }) => complete)!;
    expect(last.limits.phases).toBeGreaterThan(0);
    expect(finishing(levels)).toBe(`--choices 8 --limit phases=${last.limits.phases}`);
    expect(result.untried.map(({ what }) => what)).toContain(`phases beyond ${last.limits.phases}`);
  });

  test("or says that nothing is known", () => {
    const counter = toy({
      init: (_node, ctx) => {
        ctx.arm("t", 1);
        return { count: 0 };
      },
      expire: (state, timer, ctx) => {
        state.count++;
        ctx.arm(timer, 1);
      },
    });
    const { result, levels, stopped } = deepen(counter, { n: 1, properties: [] }, 50);
    expect([stopped, result.complete, finishing(levels)]).toEqual([true, false, null]);
  });
});
