import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { lasts } from "../../src/cli/commands/simulate.ts";
import { type Request, resolve } from "../../src/simulation/settings.ts";
import { heartbeat } from "../support/odd-protocols.ts";
import { type Ended, ended, sortition, sortitionProcess, start } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-simulate-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const report = async (...args: string[]) => reportOf(await sortition("simulate", ...args, "--json"));

function reportOf({ status, stdout, stderr }: Ended) {
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout.endsWith("}\n")).toBe(true);
  return JSON.parse(stdout);
}

const SUMMARY = ["mean", "low", "high", "sd", "min", "p50", "p90", "p99", "max"];

describe("--json", () => {
  test("is one object with the promised fields", async () => {
    const found = await report("chang-roberts", "--n", "20", "--trials", "30");
    expect(Object.keys(found)).toEqual([
      ...["version", "protocol", "host", "kernel", "n", "trials", "seed", "topology", "parameters", "faults"],
      ...["partial", "confidence", "outcomes", "success", "messages", "rounds", "bits", "measures", "series"],
      ...["seconds", "messagesPerSecond", "setting", "theory"],
    ]);
    expect(found).toMatchObject({
      version: JSON.parse(readFileSync("package.json", "utf8")).version,
      protocol: "chang-roberts",
      host: "events",
      kernel: "chang-roberts",
      n: 20,
      trials: 30,
      seed: 1,
      topology: "ring",
      parameters: { passive: "relay", spread: 0, reading: "repaired" },
      partial: false,
      confidence: 0.95,
      outcomes: { none: 0, one: 30, many: 0 },
      success: { rate: 1, high: 1 },
    });
    for (const summary of [found.messages, found.rounds, found.bits, found.measures.announcements]) {
      expect(Object.keys(summary)).toEqual(SUMMARY);
    }
  });

  test("is the same, but for the timing, with no thread, with one and with two", async () => {
    const args = ["itai-rodeh", "--n", "30", "--trials", "400", "--delay", "exp:1", "--seed", "7"];
    const [one, two] = (
      await Promise.all(["1", "2"].map((count) => sortitionProcess("simulate", ...args, "--json", "--threads", count)))
    ).map(reportOf);
    const none = await report(...args, "--threads", "0");
    for (const found of [none, one, two]) {
      delete found.seconds;
      delete found.messagesPerSecond;
    }
    expect(JSON.stringify(two)).toBe(JSON.stringify(one));
    expect(JSON.stringify(none)).toBe(JSON.stringify(one));
  });

  test("values that are not defined are null", async () => {
    const { messages, faults } = await report("chang-roberts", "--n", "4", "--trials", "1");
    expect([messages.low, messages.high, messages.sd]).toEqual([null, null, null]);
    expect(faults.loss).toBe(0);
  });
});

describe("options reach the simulation", () => {
  test("worst and best order of ids", async () => {
    const worst = await report("chang-roberts", "--n", "64", "--ids", "decreasing", "--trials", "1");
    const best = await report("chang-roberts", "--n", "64", "--ids", "increasing", "--trials", "1");
    expect(worst.messages.mean).toBe((64 * 65) / 2 + 64);
    expect(best.messages.mean).toBe(2 * 64 - 1 + 64);
  });

  test("a list of ids gives n", async () => {
    // 5, 8 and 9 travel 2, 1 and 3 links; then 3 to announce.
    const { n, messages } = await report("chang-roberts", "--ids", "9, 5, 8", "--trials", "2");
    expect([n, messages.min, messages.max]).toEqual([3, 8, 8]);
  });

  test("a share of initiators is rounded, but never to nobody", async () => {
    // A single initiator sends its id once around and then announces.
    const one = await report("chang-roberts", "--n", "30", "--initiators", "1%", "--trials", "3");
    expect([one.messages.min, one.messages.max]).toEqual([60, 60]);
    const none = await report("chang-roberts", "--n", "30", "--initiators", "0%", "--trials", "3");
    expect(none.outcomes).toEqual({ none: 3, one: 0, many: 0 });
  });

  test("host, parameters and rates", async () => {
    const found = await report(
      ...["chang-roberts", "--n", "10", "--trials", "5", "--host", "lockstep", "--param", "reading=printed"],
      ...["--param", "passive=join", "--seed", "9", "--loss", "1"],
    );
    expect(found).toMatchObject({ host: "lockstep", seed: 9, parameters: { reading: "printed", passive: "join" } });
    expect(found.faults.loss).toBe(1);
    expect(found.outcomes.none).toBe(5);
  });

  test("a flag wins over the fault file, whose schedules stay", async () => {
    const plan = join(folder, "plan.json");
    writeFileSync(plan, JSON.stringify({ loss: 1, crashes: [{ node: 0 }], losses: [{ rate: 0 }] }));
    const { faults, messages } = await report("chang-roberts", "--n", "9", "--faults", plan, "--loss", "0");
    expect(faults).toMatchObject({ loss: 0, crashes: [{ node: 0, at: 0 }], losses: [{ rate: 0, from: 0, to: null }] });
    // The ring closes over the crashed process: 8 announcements and at least 2·8-1 messages.
    expect(messages.min).toBeGreaterThanOrEqual(23);
  });
});

