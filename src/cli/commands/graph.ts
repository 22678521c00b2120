/** `sortition graph FILE|SPEC`: what can be said of a network before anybody elects on it. */
import "../../campaign/graph-files.ts";
import { existsSync } from "node:fs";
import type { Command } from "commander";
import { type Given, readAll } from "../../setting.ts";
import { SETTINGS } from "../../settings/simulation.ts";
import { type Analysis, analyse } from "../../topology/analyse.ts";
import type { MixingTime } from "../../topology/mixing.ts";
import { bringsItsSize, buildNetwork, TOPOLOGIES } from "../../topology/spec.ts";
import { version } from "../../version.ts";
import type { Io } from "../io.ts";
import { addSettings, jsonOption } from "../options/options.ts";
import { figure, plural } from "../text/figures.ts";
import { examples, type Paint, painter, print } from "../text/terminal.ts";

const { n, seed, largestComponent } = SETTINGS;
const OPTIONS = { n: { ...n, about: "number of nodes to generate", otherwise: "100" }, seed, largestComponent };

const DEFAULT_N = 100;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Reads an edge list or GraphML file (plain or gzip), or generates a network, and prints what matters for elections " +
        `on it. Networks: ${TOPOLOGIES}.`,
    )
    .argument("<network>", "a file, or a network as --topology of simulate takes it");
  addSettings(command, OPTIONS)
    .addOption(jsonOption())
    .addHelpText(
      "after",
      examples(
        [
          ["sortition graph hypercube --n 1024", "a hypercube of ten dimensions"],
          ["sortition graph power-law:0.8 --n 50000", "the network of Ramanathan et al."],
          ["sortition graph p2p-Gnutella31.txt.gz --largest-component", "an edge list from SNAP"],
        ],
        "docs/networks.md",
      ),
    )
    .action((name: string, options: Given<typeof OPTIONS> & { json?: true }) => {
      const spec = specOf(name);
      const { n, seed, largestComponent } = readAll(OPTIONS, options);
      const network = buildNetwork({
        spec,
        n: n ?? (bringsItsSize(spec) ? null : DEFAULT_N),
        seed,
        largestComponent,
      });
      const analysis = analyse(network);
      if (options.json) print(io, JSON.stringify({ version, network: spec, ...analysis }, null, 2));
      else print(io, describe(spec, analysis, painter(io.stdout)));
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
