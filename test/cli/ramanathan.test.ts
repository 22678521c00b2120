/** What a user can get wrong about tournament, tournament-async and quorum: one line that says what to change, status 2. */
import { describe, expect, test } from "vitest";
import { sortition } from "./run.ts";

async function refusal(protocol: string, ...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await sortition("simulate", protocol, "--n", "50", "--trials", "3", ...args);
  expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
  return stderr.trimEnd();
}

const params = (...pairs: string[]) => pairs.flatMap((pair) => ["--param", pair]);

describe("parameters that n processes cannot meet", () => {
  test.each([
    ["quorum", ["s=51"], "s = 51 mediators are more than the 50 processes: choose s of at most 50"],
    [
      "tournament",
      ["J=7"],
      "J = 7 is too large for n = 50, its last round is designed for no more than one contender: choose J of at most 6",
    ],
    [
      "tournament-async",
      ["sigma=alpha", "alpha=3000", "J=1"],
      "sigma = 55 mediators in round 1 are more than the 50 processes: choose J of at most 0",
    ],
    ["tournament-async", ["gamma=1"], "gamma = 1 leaves no mediator alive: choose a probability below 1"],
    [
      "tournament",
      ["delta=1e-40"],
      "no J meets delta = 1e-40, even all 50 contenders are too few: raise delta to at least e^-50",
    ],
    [
      "tournament",
      ["delta=0"],
      "no J meets delta = 0, even all 50 contenders are too few: raise delta to at least e^-50",
    ],
    ["quorum", ["tau=0"], "tau must be positive, not 0"],
  ])("%s %j", async (protocol, pairs, message) => {
    expect(await refusal(protocol, ...params(...pairs))).toBe(`sortition: ${protocol}: ${message}`);
  });
});

describe("values outside their range", () => {
  test.each([
    ["quorum", "s=0", 'parameter s must be a whole number of at least 1, not "0"'],
    ["tournament", "J=1.5", 'parameter J must be a whole number of at least 0, not "1.5"'],
    ["tournament", "delta=2", 'parameter delta must be a share from 0 to 1, not "2"'],
    ["tournament", "gamma=-0.1", 'parameter gamma must be a share from 0 to 1, not "-0.1"'],
    ["quorum", "reading=corrected", 'parameter reading must be repaired, printed or tables, not "corrected"'],
    [
      "quorum",
      "failures=all-yes",
      'quorum has no parameter "failures"; it has timing, estimate, gamma, s, ask, tau, reading, spread',
    ],
  ])("%s %s", async (protocol, pair, message) => {
    expect(await refusal(protocol, ...params(pair))).toBe(`sortition: ${message}`);
  });
});

describe("networks that the timed second phase cannot run on", () => {
  test("delays without a bound need a tau", async () => {
    expect(await refusal("tournament-async", "--delay", "exp:1")).toBe(
      "sortition: tournament-async: delays have no bound here, so say after what time an answer counts as missing: tau=10",
    );
  });

  test("channels that do not keep the order", async () => {
    expect(await refusal("quorum", "--fifo", "false", "--delay", "uniform:0..1")).toBe(
      "sortition: quorum needs channels that keep the order of messages: set --fifo to true",
    );
  });

  test("the synchronous quorum on the asynchronous host", async () => {
    expect(await refusal("quorum", "--host", "events", ...params("timing=sync"))).toBe(
      "sortition: quorum assumes synchronous rounds, which the events host cannot grant: set --host to lockstep",
    );
  });
});

test("a run without a leader says why: too few mediators answer", async () => {
  const { status, stdout } = await sortition(
    ...["simulate", "quorum", "--n", "20", "--trials", "5", "--json", ...params("gamma=0.9")],
  );
  const { outcomes, measures } = JSON.parse(stdout);
  expect({ status, outcomes }).toEqual({ status: 0, outcomes: { none: 5, one: 0, many: 0 } });
  // Some contenders were refused for the sake of others that went unanswered themselves.
  expect(measures.unanswered.min).toBeGreaterThan(0);
  expect(measures.unanswered.mean + measures.refused.mean).toBe(20);
});