describe("--out", () => {
  test.each(["csv", "jsonl", "parquet"])("writes a row for each trial as .%s", async (ending) => {
    const out = join(folder, `rows.${ending}`);
    const { messages } = await report("chang-roberts", "--n", "10", "--trials", "50", "--out", out);
    if (ending === "parquet") return expect(readFileSync(out).subarray(-4).toString()).toBe("PAR1");
    const lines = readFileSync(out, "utf8").trimEnd().split("\n");
    const counts =
      ending === "csv"
        ? lines.slice(1).map((line) => Number(line.split(",")[3]))
        : lines.map((l) => JSON.parse(l).messages);
    expect(counts).toHaveLength(50);
    expect(counts.reduce((a, b) => a + b) / 50).toBeCloseTo(messages.mean, 9);
  });
});

describe("for people", () => {
  test("says what was run, how it ended and what it cost, without colour in a pipe", async () => {
    const { status, stdout, stderr } = await sortition("simulate", "peterson", "--n", "16", "--trials", "20");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("peterson: 20 trials on a ring of 16 processes");
    expect(stdout).toContain("Success 100% (at most 16.84% fail with 95% confidence)");
    expect(stdout).toMatch(/^per trial +mean +95% interval +sd +min +p50 +p90 +p99 +max$/m);
    expect(stdout).toMatch(/^messages +[\d.]+/m);
    expect(stdout).not.toContain("\x1b");
  });

  test("a reader who leaves early is no error", async () => {
    const child = start(["protocols", "--json"]);
    child.stdout?.destroy();
    const { status, stderr } = await ended(child);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

describe("Ctrl-C", () => {
  /** Starts a campaign that would take hours and interrupts it when its first rows have reached the file. */
  async function interrupted(out: string, ...args: string[]) {
    const written = new Promise<void>((resolve) => {
      const watcher = watch(folder, (_event, name) => {
        const size = statSync(join(folder, String(name)), { throwIfNoEntry: false })?.size ?? 0;
        if (!String(name).includes(out) || size === 0) return;
        watcher.close();
        resolve();
      });
    });
    const child = start(["simulate", "chang-roberts", "--trials", "1e8", "--out", join(folder, out), ...args]);
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    const end = ended(child);
    await Promise.race([written, end]);
    child.kill("SIGINT");
    return end;
  }

  test("prints what has been counted, marked as partial, with status 130", async () => {
    const { status, stdout, stderr } = await interrupted("partial.csv", "--json");
    expect({ status, stderr }).toEqual({ status: 130, stderr: "" });
    const { partial, trials, outcomes } = JSON.parse(stdout);
    expect(partial).toBe(true);
    expect(trials).toBeGreaterThan(0);
    expect(outcomes.one).toBe(trials);
    expect(readFileSync(join(folder, "partial.csv"), "utf8").trimEnd().split("\n")).toHaveLength(trials + 1);
  });

  test("says so to people too", async () => {
    const { status, stdout } = await interrupted("people.csv");
    expect(status).toBe(130);
    expect(stdout).toMatch(/^Interrupted: this counts only the trials that had ended\.\n/);
    expect(existsSync(join(folder, "people.csv"))).toBe(true);
  });
});

test("without --initiators a protocol starts as its paper says: filter-relay with one multicast", async () => {
  const { stdout } = await sortition("simulate", "filter-relay", "--n", "50", "--trials", "20", "--json");
  const { measures } = JSON.parse(stdout);
  // One initiation and at most one final multicast per relay; 50 initiations would show at once.
  expect(measures.multicasts.mean).toBeLessThan(1 + measures.relays.mean + measures.rounds.mean);
});

test("whether a protocol lasts is told by events of a small network, not by the clock", async () => {
  const settings = (protocol: Request["protocol"], n: number) => resolve({ protocol, n, delay: "exp:1" });
  expect(await lasts(settings("chang-roberts", 100_000))).toBe(false);
  expect(await lasts(settings(heartbeat as never, 1000))).toBe(true);
});
