/** `sortition graph`, and elections on networks, as a user runs them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sortition } from "./run.ts";

let folder: string;
const at = (name: string) => join(folder, name);
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sortition-graph-"));
  writeFileSync(at("house.txt.gz"), gzipSync("# a house\n0 1\n1 2\n2 3\n3 0\n2 4\n3 4\n3 4\n"));
  writeFileSync(at("pieces.txt"), "0 1\n1 2\n2 0\n7 8\n");
  writeFileSync(at("broken.txt"), "0 1\n1 2\n2 three\n");
  writeFileSync(
    at("square.graphml"),
    "<graphml><graph><node id='a'/><node id='b'/><edge source='a' target='b'/></graph></graphml>",
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("graph", () => {
  test("a file, for people", async () => {
    const { status, stdout } = await sortition("graph", at("house.txt.gz"));
    expect(status).toBe(0);
    for (const line of [
      /nodes +5\n/,
      /edges +6\n/,
      /1 duplicate edge, 0 self loops/,
      /2 to 3, mean 2.4/,
      /bipartite +no/,
    ]) {
      expect(stdout).toMatch(line);
    }
    expect(stdout).toMatch(/diameter +2\n/);
    expect(stdout).toMatch(/mixing time +\d+ steps \(exact/);
  });

  test("a network, for programs", async () => {
    const { stdout } = await sortition("graph", "hypercube", "--n", "16", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ nodes: 16, edges: 32, bipartite: true, mixing: { steps: null } });
  });

  test("GraphML, and the largest component", async () => {
    expect(JSON.parse((await sortition("graph", at("square.graphml"), "--json")).stdout).nodes).toBe(2);
    const { stdout } = await sortition("graph", at("pieces.txt"), "--largest-component", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ nodes: 3, wholeSize: 5, components: 2 });
  });

  test.each([
    [["graph", "pieces.txt"], "not connected: 2 components"],
    [["graph", "broken.txt"], "broken.txt, line 3: two node numbers"],
    [["graph", "missing.txt"], "there is no such file"],
    [["graph", "hypercube", "--n", "9"], "power of two"],
    [["simulate", "random-walks", "--topology", "hypercube", "--n", "16", "--param", "lazy=false"], "bipartite"],
    [["simulate", "chang-roberts", "--topology", "star"], "runs on a ring"],
    [["simulate", "referees", "--topology", "regulr:4"], 'did you mean "regular"'],
  ])("%j is refused in one line", async (args, problem) => {
    const named = args.map((arg) => (/\.txt$/.test(arg) ? at(arg) : arg));
    const { status, stdout, stderr } = await sortition(...named);
    expect({ status, stdout, lines: stderr.split("\n").length }).toEqual({ status: 2, stdout: "", lines: 2 });
    expect(stderr).toContain(problem);
  });
});

test("simulate takes the size of a file, and two threads give what one gives", async () => {
  const run = async (threads: string) => {
    const { stdout } = await sortition(
      ...["simulate", "random-walks", "--topology", `file:${at("house.txt.gz")}`, "--trials", "40"],
      ...["--threads", threads, "--json"],
    );
    const { n, topology, messages, measures } = JSON.parse(stdout);
    return { n, topology, messages, measures };
  };
  const one = await run("1");
  expect(one.n).toBe(5);
  expect(await run("2")).toEqual(one);
});
