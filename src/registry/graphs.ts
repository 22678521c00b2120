/** Elections on any connected network: across every link, or by random walks (Kutten et al.). */
import { floodMax } from "../protocols/graph/flood-max.ts";
import { networkSize } from "../protocols/graph/network-size.ts";
import { randomWalks } from "../protocols/graph/random-walks.ts";
import { treeElection } from "../protocols/graph/tree-election.ts";
import { narrateFloodMax, narrateNetworkSize, narrateTreeElection } from "../protocols/narration/graph.ts";
import { floodMaxHolds, randomWalksHolds, treeElectionHolds } from "../protocols/narration/holding.ts";
import { narrateRandomWalks } from "../protocols/narration/kutten.ts";
import { predictFloodMax, predictTree } from "../theory/flooding.ts";
import { boundWalks, predictWalks } from "../theory/kutten/predict-walks.ts";
import { predictSize } from "../theory/network-size.ts";
import type { Entry } from "./entry.ts";
import { allowance, type Planning, type Tries } from "./planning.ts";
import { candidatesFor, SHARES } from "./sampling.ts";

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

export const randomWalksEntry: Entry = {
  protocol: randomWalks,
  predict: predictWalks,
  narrate: narrateRandomWalks,
  page: { holds: randomWalksHolds },
  planning: {
    predict: boundWalks,
    ways: ({ topology }) => (topology === "ring" ? "its walks would take about n² steps on a ring" : [search]),
    time: ({ params }) => 2 * Number(params.tau),
    measured: () => true,
    shortfall: ({ loss, crash }) =>
      loss > 0 || crash > 0
        ? "every walk of the winner must come back, which loss and crashes prevent (for a threshold below 1 there is no prediction)"
        : null,
  },
};

function search(tries: Tries): void {
  const { setting } = tries;
  if (setting.n < 2) return;
  const budget = allowance(setting, "bound");
  const most = 64 * Math.ceil(Math.sqrt(setting.n * Math.log(setting.n + 1)));
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    tries.addSmallest(most, (walks) => tries.attempt({ candidates, walks }));
  }
}
