/** Graph files: edge lists and GraphML. The caller passes the reader of bytes: a disk, an archive, or a page's file chooser. */

import sax from "sax";
import { InputError } from "../../errors.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

/** The contents of a file, unpacked; it throws an `InputError` that says why it cannot. */
export type ReadFile = (path: string) => Uint8Array;

/** The reader before `readFilesWith` has set one: a program that runs in a page has no disk. */
export const noFiles: ReadFile = (path) => {
  throw new InputError(`cannot read ${path}: there are no files here; pass a reader to readFilesWith`);
};

export function readGraph(path: string, read: ReadFile): Graph {
  const name = path.slice(1 + Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")));
  const bytes = read(path);
  const graph = looksLikeXml(bytes) ? parseGraphml(new TextDecoder().decode(bytes), name) : parseEdgeList(bytes, name);
  if (graph.size === 0) throw new InputError(`${name}: there is no node in this file`);
  // Not its own name: a file may be called "ring" and be none.
  return { ...graph, name: "file" };
}

function looksLikeXml(bytes: Uint8Array): boolean {
  let at = bytes[0] === 0xef ? 3 : 0;
  while (at < bytes.length && (bytes[at] === 32 || (bytes[at] >= 9 && bytes[at] <= 13))) at++;
  return bytes[at] === 0x3c;
}

// Edge lists as SNAP and others publish them: one "from to" per line, separated by blanks, tabs or commas; further
// columns (weights, times) are ignored, so are empty lines and lines that begin with # or %. Read byte by byte, because
// splitting a file of a million lines into strings takes longer than building its graph.

const NEWLINE = 10;
const RETURN = 13;
const isBlank = (byte: number) => byte === 32 || byte === 9 || byte === 44 || byte === 59 || byte === RETURN;

/** Labels are whole numbers; nodes are numbered in the order of their labels. */
function parseEdgeList(bytes: Uint8Array, name: string): Graph {
  const labels = new LabelledEdges();
  const end = bytes.length;
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let value = 0;
  /** Reads one number into `value`; false when there is none, or when more than digits stand there. */
  const number = (): boolean => {
    while (at < end && isBlank(bytes[at])) at++;
    const start = at;
    value = 0;
    while (at < end && bytes[at] >= 48 && bytes[at] <= 57) value = 10 * value + (bytes[at++] - 48);
    return at > start && at - start <= 15 && (at === end || bytes[at] === NEWLINE || isBlank(bytes[at]));
  };
  for (let line = 1; at < end; line++) {
    while (at < end && isBlank(bytes[at])) at++;
    if (bytes[at] !== 35 && bytes[at] !== 37 && at < end && bytes[at] !== NEWLINE) {
      const from = number() ? value : -1;
      if (from < 0 || !number()) {
        throw new InputError(`${name}, line ${line}: two node numbers were expected, such as "12 345"`);
      }
      labels.add(from, value);
    }
    while (at < end && bytes[at] !== NEWLINE) at++;
    at++;
  }
  return labels.graph(name);
}

/** Collects edges between labels of any size and numbers the labels ascending. */
class LabelledEdges {
  private count = 0;
  private ends = new Float64Array(2048);

  add(from: number, to: number): void {
    if (this.count === this.ends.length) {
      const { ends } = this;
      this.ends = new Float64Array(2 * ends.length);
      this.ends.set(ends);
    }
    this.ends[this.count++] = from;
    this.ends[this.count++] = to;
  }

  graph(name: string): Graph {
    const { count, ends } = this;
    const labels = distinct(ends.subarray(0, count));
    const number = numbering(labels);
    const edges = new EdgeList();
    for (let i = 0; i < count; i += 2) edges.add(number(ends[i]), number(ends[i + 1]));
    return graphOf(name, labels.length, edges);
  }
}

/** Labels below this are looked up in a table, which is several times faster than a map. */
const TABLE_LIMIT = 2 ** 26;

/** The distinct values, ascending. */
function distinct(values: Float64Array): Float64Array {
  const largest = values.reduce((a, b) => Math.max(a, b), 0);
  if (largest >= TABLE_LIMIT) return Float64Array.from(new Set(values)).sort();
  const present = new Uint8Array(largest + 1);
  for (const value of values) present[value] = 1;
  const found = new Float64Array(present.reduce((a, b) => a + b, 0));
  for (let value = 0, at = 0; value <= largest; value++) if (present[value] === 1) found[at++] = value;
  return found;
}

function numbering(labels: Float64Array): (label: number) => number {
  const largest = labels.at(-1) ?? 0;
  if (largest >= TABLE_LIMIT) {
    const numbers = new Map<number, number>();
    for (let node = 0; node < labels.length; node++) numbers.set(labels[node], node);
    return (label) => numbers.get(label)!;
  }
  const numbers = new Uint32Array(largest + 1);
  for (let node = 0; node < labels.length; node++) numbers[labels[node]] = node;
  return (label) => numbers[label];
}

// GraphML (graphml.graphdrawing.org): nodes and edges of the first graph; directions, data, ports and hyperedges are
// ignored, for a network is undirected here. A streaming parser keeps large files out of memory.

function parseGraphml(text: string, name: string): Graph {
  const edges = new EdgeList();
  const nodes = new Map<string, number>();
  const declared = new Set<string>();
  const parser = sax.parser(true, { position: true });
  let graphs = 0;
  const refuse = (problem: string) => new InputError(`${name}, line ${parser.line + 1}: ${problem}`);
  const node = (label: string | undefined, what: string): number => {
    if (label === undefined) throw refuse(`the ${what} is missing`);
    const known = nodes.get(label);
    if (known !== undefined) return known;
    nodes.set(label, nodes.size);
    return nodes.size - 1;
  };
  parser.onerror = (error) => {
    throw refuse(`not well-formed XML: ${error.message.split("\n")[0].toLowerCase()}`);
  };
  parser.onopentag = ({ name: tag, attributes }) => {
    const read = (attribute: string) => attributes[attribute] as string | undefined;
    const local = tag.slice(tag.indexOf(":") + 1);
    if (local === "graph" && ++graphs > 1) throw refuse("a second or nested graph: one graph per file can be read");
    else if (local === "node") {
      node(read("id"), "id of a node");
      declared.add(read("id")!);
    } else if (local === "edge") {
      edges.add(node(read("source"), "source of an edge"), node(read("target"), "target of an edge"));
    }
  };
  parser.write(text).close();
  if (graphs === 0) throw new InputError(`${name}: no <graph> element was found in this GraphML file`);
  for (const label of nodes.keys()) {
    if (!declared.has(label)) throw new InputError(`${name}: an edge names node "${label}", which is not declared`);
  }
  return graphOf(name, nodes.size, edges);
}
