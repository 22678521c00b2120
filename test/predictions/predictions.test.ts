/**
 * Predictions against simulation over drawn settings: 200 for each protocol in the long tests, which keep the table of measured
 * errors true (src/registry/measured.ts), a few of them in every run. Settings and seeds are fixed.
 */
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { entryOf } from "../../src/registry/all.ts";
import { DRAWN_SETTINGS, MEASURED } from "../../src/registry/measured.ts";
import { effort } from "../support/effort.ts";
import { DRAWN, drawnSetting } from "./drawn.ts";
import { type Compared, compare, summaryOf } from "./errors.ts";

const SETTINGS = effort(2, DRAWN_SETTINGS);
const WORK = effort(8_000, 100_000);

/** What the simulation itself may be off, in a run of 200 settings: the widest interval is 5%, and errors reach three halves of it. */
const NOISE = 0.075;

/** "exact" is a promise: beyond so many standard errors it is broken. A false alarm has a chance of 6e-7 each. */
const SIGMAS = 5;

const comparisons = new Map<string, readonly Compared[]>();
function comparedOf(protocol: string): readonly Compared[] {
  const known = comparisons.get(protocol);
  if (known !== undefined) return known;
  const fresh = Array.from({ length: SETTINGS }, (_, i) => compare(drawnSetting(protocol, i), WORK));
  comparisons.set(protocol, fresh);
  return fresh;
}

/** Protocols whose predictions are not drawn yet; their own tests hold them against simulation. */
const UNDRAWN = ["flood-max", "tree-election", "network-size"];

test("every protocol with a prediction is drawn, and has its measured error", () => {
  const predicted = catalogue.filter((protocol) => entryOf(protocol)?.predict !== undefined).map(({ name }) => name);
  expect([...Object.keys(DRAWN), ...UNDRAWN]).toEqual(expect.arrayContaining(predicted));
  expect(Object.keys(MEASURED).sort()).toEqual(Object.keys(DRAWN).sort());
});

/** A poll of everybody is rare and costs n: its standard error says nothing where none, or few, were seen. */
const hangsOnPolls = ({ protocol, params }: Compared["request"], quantity: string): boolean =>
  quantity === "messages" && (protocol === "council-basic" || params?.base === "basic");

describe.each(Object.keys(DRAWN))("%s", (protocol) => {
  test("errors are those of the table", { timeout: 3_600_000 }, () => {
    const errors = comparedOf(protocol).flatMap(({ judged }) => judged.map(({ error }) => error));
    const { median, worst } = summaryOf(errors);
    const said = MEASURED[protocol];
    expect(worst).toBeLessThanOrEqual(said.worst + (SETTINGS < DRAWN_SETTINGS ? NOISE : 0));
    if (SETTINGS < DRAWN_SETTINGS) return;
    expect(median).toBeLessThanOrEqual(said.median);
    // Not more than they are, either.
    expect(said.worst).toBeLessThanOrEqual(1.1 * worst + 0.005);
    expect(said.median).toBeLessThanOrEqual(1.1 * median + 0.005);
  });

  test("what is called exact is, and what is called a bound bounds", () => {
    for (const { request, method, judged, trials } of comparedOf(protocol)) {
      for (const { quantity, predicted, simulated, standardError } of judged) {
        if (hangsOnPolls(request, quantity)) continue;
        // What never varied may still do so once in so many trials.
        const unseen = standardError === 0 ? 10 / trials : 1e-6;
        const slack = SIGMAS * standardError + unseen * predicted;
        const about = `${JSON.stringify(request)} ${quantity}`;
        if (method === "exact") expect(Math.abs(predicted - simulated), about).toBeLessThanOrEqual(slack);
        if (method === "bound") expect(simulated, about).toBeLessThanOrEqual(predicted + slack);
      }
    }
  });
});
