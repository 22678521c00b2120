/**
 * Predictions against simulation over drawn settings, of which the table of measured errors (src/registry/measured.ts) has 200 for each
 * protocol: a few of them in every run, more in the long tests. Settings and seeds are fixed.
 *
 * `MEASURED=write npx vitest run test/predictions -t peterson` measures a protocol and writes its line of the table, if the
 * line is missing or not true any more.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { catalogue } from "../../src/protocols/catalogue.ts";
import { entryOf } from "../../src/registry/all.ts";
import { DRAWN_SETTINGS, MEASURED, type MeasuredError } from "../../src/registry/measured.ts";
import { effort } from "../support/effort.ts";
import { DRAWN, drawnSetting } from "./drawn.ts";
import { type Compared, compare, summaryOf } from "./errors.ts";

const isWriting = process.env.MEASURED === "write";
const SETTINGS = isWriting ? DRAWN_SETTINGS : effort(2, 20);
const WORK = isWriting ? 100_000 : effort(8_000, 50_000);

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

test("every protocol with a prediction is drawn, and has its measured error", () => {
  const predicted = catalogue.filter((protocol) => entryOf(protocol)?.predict !== undefined).map(({ name }) => name);
  const undrawn = predicted.filter((name) => !(name in DRAWN));
  expect(undrawn, "say in test/predictions/drawn.ts how settings of these are drawn").toEqual([]);
  const unmeasured = Object.keys(DRAWN).filter((name) => !(name in MEASURED));
  expect(unmeasured, `run ${unmeasured.map(commandFor).join(" and ")}`).toEqual([]);
  expect(Object.keys(MEASURED).filter((name) => !(name in DRAWN))).toEqual([]);
});

const commandFor = (protocol: string) => `MEASURED=write npx vitest run test/predictions -t ${protocol}`;

const TABLE = new URL("../../src/registry/measured.ts", import.meta.url);

/** Two digits, upwards: the table says no less than was measured. */
function roundedUp(share: number): number {
  if (share === 0) return 0;
  const unit = 10 ** (Math.floor(Math.log10(share)) - 1);
  return Number((Math.ceil(share / unit) * unit).toPrecision(2));
}

/** The protocol's line of the table, or a new one at its end. */
function writeMeasured(protocol: string, { median, worst }: MeasuredError): void {
  const key = /\W/.test(protocol) ? `"${protocol}"` : protocol;
  const line = `  ${key}: { median: ${roundedUp(median)}, worst: ${roundedUp(worst)} },\n`;
  const table = readFileSync(TABLE, "utf8");
  const known = new RegExp(`^ {2}${key}: .*\n`, "m");
  writeFileSync(TABLE, known.test(table) ? table.replace(known, line) : table.replace("\n};\n", `\n${line}};\n`));
}

/** Errors are at most those of the table, and the table does not say much more than they are. */
const isTrue = (said: MeasuredError, { median, worst }: MeasuredError): boolean =>
  median <= said.median &&
  worst <= said.worst &&
  said.median <= 1.1 * median + 0.005 &&
  said.worst <= 1.1 * worst + 0.005;

/** A poll of everybody is rare and costs n: its standard error says nothing where none, or few, were seen. */
const hangsOnPolls = ({ protocol, params }: Compared["request"], quantity: string): boolean =>
  quantity === "messages" && (protocol === "council-basic" || params?.base === "basic");

describe.each(Object.keys(DRAWN))("%s", (protocol) => {
  test("errors are those of the table", { timeout: isWriting ? 3_600_000 : effort(60_000, 3_600_000) }, () => {
    // A bound may be far away: it is held to its side, below.
    const judged = comparedOf(protocol).flatMap(({ method, judged: all }) => (method === "bound" ? [] : all));
    // Where success is nearly certain, its error is nearly none: it would make any median small.
    const { median } = summaryOf(judged.filter(({ quantity }) => quantity !== "success").map(({ error }) => error));
    const { worst } = summaryOf(judged.map(({ error }) => error));
    const measured = { median, worst };
    const said = MEASURED[protocol];
    if (isWriting) {
      if (said === undefined || !isTrue(said, measured)) writeMeasured(protocol, measured);
      return;
    }
    expect(said, `run ${commandFor(protocol)}`).toBeDefined();
    if (SETTINGS < DRAWN_SETTINGS) expect(measured.worst).toBeLessThanOrEqual(said.worst + NOISE);
    else expect({ said, measured, isTrue: isTrue(said, measured) }).toMatchObject({ isTrue: true });
  });

  test("what is called exact is, and what is called a bound bounds", () => {
    for (const { request, method, judged, trials } of comparedOf(protocol)) {
      for (const { quantity, predicted, simulated, standardError } of judged) {
        if (hangsOnPolls(request, quantity)) continue;
        // What never varied may still do so once in this many trials.
        const unseen = standardError === 0 ? 10 / trials : 1e-6;
        const slack = SIGMAS * standardError + unseen * predicted;
        const about = `${JSON.stringify(request)} ${quantity}`;
        if (method === "exact") expect(Math.abs(predicted - simulated), about).toBeLessThanOrEqual(slack);
        if (method === "bound") expect(simulated, about).toBeLessThanOrEqual(predicted + slack);
      }
    }
  });
});
