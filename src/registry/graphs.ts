/** Elections that cross every link of a network: they need nothing but ids, and have no sizes to choose. */
import { floodMax } from "../protocols/graph/flood-max.ts";
import * as narrators from "../protocols/narration/graph.ts";
import { predictFloodMax } from "../theory/flooding.ts";
import type { Entry } from "./entry.ts";

export const graphEntries: readonly Entry[] = [
  { protocol: floodMax, predict: predictFloodMax, narrate: narrators.floodMax, anyNetwork: true },
];
