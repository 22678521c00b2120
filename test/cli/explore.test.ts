/** `explore` and `trace` as a user runs them: exit statuses, JSON, and a counterexample that replays. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { ended, root, sortition, start } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-explore-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("what holds in every schedule: status 0, one JSON object", async () => {
  const { status, stdout } = await sortition("explore", "peterson", "--n", "4", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    complete: true,
    states: 408,
    messages: { min: 16, max: 24 },
    violation: null,
  });
});

test("what one crash breaks: status 3, and a trace that comes out the same, in words, SVG and JSON", async () => {
  const file = join(folder, "crash.jsonl");
  const found = await sortition("explore", "chang-roberts", "--n", "3", "--crashes", "1", "--trace", file);
  expect(found.status).toBe(3);
  expect(found.stdout).toContain("✗ some-leader does not hold: nobody leads in the end");
  const words = await sortition("trace", file, "--svg", join(folder, "crash.svg"));
  expect(words.status).toBe(0);
  expect(words.stdout).toMatch(/✓ run again: all \d+ events are the same/);
  const { same, events } = JSON.parse((await sortition("trace", file, "--json", "--node", "2")).stdout);
  expect(same).toBe(true);
  expect(new Set(events.map(({ node }: { node: number }) => node))).toEqual(new Set([2]));
});

test("the table of machines on anonymous rings refuses what it would ignore", async () => {
  const { status, stderr } = await sortition("explore", "anonymous-ring", "--n", "3", "--crashes", "1");
  expect([status, stderr]).toEqual([2, expect.stringContaining("leave --crashes out")]);
});

test("a timer that comes before its time is explained where there is no time", async () => {
  const own = ["--protocol-file", "test/support/odd-protocols.ts#patient", "--n", "2"];
  const untimed = await sortition("explore", ...own);
  expect(untimed.status).toBe(3);
  expect(untimed.stdout).toContain("here a timer may expire before any message");
  expect((await sortition("explore", ...own, "--timed", "1")).stdout).not.toContain("here a timer");
});

test("a search that does not fit into memory: status 2, and nothing is claimed", async () => {
  const { status, stdout } = await sortition("explore", "itai-rodeh", "--n", "4", "--memory", "1");
  expect(status).toBe(2);
  expect(stdout).toContain("--memory");
  expect(stdout).not.toContain("✓ holds");
});

test.each([
  ["in the middle of the search", ["itai-rodeh", "--n", "5"]],
  ["while the nodes draw to begin", ["quorum", "--n", "4"]],
])("Ctrl-C %s ends with what was found so far, as status 130", async (_when, args) => {
  // Once it has tried whether the file can be written, it listens to signals; it would not end by itself within the hour.
  const watcher = watch(folder);
  const listening = once(watcher, "change");
  const trace = join(folder, "never.jsonl");
  const child = start(["explore", ...args, "--memory", "100000", "--trace", trace, "--json"]);
  const end = ended(child);
  await Promise.race([listening, end]);
  watcher.close();
  await setTimeout(500);
  child.kill("SIGINT");
  const { status, stdout, stderr } = await end;
  expect({ status, stderr }).toEqual({ status: 130, stderr: "" });
  expect(JSON.parse(stdout)).toMatchObject({ complete: false, violation: null });
});

test("promises of one's own, from a file: checked beside the others, and in the trace of a run that breaks one", async () => {
  const own = ["--property-file", "test/support/own-promises.ts"];
  const trace = join(folder, "own.jsonl");
  const asked = ["explore", "chang-roberts", "--n", "3", "--timed", "1", ...own];
  const found = await sortition(...asked, "--trace", trace);
  expect([found.status, found.stdout]).toEqual([
    3,
    expect.stringContaining("✗ node-0-never-leads does not hold: node 0 leads"),
  ]);
  expect((await sortition("trace", trace, ...own)).stdout).toContain("✓ and it breaks node-0-never-leads");
  const picked = await sortition(...asked, "--property", "settled", "--max-time", "6");
  expect([picked.status, picked.stdout]).toEqual([0, expect.stringContaining("tried: settled, time-bound")]);
  const none = await sortition("explore", "chang-roberts", "--property-file", "test/support/effort.ts");
  expect(none.stderr).toContain("exports no property");
});

test("how likely: exact probabilities, as a table and as JSON; budgets have none", async () => {
  const asked = ["explore", "referees", "--n", "2", "--probabilities"];
  expect((await sortition(...asked)).stdout).toMatch(/exactly one leader +0\.42538833/);
  const { outcomes, exact } = JSON.parse((await sortition(...asked, "--json")).stdout);
  expect([exact, outcomes.one.min.exact.under]).toEqual([true, expect.stringMatching(/^\d+$/)]);
  expect((await sortition(...asked, "--crashes", "1")).stderr).toContain("--crashes has no probability");
});

describe("a handler that never returns", () => {
  /** A process of its own, from the sources: the search runs on a thread of it. */
  const exploring = (name: string, ...more: string[]) => {
    const args = ["src/cli/main.ts", "explore", "--protocol-file", `test/support/hanging.ts#${name}`];
    return spawn(process.execPath, [...args, "--n", "2", "--threads", "1", ...more], { cwd: root });
  };

  test.each(effort(["hanging"], ["hanging", "pondering"]))(
    "%s: --seconds ends it, in words and with status 2",
    async (name) => {
      const { status, stderr } = await ended(exploring(name, "--seconds", "1"));
      expect(stderr).toMatch(/does not return from (receive|a projection of its state): the search was ended after/);
      expect(status).toBe(2);
    },
  );

  test("Ctrl-C ends it, with status 130", async () => {
    const watcher = watch(folder);
    const listening = once(watcher, "change");
    const child = exploring("hanging", "--seconds", "600", "--trace", join(folder, "hanging.jsonl"));
    const end = ended(child);
    await Promise.race([listening, end]);
    watcher.close();
    await setTimeout(500);
    child.kill("SIGINT");
    expect((await end).status).toBe(130);
  });
});

