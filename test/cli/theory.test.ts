/** `sortition theory` and `sortition plan` as a user meets them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root, sortition } from "./run.ts";

const json = async (...args: string[]) => JSON.parse((await sortition(...args, "--json")).stdout);

describe("theory", () => {
  test("--json is one object with exactly these fields", async () => {
    const result = await json("theory", "chang-roberts", "--n", "10");
    expect(Object.keys(result)).toEqual(
      "protocol n parameters method success pNone pMany messages rounds factors optimum measured".split(" "),
    );
    // 10 H_10 + 10.
    expect(result).toMatchObject({ protocol: "chang-roberts", n: 10, method: "exact", success: 1, rounds: 20 });
    expect(result.messages).toBeCloseTo(39.2896825, 6);
  });

  test("initiators and faults mean what they mean to simulate", async () => {
    const { messages } = await json("theory", "chang-roberts", "--n", "12", "--initiators", "25%");
    expect(messages).toBeCloseTo(12 * (1 + 1 / 2 + 1 / 3) + 12, 9);
    const { success } = await json("theory", "chang-roberts", "--n", "12", "--loss", "0.01");
    expect(success).toBeCloseTo(0.99 ** 12, 12);
  });

  test("filter-relay: the whole election with its costs, and of one round the product of E1 to E5", async () => {
    const args = ["--n", "1000", "--loss", "0.01", "--multicast-loss", "0.1", "--crash", "0.001", "--param", "K=14"];
    const { factors, success, messages, rounds, method } = await json("theory", "filter-relay", ...args);
    const { E1, E2, E3, E4, E5, oneRound } = factors;
    expect(oneRound).toBeCloseTo(E1 * E2 * E3 * E4 * E5, 12);
    expect(success).toBeGreaterThan(oneRound);
    expect(messages).toBeGreaterThan(14 * 13);
    expect(rounds).toBeGreaterThan(1);
    expect(method).toBe("approximation");
    // Where members do not know each other only the round can be said, and that it does no worse.
    const partial = await json("theory", "filter-relay", ...args, "--param", "view=0.5");
    expect([partial.method, partial.messages]).toEqual(["bound", null]);
    expect(partial.success).toBeCloseTo(
      Object.values<number>(partial.factors).reduce((a, b) => a * b),
      12,
    );
  });

  test.each(["referees", "quorum"])("%s of a billion", async (name) => {
    const { success, messages } = await json("theory", name, "--n", "1e9");
    expect(success).toBeGreaterThan(0.9999999);
    expect(Number.isFinite(messages)).toBe(true);
  });

  test("a table for people", async () => {
    const { status, stdout } = await sortition("theory", "council-skip-reset", "--n", "10000");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^council-skip-reset, n = 10,000\n/);
    expect(stdout).toMatch(/rounds +1\.379\n/);
    expect(stdout).toContain("auto-T");
  });

  test("what it cannot say is one line, status 2", async () => {
    const { status, stderr } = await sortition("theory", "referees", "--param", "wakeup=adversarial");
    expect(status).toBe(2);
    expect(stderr).toBe(
      "sortition: theory has nothing to say of referees with these parameters (computed for wakeup=simultaneous only): use sortition simulate referees\n",
    );
  });
});

describe("plan", () => {
  test("--json has exactly these fields, and simulate takes the parameters as they are", async () => {
    const plan = await json("plan", "--n", "40", "--loss", "0.02", "--success", "0.9");
    expect(Object.keys(plan)).toEqual(["advice", "candidates", "rejected"]);
    for (const candidate of plan.candidates) {
      expect(Object.keys(candidate)).toEqual(
        (
          "protocol parameters datagrams messages rounds delays time milliseconds pNone pMany split rates acknowledged frontier " +
          "method warnings verified"
        ).split(" "),
      );
      expect(1 - candidate.pNone - candidate.pMany).toBeGreaterThanOrEqual(0.9);
      expect(candidate.verified).toBeNull();
    }
    for (const rejection of plan.rejected) expect(Object.keys(rejection)).toEqual(["protocol", "reason"]);
    const referees = plan.candidates.find(({ protocol }: { protocol: string }) => protocol === "referees");
    const params = Object.entries(referees.parameters).flatMap(([name, value]) => ["--param", `${name}=${value}`]);
    const report = await json("simulate", "referees", "--n", "40", "--loss", "0.02", "--trials", "200", ...params);
    expect(report.parameters).toEqual(referees.parameters);
    // 4 standard errors and what 200 trials of a rate of 0.9 allow.
    expect(report.success.rate).toBeGreaterThan(0.9 - 4 * Math.sqrt(0.09 / 200));
  });

  test("people get a table, what to type, and the reasons", async () => {
    const { status, stdout } = await sortition("plan", "--n", "100", "--success", "0.99", "--loss", "0.01");
    expect(status).toBe(0);
    expect(stdout).toMatch(/^One leader among 100 processes with probability 0\.99; loss 0\.01\n/);
    expect(stdout).toMatch(
      /\n\nTake referees: about \d+ datagrams an election, done within 2 message delays; nobody leads in one of/,
    );
    expect(stdout).toMatch(/try it: sortition simulate referees --n 100 --loss 0\.01/);
    expect(stdout).toMatch(/chang-roberts.*: it does not tolerate loss.*--reliable/);
  });

  test("councils", async () => {
    const { candidates } = await json("plan", "--n", "1000", "--council", "2..5", "--loss", "0.1");
    expect(candidates[0]).toMatchObject({ pMany: 0, parameters: { L: 2, U: 5, confirm: true } });
    expect(candidates.every(({ protocol }: { protocol: string }) => protocol.startsWith("council-"))).toBe(true);
  });

  test("nothing meets it: said so, status 0", async () => {
    const args = ["--n", "3", "--success", "0.999999", "--loss", "0.2", "--crash", "0.1"];
    const { status, stdout } = await sortition("plan", ...args);
    expect(status).toBe(0);
    expect(stdout).toContain("No protocol here meets this");
  });

  test.each([
    [["--n", "10", "--council", "8..4"], "--council must be a range of sizes, L..U with 1 <= L <= U, such as 4..8"],
    [["--n", "10", "--council", "many"], "--council must be a range of sizes"],
    [["--n", "0"], "--n must be a whole number of at least 1, not 0"],
    [["--n", "10", "--success", "1"], "success must be between 0 and 1"],
    [["--n", "10", "--loss", "2"], "--loss must be a probability from 0 to 1, not 2"],
    [["--n", "10", "--latency", "-1"], "--latency must be a number above 0, not -1"],
    [["--n", "10", "--within", "soon"], "--within must be a time above 0, in message delays or in milliseconds"],
    [["--n", "10", "--within", "30ms"], "how long does a message take? say so with --tau"],
    [["--n", "10", "--none", "0.5", "--several", "0.5"], "--none and --several leave no room for success"],
    [[], "how many processes? say so with --n"],
  ])("refuses %o in one line", async (args, message) => {
    const { status, stderr } = await sortition("plan", ...args);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trimEnd().split("\n").length).toBe(1);
  });
});

const shown = ["plan"]
  .flatMap((page) => readFileSync(join(root, "docs", `${page}.md`), "utf8").split("\n"))
  .concat(readFileSync(join(root, "README.md"), "utf8").split("\n"));

for (const [name, many] of [
  ["theory", 4],
  ["plan", 7],
] as const) {
  const { stdout } = await sortition(name, "--help");
  const lines = [...stdout.matchAll(/^ {2}sortition (.*)$/gm)].map(([, line]) => line);

  test(`the help of ${name} has examples`, () => {
    expect(lines.length).toBe(many);
  });

  // Those that a page shows too are run by docs.test.ts.
  test.each(lines.filter((example) => !example.includes("--verify") && !shown.includes(`npx sortition ${example}`)))(
    "an example of the help runs: %s",
    async (line) => {
      expect((await sortition(...line.split(" "))).status).toBe(0);
    },
  );
}
