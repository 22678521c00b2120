import { expect, test } from "vitest";
import { sortition } from "./run.ts";

test("measures a miss of 1e-9 to a few percent, with the exact value beside it", async () => {
  const { status, stdout, stderr } = await sortition("rare", "quorum-miss", "--n", "5000", "--s", "310", "--json");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  const found = JSON.parse(stdout);
  expect(found).toMatchObject({ event: "quorum-miss", n: 5000, size: 310, contenders: 2, samples: 10_000 });
  expect(found.exact).toBeCloseTo(1.246e-9, 12);
  // Five standard errors: a false alarm has probability 6e-7.
  expect(Math.abs(found.probability / found.exact - 1)).toBeLessThan(5 * found.relativeError);
  expect(found.relativeError).toBeLessThan(0.02);
});

test("for people, with the papers' sizes by default", async () => {
  const quorums = await sortition("rare", "quorum-miss", "--n", "1000", "--contenders", "5");
  expect(quorums.stdout).toContain("quorum-miss: some two of 5 quorums of 84 among 1,000 processes");
  expect(quorums.stdout).toMatch(/exact {5}not known; at least [\d.e-]+, at most/);
  const referees = await sortition("rare", "referee-miss", "--n", "1000", "--method", "splitting", "--samples", "500");
  expect(referees.stdout).toContain("two sets of 168 referees among 1,000 processes");
  expect(referees.stdout).toContain("method    splitting: 500 samples");
  const large = await sortition("rare", "quorum-miss", "--n", "10", "--s", "6");
  expect(large.stdout).toContain("the sets are so large that they always meet");
  const three = await sortition("rare", "quorum-miss", "--n", "10", "--s", "6", "--contenders", "3");
  expect(three.stdout).toContain("the sets are so large that they always meet");
  const below = await sortition(..."rare referee-miss --n 1e5 --referees 1e4 --samples 50".split(" "));
  expect(below.stdout).toContain("exact     2.854e-484");
  const tiny = await sortition("rare", "quorum-miss", "--n", "1e6", "--s", "3e4", "--samples", "50");
  expect(tiny.stdout).toMatch(/measured {2}\d\.\d{3}e-40\d/);
});

test.each([
  [["quorum"], 'the event must be quorum-miss or referee-miss, not "quorum"; did you mean "quorum-miss"?'],
  [["quorum-miss", "--s", "0"], "--s must be a whole number of at least 1, not 0"],
  [["quorum-miss", "--referees", "5"], "--referees is for referee-miss: use --s"],
  [["referee-miss", "--s", "5"], "--s is for quorum-miss: use --referees"],
  [["quorum-miss", "--s", "200"], "the size of a set must be a whole number from 1 to 100, not 200"],
  [["quorum-miss", "--tilt", "0.5", "--method", "splitting"], "splitting has no tilt: leave it out"],
  [["quorum-miss", "--contenders", "3", "--method", "splitting"], "splitting measures two contenders: use tilted"],
])("refuses %j in one line", async (args, message) => {
  const { status, stdout, stderr } = await sortition("rare", ...args, "--n", "100");
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: `sortition: ${message}\n` });
});
