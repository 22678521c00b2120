/**
 * Networks by name, as `--topology` and `sortition graph` take them. A random network is drawn once per campaign, from
 * the host's stream "topology" of trial 0: its mixing time, and what is measured on it, then belong to one graph.
 */
import { didYouMean, InputError } from "../errors.ts";
import type { Source } from "../random/source.ts";
import { HostStream } from "../random/streams.ts";
import { shareOf } from "../values.ts";
import { complete } from "./complete.ts";
import { componentsOf, largestComponent } from "./components.ts";
import { compress, type Dropped } from "./csr.ts";
import { barabasiAlbert, erdosRenyi, powerLaw, regular } from "./drawn/drawn.ts";
import { noFiles, type ReadFile, readGraph } from "./files/file.ts";
import { hypercube, starGraph, torus, torusSides } from "./lattices.ts";
import { ring } from "./ring.ts";
import type { Topology } from "./topology.ts";

/** A network by name, as `--topology` takes it. */
export interface NetworkRequest {
  readonly spec: string;
  /** How many nodes to generate; null where a file or the spec itself says it. */
  readonly n: number | null;
  readonly seed: number;
  /** Take the largest component of a network that is not connected, instead of refusing it. */
  readonly largestComponent: boolean;
}

/** A connected network, and what it was made from. */
export interface Network {
  readonly topology: Topology;
  /** Components of the network as it was read or generated, and its size then. */
  readonly components: number;
  readonly wholeSize: number;
  readonly dropped: Dropped;
}

export const TOPOLOGIES =
  "complete, ring, star, hypercube, torus, torus:AxB, regular:DEGREE, er:PROBABILITY, ba:LINKS, " +
  "power-law:EXPONENT[:CUTOFF], file:PATH";

const NAMES = ["complete", "ring", "star", "hypercube", "torus", "regular", "er", "ba", "power-law", "file"];

/** The sizes of these follow from the spec alone. */
export const bringsItsSize = (spec: string): boolean => spec.startsWith("file:") || spec.startsWith("torus:");

/** Builds the network, or reads it, and sees to it that it is connected. */
export function buildNetwork(request: NetworkRequest): Network {
  const whole = build(request);
  if (whole.size < 2) throw new InputError(`${request.spec} has ${whole.size} node: a network needs at least 2`);
  const dropped = "dropped" in whole ? (whole.dropped as Dropped) : { duplicates: 0, loops: 0 };
  const connected = { topology: whole, components: 1, wholeSize: whole.size, dropped };
  if (["complete", "ring", "star", "hypercube", "torus"].includes(whole.name)) return connected;
  const graph = compress(whole);
  const components = componentsOf(graph);
  if (components.count === 1) return connected;
  if (!request.largestComponent) {
    const largest = components.sizes.reduce((a, b) => Math.max(a, b));
    throw new InputError(
      (name) =>
        `${request.spec} is not connected: ${components.count} components, the largest with ${largest} of ${whole.size} ` +
        `nodes; set ${name("largestComponent")} to take that one`,
    );
  }
  const topology = largestComponent(graph, components);
  if (topology.size < 2) throw new InputError(`${request.spec} has no links: a network needs at least one`);
  return { ...connected, topology, components: components.count };
}

let read = noFiles;

/**
 * From now on networks named `file:PATH` come through this reader.
 *
 * @example
 * ```ts
 * import { buildNetwork, readFilesWith } from "sortition/simulate";
 *
 * const chosen = new Map([["triangle.txt", new TextEncoder().encode("0 1\n1 2\n2 0\n")]]);
 * readFilesWith((path) => chosen.get(path)!);
 * const network = buildNetwork({ spec: "file:triangle.txt", n: null, seed: 1, largestComponent: false });
 * ```
 */
export function readFilesWith(reader: ReadFile): void {
  read = reader;
  latest = null;
}

let latest: { readonly key: string; readonly network: Network } | null = null;

/** As `buildNetwork`, but the trials of a campaign share one graph. */
export function networkOf(request: NetworkRequest): Network {
  const key = JSON.stringify([request.spec, request.n, request.seed, request.largestComponent]);
  if (latest?.key !== key) latest = { key, network: buildNetwork(request) };
  return latest.network;
}

function build({ spec, n, seed }: NetworkRequest): Topology {
  const [name, ...rest] = spec.split(":");
  const text = rest.join(":");
  if (name === "file") return fromFile(text, n);
  if (!NAMES.includes(name)) {
    throw new InputError(`unknown topology "${spec}"${didYouMean(name, NAMES) || `; choose one of ${TOPOLOGIES}`}`);
  }
  if (name === "torus" && text !== "") return fromSides(text, n);
  if (n === null) throw new InputError((name) => `how many nodes does ${spec} have? say so with ${name("n")}`);
  const source = new HostStream(seed, 0, "topology");
  const random = RANDOM[name];
  if (random !== undefined) return random(source, n, numbers(spec, text));
  if (text !== "") throw new InputError(`${name} takes no ":${text}"; choose one of ${TOPOLOGIES}`);
  return FIXED[name](n);
}

const FIXED: Readonly<Record<string, (n: number) => Topology>> = {
  complete,
  star: starGraph,
  hypercube,
  ring: (n) => ring(n),
  torus: (n) => torus(...torusSides(n)),
};

const RANDOM: Readonly<Record<string, (source: Source, n: number, values: number[]) => Topology>> = {
  regular: (source, n, [degree]) => regular(source, n, degree),
  er: (source, n, [p]) => erdosRenyi(source, n, p),
  ba: (source, n, [links]) => barabasiAlbert(source, n, links),
  "power-law": (source, n, [exponent, cutoff]) => powerLaw(source, n, exponent, cutoff),
};

function numbers(spec: string, text: string): number[] {
  const values = text.split(":").map((part) => shareOf(part.trim()));
  const allowed = spec.startsWith("power-law") ? 2 : 1;
  if (values.length <= allowed && values.every(Number.isFinite)) return values;
  throw new InputError(
    `"${spec}" needs its number, as in regular:8, er:0.01, ba:3, power-law:0.8 or power-law:0.8:100`,
  );
}

function fromSides(text: string, n: number | null): Topology {
  const sides = /^(\d+)x(\d+)$/.exec(text);
  if (sides === null) throw new InputError(`torus:AxB needs two sides, as in torus:20x30, not "${text}"`);
  return ofSize(torus(Number(sides[1]), Number(sides[2])), `torus:${text}`, n);
}

function fromFile(path: string, n: number | null): Topology {
  if (path === "") throw new InputError("file:PATH needs the path of an edge list or a GraphML file");
  const graph = readGraph(path, read);
  return n === null ? graph : ofSize(graph, path, n);
}

function ofSize(topology: Topology, what: string, n: number | null): Topology {
  if (n === null || n === topology.size) return topology;
  throw new InputError((name) => `${what} has ${topology.size} nodes, not ${n}: leave ${name("n")} out`);
}
