/** Numbers that were found apart: by plain enumeration in another language, from the texts of the protocols and without any code of ours. */
import { expect, test } from "vitest";
import { type ProbabilityRequest, probabilities } from "./probabilities.ts";

const council = { L: 1, U: 2, c: 1.5 };

interface Numbers {
  readonly none: number;
  readonly one: number;
  readonly many: number;
  readonly messages?: number;
  readonly rounds?: number;
}

test.each<[string, ProbabilityRequest, Numbers]>([
  ["chang-roberts", { n: 3, loss: 0.1 }, { none: 0.271, one: 0.729, many: 0, messages: 7.13559 }],
  [
    "referees",
    { n: 3, crash: 0.2 },
    {
      none: 0.4978104380685989,
      one: 0.5021895619314011,
      many: 0,
      messages: 5.504062958813588,
      rounds: 1.7173861955015852,
    },
  ],
  [
    "random-walks",
    { n: 2, params: { walks: 2, tau: 1 }, loss: 0.25 },
    { none: 0.36886660982005653, one: 0.6011050768088269, many: 0.030028313371116562, messages: 1.5492565286369353 },
  ],
  [
    "random-walks",
    { n: 2, params: { walks: 3, tau: 2 } },
    { none: 0.09415865279831082, one: 0.9057240491004049, many: 0.00011729810128426383, messages: 3.0877180398140553 },
  ],
  [
    "council-naive",
    { n: 4, params: { ...council, limit: 6 } },
    {
      none: 0.0007924074794261617,
      one: 0.9992075925205738,
      many: 0,
      messages: 2.154081209981195,
      rounds: 1.4360541399874633,
    },
  ],
  [
    "council-naive",
    { n: 3, params: { ...council, limit: 3 }, loss: 0.1, multicastLoss: 0.2, crash: 0.25 },
    {
      none: 0.0904561644663931,
      one: 0.8946052518673613,
      many: 0.014938583666245632,
      messages: 1.358507808,
      rounds: 1.5929328,
    },
  ],
  [
    "council-basic",
    { n: 5, params: { ...council, limit: 4 } },
    {
      none: 0.04577532320365114,
      one: 0.9542246767963488,
      many: 0,
      messages: 3.2069049510345784,
      rounds: 1.6239944898667602,
    },
  ],
  ["council-masks", { n: 2, params: { bits: 3 } }, { none: 0, one: 1, many: 0, messages: 1.34375, rounds: 2.578125 }],
])("%s %j", (protocol, request, { messages, rounds, ...outcomes }) => {
  const found = probabilities(protocol, request);
  expect(found.exact).toBe(true);
  for (const [name, value] of Object.entries(outcomes) as ["none" | "one" | "many", number][]) {
    expect(found.outcomes[name].min.from).toBeCloseTo(value, 14);
    expect(found.outcomes[name].max.to).toBeCloseTo(value, 14);
  }
  if (messages !== undefined) expect(found.messages!.max.from).toBeCloseTo(messages, 12);
  if (rounds !== undefined) expect(found.rounds!.from).toBeCloseTo(rounds, 12);
});

test("itai-rodeh: the least and the most messages over all schedules of three phases", () => {
  const { messages, outcomes } = probabilities("itai-rodeh", { n: 3, params: { range: 2 }, limits: { phases: 3 } });
  expect(messages!.min.from).toBeCloseTo(15.2578125, 10);
  expect(messages!.max.from).toBeCloseTo(15.4375, 10);
  expect(outcomes.one.min.exact).toEqual({ over: 105n, under: 128n });
});
