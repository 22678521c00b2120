/** The numbers that docs/guarantees.md states are those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statedTimes } from "../../src/elector/times.ts";
import { runTimes } from "../../src/live/run/times.ts";
import { DEFAULT_TTL, LEAST_TTL, leaseTimes, worth } from "../../src/protocols/lease/params.ts";
import { root } from "../cli/run.ts";

const page = readFileSync(join(root, "docs/guarantees.md"), "utf8");
const shown = (ms: number) => Math.round(ms).toLocaleString("en-US");

test("the arithmetic of a lease", () => {
  const rows = [...page.matchAll(/^\| ([\d,]+) +\|(.*)\|$/gm)].map(([, ttl, rest]) => [
    ttl,
    ...rest.split("|").map((cell) => cell.trim()),
  ]);
  expect(rows.map(([ttl]) => ttl)).toEqual([LEAST_TTL, 2000, DEFAULT_TTL, 15000].map(shown));
  for (const [ttl, ...cells] of rows) {
    const times = leaseTimes(Number(ttl.replace(",", "")));
    const { renewEvery, requestTimeout, margin, settleWithin } = times;
    expect(cells).toEqual([renewEvery, requestTimeout, margin, worth(times), settleWithin].map(shown));
  }
});

test.each([DEFAULT_TTL, 15_000])("when a command of sortition run is ended, with a lease of %i ms", (ttl) => {
  const { usable, margin, grace } = runTimes(ttl);
  const [term, kill] = [usable - margin - grace, usable - margin].map(shown);
  expect(page).toMatch(new RegExp(`${shown(ttl)} gives SIGTERM at ${term} and SIGKILL at ${kill}`));
});

test("stated times of every profile", () => {
  const profiles = ["local", "lan", "wan"] as const;
  const seconds = (times: number[]) => `${times[0] / 1000}, ${times[1] / 1000} and ${times[2] / 1000} s`;
  expect(page).toContain(
    `15 membership ticks: ${profiles.map((name) => shown(statedTimes(name, 5).conflict)).join(", ")} `,
  );
  expect(page).toContain(`125 membership ticks: ${seconds(profiles.map((name) => statedTimes(name, 5).settle))}`);
  const strict = seconds(profiles.map((name) => statedTimes(name, 5, DEFAULT_TTL).settle));
  expect(page).toContain(`125 membership ticks and 3 TTL: ${strict}`);
  expect(page).toContain(`after ${Math.round(statedTimes("lan", 5).minority / 1000)} s (\`lan\`, n = 5`);
});
