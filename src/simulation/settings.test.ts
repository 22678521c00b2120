import { describe, expect, test } from "vitest";
import { simulate } from "../campaign/campaign.ts";
import { catalogue } from "../protocols/catalogue.ts";
import { defineProtocol } from "../protocols/check.ts";
import { questionOf } from "./question.ts";
import { type Request, requestOf, resolve } from "./settings.ts";

const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value));

describe("a request made from settings leads to the same settings, also through a file", () => {
  test.each(catalogue.map(({ name }) => [name]))("%s", (protocol) => {
    const settings = resolve({ protocol, n: 16, seed: 5, faults: { loss: 0.25, crashes: [{ node: 3, at: 2 }] } });
    expect(resolve(asJson(requestOf(settings)))).toEqual(settings);
  });

  test.each<[string, Request]>([
    ["a network, and walks on it", { protocol: "quorum", n: 16, topology: "hypercube", walk: 9 }],
    ["a network that brings parameters", { protocol: "random-walks", n: 16, topology: "regular:4" }],
    ["no kernel", { protocol: "council-skip-reset", n: 50, kernel: "off" }],
    ["ids and initiators", { protocol: "peterson", n: 4, ids: [7, 3, 9, 1], initiators: 2, fifo: true }],
    ["delays", { protocol: "chang-roberts", n: 6, delay: { kind: "uniform", min: 0.5, max: 2 }, fifo: false }],
  ])("%s", (_what, request) => {
    const settings = resolve(request);
    expect(resolve(asJson(requestOf(settings)))).toEqual(settings);
  });
});

test("settings may be given as text, and rates inside a plan of faults or beside it", () => {
  const numbers = resolve({ protocol: "referees", n: 50, initiators: 5, faults: { loss: 0.02, crash: 0.1 } });
  const words = { n: "50" as never, initiators: "10%", loss: "2%", faults: { loss: 0.5, crash: "10%" } } as const;
  expect(resolve({ protocol: "referees", ...words })).toEqual(numbers);
  const params = { threshold: "50%", answers: "all" };
  expect(resolve({ protocol: "referees", params }).params.threshold).toBe(0.5);
});

test.each<[Omit<Request, "protocol">, string]>([
  [{ loss: 2 }, "loss must be a probability from 0 to 1, not 2"],
  [{ faults: { multicastLoss: -1 } }, "multicastLoss must be a probability from 0 to 1, not -1"],
  [{ n: 2.5 }, "n must be a whole number of at least 1, not 2.5"],
  [{ lost: 0.1 } as never, "unknown setting"],
  [
    { delay: { kind: "exponential", mean: 1 }, fifo: false },
    "peterson needs channels that keep the order of messages: set fifo to true",
  ],
])("%j is refused by the names of fields", (wrong, message) => {
  expect(() => resolve({ protocol: "peterson", ...wrong })).toThrow(message);
});

test("a run can be repeated from its report", async () => {
  const losses = [{ rate: 0.5, kind: "both", link: null, from: 3, to: null }] as const;
  const report = await simulate({
    protocol: "chang-roberts",
    n: 12,
    seed: 8,
    initiators: 5,
    trials: 40,
    ids: "increasing",
    delay: { kind: "exponential", mean: 2 },
    params: { passive: "join" },
    faults: { losses },
  });
  const { setting, trials } = asJson(report);
  const again = await simulate({ ...setting, trials });
  expect(again).toEqual({ ...report, seconds: again.seconds, messagesPerSecond: again.messagesPerSecond });
});

test("chances that theory does not know leave no trace where nobody gives them", () => {
  const plan = (request: Omit<Request, "protocol">) =>
    asJson(resolve({ protocol: "chang-roberts", n: 5, ...request }).faults);
  expect(Object.keys(plan({}))).toEqual([
    "loss",
    "multicastLoss",
    "crash",
    "losses",
    "crashes",
    "pauses",
    "partitions",
  ]);
  expect(plan({ duplicate: "2%", faults: { duplicate: 0.5, drift: "10%" } })).toMatchObject({
    duplicate: 0.02,
    drift: 0.1,
  });
});

test("theory refuses what it does not know", () => {
  expect(() => questionOf({ protocol: "peterson", n: 5, until: 3 })).toThrow(
    "theory does not know until: leave it out",
  );
  expect(() => questionOf({ protocol: "peterson", n: 5, duplicate: "1%" })).toThrow("theory does not know duplicate");
});

test("roles: as many as processes, and those that the protocol has; without them all play the first", async () => {
  const played = (roles?: readonly string[]) =>
    simulate({
      protocol: defineProtocol<object, { role: string }, never>({
        name: "cast",
        roles: ["client", "engine"],
        assumes: { topology: "complete", start: "common" },
        init: (_params, { role }) => ({ role }),
        receive: () => {},
        verdict: ({ role }) => ({ status: role === "engine" ? "elected" : "undecided", leader: null, term: 0 }),
      }),
      n: 3,
      trials: 1,
      ...(roles && { roles }),
    });
  expect((await played(["client", "engine", "client"])).measures.undecided.mean).toBe(2);
  expect((await played()).measures.undecided.mean).toBe(3);
  await expect(played(["client"])).rejects.toThrow("1 roles were given for 3 nodes: give one for each");
  await expect(played(["client", "king", "client"])).rejects.toThrow('cast has no role "king"; it has client, engine');
});

test.each<[object, string]>([
  [{ crahses: [] }, 'faults: crahses is not a known field; did you mean "crashes"?'],
  [{ crashes: [{ at: 3 }] }, "faults: crashes[0].node is missing"],
  [{ restarts: [{ node: 1, at: Number.NaN, saved: true }] }, "faults: restarts[0].at must be a time"],
  [{ pauses: [{ node: 1, from: 5, to: 1 }] }, 'faults: pauses[0] must have "from" earlier than "to"'],
])("a plan of faults is checked as a file is: %o", (faults, message) => {
  expect(() => resolve({ protocol: "chang-roberts", n: 4, faults })).toThrow(message);
});

test("what a plan given by a program leaves out has the defaults of a file", () => {
  const faults = { loss: "2%", losses: [{ rate: 0.5, from: 3 }], crashes: [{ node: 1 }] } as object;
  const resolved = resolve({ protocol: "chang-roberts", n: 4, faults }).faults;
  expect(resolved.loss).toBe(0.02);
  expect(resolved.losses).toEqual([{ rate: 0.5, kind: "both", link: null, from: 3, to: null }]);
  expect(resolved.crashes).toEqual([{ node: 1, at: 0 }]);
});
