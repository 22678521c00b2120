/** Whatever a user can get wrong: one line on stderr, nothing on stdout, status 2, and no file left behind. */

import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bin, ended, sortition } from "./run.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-errors-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function refusal(...args: string[]): Promise<string> {
  const { status, stdout, stderr } = await sortition(...args);
  expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
  return stderr.trimEnd();
}

const simulate = (...args: string[]) => refusal("simulate", "chang-roberts", "--trials", "3", ...args);

describe("names that do not exist, with the nearest one that does", () => {
  test.each([
    [["simulat"], 'unknown command "simulat"; did you mean "simulate"?'],
    [["simulate", "chang-robert"], 'unknown protocol "chang-robert"; did you mean "chang-roberts"?'],
    [["protocols", "petersen"], 'unknown protocol "petersen"; did you mean "peterson"?'],
    [["simulate", "peterson", "--trails", "5"], 'unknown option "--trails"; did you mean "--trials"?'],
    [
      ["simulate", "chang-roberts", "--param", "pasive=join"],
      'chang-roberts has no parameter "pasive"; did you mean "passive"?',
    ],
    [["help", "simulat"], 'unknown command "simulat"; did you mean "simulate"?'],
    [["simulate"], `which protocol? give its name ("sortition protocols" lists them), or --protocol-file`],
    [["simulate", "peterson", "more"], 'too many arguments for "simulate". Expected 1 argument but got 2'],
  ])("%j", async (args, message) => {
    expect(await refusal(...args)).toBe(`sortition: ${message}`);
  });
});

describe("values that make no sense", () => {
  test.each([
    [["--n", "0"], "--n must be a whole number of at least 1, not 0"],
    [["--n", "-5"], "--n must be a whole number of at least 1, not -5"],
    [["--n", "2.5"], "--n must be a whole number of at least 1, not 2.5"],
    [["--n", "many"], '--n must be a whole number of at least 1, not "many"'],
    [["--n", ""], '--n must be a whole number of at least 1, not ""'],
    [["--trials", "0"], "--trials must be a whole number from 1 to 4294967296, not 0"],
    [["--threads", "1.5"], "--threads must be a whole number from 0 to 1024, not 1.5"],
    [["--threads", "5000"], "--threads must be a whole number from 0 to 1024, not 5000"],
    [
      ["--out", "rows.jsonl", "--trace", "./rows.jsonl"],
      "--out and --trace are the same file: give each one of its own",
    ],
    [["--seed", "-1"], "--seed must be a whole number from 0 to 2^53-1, not -1"],
    [["--loss", "150%"], "--loss must be a probability from 0 to 1, not 150%"],
    [["--loss", "1.5"], "--loss must be a probability from 0 to 1, not 1.5"],
    [["--multicast-loss", "-0.1"], "--multicast-loss must be a probability from 0 to 1, not -0.1"],
    [["--crash", "often"], '--crash must be a probability from 0 to 1, not "often"'],
    [["--ids", "3,1,3"], "id 3 is given twice: ids must be unique"],
    [["--ids", "3,1", "--n", "5"], "2 ids were given for 5 nodes: give one for each"],
    [["--ids", "upwards"], '--ids must be random, increasing, decreasing or a list such as 7,3,12, not "upwards"'],
    [["--initiators", "200"], "200 initiators are more than the 100 nodes"],
    [["--initiators", "120%"], "--initiators must be all, a number of nodes or a percentage such as 10%, not 120%"],
    [["--initiators", "some"], '--initiators must be all, a number of nodes or a percentage such as 10%, not "some"'],
    [
      ["--delay", "normal:1"],
      '--delay must be positive and finite: fixed:1, uniform:0.5..1.5 or exp:1, not "normal:1"',
    ],
    [["--delay", "exp:0"], '--delay must be positive and finite: fixed:1, uniform:0.5..1.5 or exp:1, not "exp:0"'],
    [["--param", "passive"], '--param must be KEY=VALUE, such as passive=join, not "passive"'],
    [["--param", "passive=maybe"], 'parameter passive must be relay or join, not "maybe"'],
    [["--param", "spread=1", "--param", "spread=2"], "--param spread is given twice"],
    [["--topology", "complete"], 'chang-roberts runs on a ring topology, not on "complete"'],
    [["--host", "event"], '--host must be auto, lockstep or events, not "event"; did you mean "events"?'],
    [["--until", "0"], "--until must be a number above 0, not 0"],
  ])("%j", async (args, message) => {
    expect(await simulate(...args)).toBe(`sortition: ${message}`);
  });
});

