import { epidemicMulticast } from "../protocols/group/epidemic-multicast.ts";
import * as narrators from "../protocols/narration/group.ts";
import { predictEpidemic } from "../theory/epidemic.ts";
import type { Entry } from "./entry.ts";

export const epidemicMulticastEntry: Entry = {
  protocol: epidemicMulticast,
  predict: predictEpidemic,
  narrate: narrators.epidemicMulticast,
  planning: "it delivers a message to everybody; it elects nobody",
};
