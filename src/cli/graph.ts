/** `sortition graph FILE|SPEC`: what can be said of a network before anybody elects on it. */
import "../campaign/graph-files.ts";
import { existsSync } from "node:fs";
import { type Command, Option } from "commander";
import { type Analysis, analyse } from "../topology/analyse.ts";
import type { MixingTime } from "../topology/mixing.ts";
import { bringsItsSize, buildNetwork, TOPOLOGIES } from "../topology/spec.ts";
import { version } from "../version.ts";
import { figure, plural } from "./figures.ts";
import { examples } from "./help.ts";
import { type Paint, painter, print } from "./terminal.ts";
import { numberOf, wholeNumber } from "./values.ts";

interface GraphOptions {
  readonly n?: string;
  readonly seed: string;
  readonly largestComponent?: true;
  readonly json?: true;
}

const DEFAULT_N = "100";

export function define(command: Command): void {
  command
    .description(
      "Reads an edge list or GraphML file (plain or gzip), or generates a network, and prints what matters for elections " +
        `on it. Networks: ${TOPOLOGIES}.`,
    )
    .argument("<network>", "a file, or a network as --topology of simulate takes it")
    .addOption(new Option("--n <count>", "number of nodes to generate").default(undefined, DEFAULT_N))
    .addOption(new Option("--seed <number>", "of a random network, 0 to 2^53-1").default("1", "1"))
    .option("--largest-component", "take the largest component of a network that is not connected")
    .option("--json", "print one JSON object instead of a table")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition graph hypercube --n 1024", "a hypercube of ten dimensions"],
          ["sortition graph power-law:0.8 --n 50000", "the network of Ramanathan et al."],
          ["sortition graph p2p-Gnutella31.txt.gz --largest-component", "an edge list from SNAP"],
        ],
        "docs/real-network.md",
      ),
    )
    .action((name: string, options: GraphOptions) => {
      const spec = specOf(name);
      const size = options.n ?? (bringsItsSize(spec) ? null : DEFAULT_N);
      const network = buildNetwork({
        spec,
        n: size === null ? null : wholeNumber(size, "--n", 1),
        seed: numberOf(options.seed, "--seed", "a whole number from 0 to 2^53-1"),
        largestComponent: options.largestComponent ?? false,
      });
      const analysis = analyse(network);
      if (options.json) print(JSON.stringify({ version, network: spec, ...analysis }, null, 2));
      else print(describe(spec, analysis, painter(process.stdout)));
    });
}

/** Whatever exists, or looks like a path, is a file; the rest is a spec. */
function specOf(name: string): string {
  return existsSync(name) || /[/\\.]\w*$/.test(name.replace(/^(er|power-law|file):.*/, "")) ? `file:${name}` : name;
}

function describe(spec: string, analysis: Analysis, paint: Paint): string {
  const { degrees, diameter, duplicatesDropped, loopsDropped } = analysis;
  const facts: [string, string][] = [
    ["nodes", figure(analysis.nodes) + (analysis.components > 1 ? `, of ${figure(analysis.wholeSize)}` : "")],
    ["edges", figure(analysis.edges)],
    ["dropped", `${plural(duplicatesDropped, "duplicate edge")}, ${plural(loopsDropped, "self loop")}`],
    ["degrees", `${degrees.least} to ${degrees.most}, mean ${figure(degrees.mean)}, median ${degrees.median}`],
    ["components", figure(analysis.components) + (analysis.components > 1 ? "; this is the largest" : "")],
    ["bipartite", analysis.bipartite ? "yes" : "no"],
    ["diameter", diameter.least === diameter.most ? String(diameter.least) : `${diameter.least} to ${diameter.most}`],
    ["mixing time", mixing(analysis.mixing)],
    ["if lazy", mixing(analysis.lazyMixing)],
  ];
  return [paint("bold", spec), ...facts.map(([key, value]) => `  ${key.padEnd(11)}  ${value}`)].join("\n");
}

function mixing({ steps, how }: MixingTime): string {
  return steps === null ? how : `${plural(steps, "step")} (${how})`;
}
