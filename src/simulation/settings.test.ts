import { describe, expect, test } from "vitest";
import { simulate } from "../campaign/simulate.ts";
import { catalogue } from "../protocols/catalogue.ts";
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

test("a run can be repeated from its report", async () => {
  const losses = [{ rate: 0.5, kind: "both", link: null, from: 3, to: null }] as const;
  const report = await simulate({
    ...{ protocol: "chang-roberts", n: 12, seed: 8, initiators: 5, trials: 40, ids: "increasing" },
    ...{ delay: { kind: "exponential", mean: 2 }, params: { passive: "join" }, faults: { losses } },
  });
  const { setting, trials } = asJson(report);
  const again = await simulate({ ...setting, trials });
  expect(again).toEqual({ ...report, seconds: again.seconds, messagesPerSecond: again.messagesPerSecond });
});
