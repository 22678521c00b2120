/** Elections that cross every link of a network: they need nothing but ids, and have no sizes to choose. */
import { floodMax } from "../protocols/graph/flood-max.ts";
import { networkSize } from "../protocols/graph/network-size.ts";
import { treeElection } from "../protocols/graph/tree-election.ts";
import { narrateFloodMax, narrateNetworkSize, narrateTreeElection } from "../protocols/narration/graph.ts";
import { floodMaxHolds, treeElectionHolds } from "../protocols/narration/holding.ts";
import { predictFloodMax } from "../theory/flooding.ts";
import { predictSize } from "../theory/network-size.ts";
import { predictTree } from "../theory/spanning-tree.ts";
import type { Entry } from "./entry.ts";
import type { Planning } from "./planning.ts";

const everywhere: Planning["refuse"] = ({ topology }) =>
  topology === "complete" ? "it crosses every link twice, and where all are linked that is about n² messages" : null;

export const graphEntries: readonly Entry[] = [
  {
    protocol: floodMax,
    predict: predictFloodMax,
    narrate: narrateFloodMax,
    page: { holds: floodMaxHolds },
    anyNetwork: true,
    // Who counts rounds does not notice that nothing comes from the other half; who waits for echoes waits for ever.
    planning: { refuse: everywhere, half: ({ stop }) => (stop === "diameter" ? 1 : 0) },
  },
  {
    protocol: treeElection,
    predict: predictTree,
    narrate: narrateTreeElection,
    page: { holds: treeElectionHolds, phase: "level" },
    anyNetwork: true,
    planning: { refuse: everywhere },
  },
  {
    protocol: networkSize,
    predict: predictSize,
    narrate: narrateNetworkSize,
    anyNetwork: true,
    planning: "it estimates how many processes there are; it elects nobody",
  },
];
