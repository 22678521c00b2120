import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { readFromDisk } from "../campaign/graph-files.ts";
import type { Graph } from "./csr.ts";
import { noFiles, readGraph } from "./files/file.ts";
import { buildNetwork, readFilesWith } from "./spec.ts";

const folder = mkdtempSync(join(tmpdir(), "sortition-graphs-"));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;

function read(content: string | Uint8Array): Graph {
  const path = join(folder, `graph-${files++}.txt`);
  writeFileSync(path, content);
  return readGraph(path, readFromDisk);
}

const edgesOf = (graph: Graph) =>
  Array.from({ length: graph.size }, (_, v) =>
    [...graph.targets.subarray(graph.offsets[v], graph.offsets[v + 1])].filter((u) => u > v).map((u) => [v, u]),
  ).flat();

describe("edge lists", () => {
  test("comments, blank lines, tabs, commas, further columns, carriage returns and a missing last newline", () => {
    const graph = read("\ufeff# nodes\r\n% more\n\n0 1\r\n1\t2\n  2,3 0.5\n3;0 17 x");
    expect(edgesOf(graph)).toEqual([
      [0, 1],
      [0, 3],
      [1, 2],
      [2, 3],
    ]);
  });

  test("labels of any size are numbered in their order", () => {
    expect(edgesOf(read("90 5\n5 123456789012\n"))).toEqual([
      [0, 1],
      [0, 2],
    ]);
  });

  test("duplicates (also turned around) and self loops are dropped and counted", () => {
    const graph = read("1 2\n2 1\n1 2\n3 3\n2 3\n");
    expect(edgesOf(graph).length).toBe(2);
    expect(graph.dropped).toEqual({ duplicates: 2, loops: 1 });
  });

  test.each([
    ["0 1\n1\n", 2],
    ["0 1\n\n# x\n1 two\n", 4],
    ["a b\n", 1],
    ["0 1\n2 -3\n", 2],
    ["0 1\n1 2.5\n", 2],
    ["0 1\n1 2x\n", 2],
    ["0 99999999999999999999\n", 1],
  ])("a broken line is named: %j", (text, line) => {
    expect(() => read(text)).toThrow(`line ${line}: two node numbers`);
  });

  test("gzip is recognized, and damage is told", () => {
    const packed = gzipSync("0 1\n1 2\n");
    expect(edgesOf(read(packed)).length).toBe(2);
    expect(() => read(packed.subarray(0, packed.length - 6))).toThrow("damaged or cut short");
  });

  test("a file without nodes, a folder, no file", () => {
    expect(() => read("# nothing\n")).toThrow("no node");
    expect(() => read("")).toThrow("no node");
    expect(() => readGraph(folder, readFromDisk)).toThrow("it is a folder");
    expect(() => readGraph(join(folder, "missing"), readFromDisk)).toThrow("there is no such file");
  });

  test("a network of one node, or in pieces, is refused", () => {
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return { spec: `file:${join(folder, name)}`, n: null, seed: 1, largestComponent: false };
    };
    expect(() => buildNetwork(write("one", "7 7\n"))).toThrow("a network needs at least 2");
    expect(() => buildNetwork(write("two", "0 1\n2 3\n3 4\n"))).toThrow(
      "not connected: 2 components, the largest with 3",
    );
    expect(buildNetwork({ ...write("two", "0 1\n2 3\n3 4\n"), largestComponent: true }).topology.size).toBe(3);
  });

  test("where nobody reads files, that is said; and a page can pass a reader of its own", () => {
    const request = { spec: "file:two.txt", n: null, seed: 1, largestComponent: false };
    try {
      readFilesWith(noFiles);
      expect(() => buildNetwork(request)).toThrow("cannot read two.txt: there are no files here");
      readFilesWith(() => new TextEncoder().encode("0 1\n"));
      expect(buildNetwork(request).topology.size).toBe(2);
    } finally {
      readFilesWith(readFromDisk);
    }
  });

  const EDGES = effort(200_000, 1_000_000);

  test(`${EDGES} edges load in about a second of the processor's time`, () => {
    const lines: string[] = [];
    for (let i = 0; i < EDGES; i++) lines.push(`${(i * 7919) % 200000}\t${(i * 104729 + (i % 977)) % 200000}`);
    const path = join(folder, "million.txt");
    writeFileSync(path, lines.join("\n"));
    const before = process.cpuUsage();
    expect(readGraph(path, readFromDisk).links).toBeGreaterThan(1.99 * EDGES);
    // A million take half a second alone; on a busy machine caches are colder.
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(4);
  });
});

describe("GraphML", () => {
  const graphml = (inside: string) =>
    `<?xml version="1.0"?>\n<graphml><graph edgedefault="undirected">\n${inside}</graph></graphml>`;

  test("nodes and edges, whatever else is there", () => {
    const graph = read(
      graphml(
        '<node id="a"><data key="d">x &amp; y</data></node>\n<node id="b"/><node id="c"/>\n' +
          '<edge source="a" target="b"/><edge id="e" source="c" target="b"><data key="w">1</data></edge>' +
          '<edge source="b" target="a"/><edge source="c" target="c"/>',
      ),
    );
    expect(edgesOf(graph)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(graph.dropped).toEqual({ duplicates: 1, loops: 1 });
  });

  test.each([
    [graphml('<node id="a"/>\n<edge source="a"/>'), "line 4: the target of an edge is missing"],
    [graphml("<node/>"), "line 3: the id of a node is missing"],
    [graphml('<node id="a"/><edge source="a" target="z"/>'), 'node "z", which is not declared'],
    [graphml('<node id="a">\n'), "line 4: not well-formed XML"],
    ["<svg></svg>", "no <graph> element"],
    [graphml('<node id="a"><graph></graph></node>'), "one graph per file"],
  ])("what is wrong is named: %#", (text, problem) => {
    expect(() => read(text)).toThrow(problem);
    expect(() => read(text)).toThrow(expect.objectContaining({ name: "InputError" }));
  });
});