test.each(["simulate", "explore"])("%s: ids of processes that have none", async (command) => {
  expect(await refusal(command, "itai-rodeh", "--n", "3", "--ids", "3,1,2")).toMatch(
    /^sortition: the (processes|nodes) of itai-rodeh have no ids, so their order means nothing: leave --ids out$/,
  );
});

test("more processes than a machine can bear", async () => {
  expect(await refusal("demo", "--members", "1e9")).toBe(
    "sortition: --members must be a whole number from 3 to 100, not 1e9",
  );
});

test("a host that cannot grant what the protocol assumes", async () => {
  expect(await refusal("simulate", "time-slice", "--host", "events")).toBe(
    "sortition: time-slice assumes synchronous rounds, which the events host cannot grant: set --host to lockstep",
  );
});

describe("files", () => {
  test("an output file that cannot be written", async () => {
    expect(await simulate("--out", join(folder, "missing", "rows.csv"))).toContain("its folder does not exist");
    expect(await simulate("--out", folder)).toContain("let its name end in .csv, .jsonl, .parquet");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("an error after the output file was opened leaves no file", async () => {
    const out = join(folder, "rows.csv");
    expect(await simulate("--out", out, "--trials", "1e15")).toContain("trials must be");
    expect(readdirSync(folder)).toEqual([]);
  });

  test("a file that exists is overwritten only by force", async () => {
    for (const [option, name] of [
      ["--out", "rows.csv"],
      ["--trace", "run.jsonl"],
    ]) {
      const file = join(folder, name);
      writeFileSync(file, "mine");
      expect(await simulate(option, file)).toBe(
        `sortition: ${option}: ${file} exists; add --force to overwrite it, or choose another name`,
      );
      expect(readFileSync(file, "utf8")).toBe("mine");
      const { status } = await sortition("simulate", "chang-roberts", "--trials", "3", option, file, "--force");
      expect(status).toBe(0);
      expect(readFileSync(file, "utf8")).not.toBe("mine");
      rmSync(file);
    }
  });

  test("a fault file that is missing, damaged, or about nodes that are not there", async () => {
    const plan = join(folder, "plan.json");
    expect(await simulate("--faults", plan)).toBe(
      `sortition: cannot read the fault file ${plan}: there is no such file`,
    );
    writeFileSync(plan, '{ "loss": 0.1,');
    expect(await simulate("--faults", plan)).toContain(`fault file ${plan} is not JSON`);
    writeFileSync(plan, '{ "crashes": [{ "node": 3, "at": "soon" }] }');
    expect(await simulate("--faults", plan)).toContain(`fault file ${plan}: crashes[0].at must be a time`);
    writeFileSync(plan, '{ "crashes": [{ "node": 100, "at": 1 }] }');
    expect(await simulate("--faults", plan)).toContain("the fault plan names node 100, but nodes are 0 to 99");
    rmSync(plan);
  });
});

test.runIf(existsSync("/dev/full"))("a full disk behind the output", async () => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = await ended(
    spawn(process.execPath, [bin, "protocols"], { stdio: ["ignore", full, "pipe"] }),
  );
  closeSync(full);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^sortition: cannot write the output: ENOSPC.*\n$/);
});
