/** The catalogue and the planner say the same of what a protocol tolerates. */
import { expect, test } from "vitest";
import { catalogue } from "../protocols/catalogue.ts";
import { findProtocol } from "../protocols/registry.ts";
import { toleranceOf, toleranceText } from "../registry/all.ts";
import { plan } from "./plan.ts";

test.each(["loss", "crash"] as const)("%s: a candidate tolerates it, and what does not is told so", async (fault) => {
  for (const council of [null, "1..4"]) {
    const { candidates, rejected } = await plan({ n: 9, success: 0.5, council, [fault]: 0.01, denseIds: true });
    for (const { protocol } of candidates) expect(toleranceOf(findProtocol(protocol).protocol, fault)).not.toBeNull();
    const told = rejected.filter(({ reason }) => reason.startsWith("it does not tolerate"));
    for (const { protocol } of told) expect(toleranceOf(findProtocol(protocol).protocol, fault)).toBeNull();
    // Whatever does not tolerate it is told so, but for what is no election of this kind at all.
    const strange = /elects|costs no message|plans a single|only promise|crosses every link|do not know n/;
    const rest = rejected.filter((rejection) => !told.includes(rejection) && !strange.test(rejection.reason));
    for (const { protocol } of rest) expect(toleranceOf(findProtocol(protocol).protocol, fault)).not.toBeNull();
  }
});

test("in words: what is always borne, and what with which parameters", () => {
  const texts = Object.fromEntries(catalogue.map((protocol) => [protocol.name, toleranceText(protocol)]));
  expect(texts).toMatchObject({
    "chang-roberts": "pause",
    quorum: "crash; with ask above s: loss",
    referees: "with answers=all and a threshold below 1: loss, crash",
    "referees-async": "loss, crash, pause",
    "random-walks": "no faults",
  });
});