test("probabilities are fractions, and those of a council speak of its size", async () => {
  const referees = await sortition("explore", "referees", "--n", "2", "--probabilities");
  expect(referees.stdout).toMatch(/exactly one leader +0\.\d+ = \d+\/2\^\d+/);
  const council = ["council-masks", "--n", "2", "--param", "bits=2", "--param", "U=1"];
  const { stdout } = await sortition("explore", ...council, "--probabilities");
  expect(stdout).toMatch(/fewer than 1 members .*\na council of 1 .*\nmore than 1 members /);
});

test("--expect goes on past a promise that is broken, and says so in JSON too", async () => {
  const asked = [
    "chang-roberts",
    "--n",
    "2",
    "--crashes",
    "1",
    "--property",
    "at-most-one-leader",
    "--property",
    "some-leader",
  ];
  const { status, stdout } = await sortition("explore", ...asked, "--expect", "some-leader", "--json");
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    verdict: "holds",
    verdicts: [
      { promise: "at-most-one-leader", standing: "holds", reason: null, expected: false },
      { promise: "some-leader", standing: "broken", expected: true },
    ],
    violation: null,
    expected: [{ property: "some-leader" }],
  });
});

test("a limit that cut is no tick: each promise says why it was not evaluated", async () => {
  const { status, stdout } = await sortition("explore", "hirschberg-sinclair", "--n", "3", "--limit", "phases=0");
  expect(status).toBe(2);
  expect(stdout).not.toContain("✓");
  expect(stdout).toMatch(/not evaluated, because no run ends within phases=0: some-leader/);
});

test("a run that never ends is shown as a loop, with what it starves", async () => {
  const only = ["--n", "2", "--property", "termination"];
  const { status, stdout } = await sortition("explore", "--protocol-file", "test/support/circling.ts", ...only);
  expect(status).toBe(3);
  expect(stdout).toMatch(/from #\d+ on the run repeats for ever: after the last event the network is as it was before/);
  expect(stdout).toContain("and it never happens: timer out of node 0 expires");
});
