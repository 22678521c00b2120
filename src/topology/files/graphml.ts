/**
 * GraphML (graphml.graphdrawing.org): nodes and edges of the first graph; directions, data, ports and hyperedges are
 * ignored, for a network is undirected here. A streaming parser keeps large files out of memory.
 */
import sax from "sax";
import { InputError } from "../../errors.ts";
import { EdgeList, type Graph, graphOf } from "../csr.ts";

export function parseGraphml(text: string, name: string): Graph {
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
