/** The right question finds the mistake; the wrong question is told what was not tried. */
import { expect, test } from "vitest";
import type { ExploreRequest } from "../../src/explorer/explore.ts";
import { probabilities } from "../../src/explorer/probability/probabilities.ts";
import { type Deepened, deepening } from "../../src/explorer/search/deepen.ts";
import { finished } from "../../src/explorer/search/search-terms.ts";
import { enumerated } from "../../src/explorer/search/walks.ts";
import type { Property } from "../../src/properties/properties.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { itaiRodeh } from "../../src/protocols/ring/itai-rodeh.ts";
import { effort } from "../support/effort.ts";
import { expectRun } from "../support/found-runs.ts";
import * as mutants from "./mutants.ts";

/** As the command does, with a clock that goes on whenever somebody looks. */
function asked(protocol: AnyProtocol, request: ExploreRequest, budget = 20_000): Deepened {
  let looks = 0;
  return finished(deepening(protocol, request, { budget, now: () => looks++ }));
}

const words = ({ result }: Deepened) => result.untried.map(({ what }) => what).join("; ");

const safe = { properties: ["at-most-one-leader"] };
const kept: Property = {
  name: "kept",
  about: "the office is with one of those who live",
  when: "end",
  violated: (view) => {
    const holders = [0, 2].filter((node) => view.alive(node));
    return holders.length < 2 || holders.some((node) => view.verdict(node).status === "elected")
      ? null
      : "nobody leads";
  },
};
const forward: Property = {
  name: "forward",
  about: "no token goes back",
  when: "always",
  violated: (view) => ((view.report!(0) as { back: boolean }).back ? "it does" : null),
};
const ids = [1, 2, 3];
const falling = (n: number) => Array.from({ length: n }, (_, i) => n - i);
const few = { params: { range: 6 }, choices: 4, limits: { phases: 2 } };

/** What finds it, and what nearly does: what that one says was not tried. */
type Row = readonly [AnyProtocol, ExploreRequest, string, ExploreRequest | null, string];
const named = (all: readonly Row[]) => all.map((row) => [row[0].name, ...row] as const);
const rows: readonly Row[] = [
  [mutants.eighth, { n: 8, ids: falling(8) }, "some-leader", { n: 7, ids: falling(7) }, "other numbers of nodes"],
  ...effort<readonly Row[]>(
    [],
    [[mutants.nearest, { n: 10 }, "at-most-one-leader", { n: 5, ids: falling(5) }, "other numbers of nodes"]],
  ),
  [mutants.sixth, { n: 3, params: { range: 6 } }, "at-most-one-leader", { n: 2, ...few }, "more than 4 of the up to 6"],
  [mutants.fewStart, { n: 4, initiators: "any" }, "some-leader", { n: 4 }, "fewer nodes that start"],
  [
    mutants.late,
    { n: 3, timed: 1, late: 1, ...safe },
    "at-most-one-leader",
    { n: 2, timed: 1, ...safe },
    "late starts",
  ],
  [
    mutants.tie,
    { n: 2, timed: 1, ties: true },
    "at-most-one-leader",
    { n: 2, timed: 1 },
    "ties of timers and messages",
  ],
  [
    mutants.between,
    { n: 3, ids, halfway: 1, properties: [kept] },
    "kept",
    { n: 3, ids, crashes: 1, properties: [kept] },
    "a crash between two sends",
  ],
  [mutants.twice, { n: 3, ids, duplicates: 1, ...safe }, "at-most-one-leader", { n: 3, ids, ...safe }, "duplicates"],
  [
    mutants.forgetful,
    { n: 3, ids, crashes: 1, restarts: 1, ...safe },
    "at-most-one-leader",
    { n: 3, ids, crashes: 1, ...safe },
    "restarts",
  ],
  [
    mutants.overtaken,
    { n: 2, ids: [2, 1], fifo: false },
    "some-leader",
    { n: 2, ids: [2, 1] },
    "links that do not keep the order",
  ],
  [mutants.token, { n: 3, ids, properties: [forward] }, "forward", null, ""],
  [mutants.last, { n: 2, choices: 1000, ...safe }, "at-most-one-leader", { n: 2, ...safe }, "of the up to 1000 values"],
  [mutants.hopeless, { n: 2 }, "termination", null, ""],
  [mutants.hasty, { n: 6, walks: 40 }, "at-most-one-leader", { n: 3 }, "other numbers of nodes"],
  [mutants.tight, { n: 4, ties: true }, "agreement", { n: 4 }, "ties of timers and messages"],
  [
    mutants.wavering,
    { n: 3, timed: 1, late: 1, latestStart: 4, choices: 3, ...safe },
    "at-most-one-leader",
    { n: 3, timed: 1, choices: 3, ...safe },
    "late starts",
  ],
  [
    mutants.nearlyHome,
    { n: 8, walks: 10 },
    "some-leader",
    { n: 3, choices: 2, limits: { phases: 2 } },
    "other numbers of nodes",
  ],
];

test.each(named(rows))("%s is found by who asks for it", (_name, protocol, request, property) => {
  const { violation } = asked(protocol, request).result;
  expect(violation?.property).toBe(property);
  expectRun(enumerated(violation!));
});

test.each(named(rows.filter(([, , , near]) => near !== null)))(
  "%s is not denied by who does not",
  (_name, protocol, _request, _property, near, untried) => {
    const found = asked(protocol, near!);
    expect(found.result.violation).toBeNull();
    expect(words(found)).toContain(untried);
  },
);

test("a coin that is tossed again and again falls the other way with probability 1, and that is no fault", () => {
  const { result } = asked(mutants.patient, { n: 2, properties: ["termination", "some-leader"] });
  expect(result).toMatchObject({ complete: true, violation: null });
});

test("what no promise sees is another probability", () => {
  const request = { n: 2, params: { range: 3 }, limits: { phases: 1 } };
  const [right, wrong] = [itaiRodeh, mutants.narrow].map((protocol) => probabilities(protocol, request));
  expect(asked(mutants.narrow, { ...request, limits: { phases: 3 } }).result.violation).toBeNull();
  expect(right.outcomes.one.min.exact).toEqual({ over: 2n, under: 3n });
  expect(wrong.outcomes.one.min.exact).toEqual({ over: 1n, under: 2n });
  // Two of four, one, one: they tie in 6 of 16 draws.
  expect(probabilities(mutants.biased, request).outcomes.one.min.exact).toEqual({ over: 5n, under: 8n });
});
