import { epidemicMulticast } from "../protocols/group/epidemic-multicast.ts";
import { narrateEpidemicMulticast } from "../protocols/narration/group.ts";
import { predictEpidemic } from "../theory/gupta/epidemic.ts";
import type { Entry } from "./entry.ts";

export const epidemicMulticastEntry: Entry = {
  protocol: epidemicMulticast,
  predict: predictEpidemic,
  narrate: narrateEpidemicMulticast,
  planning: "it delivers a message to everybody; it elects nobody",
};
