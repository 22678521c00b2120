/** What theory expects of a setting, by quantity; nothing where it has no answer, or only a bound. */

import type { Settings } from "../simulation/settings.ts";
import { predict } from "../theory/predict.ts";

export function theoryOf(settings: Settings): Readonly<Record<string, number | null>> {
  const { protocol, n, ids, initiators, params, faults, topology, delay } = settings;
  const { loss, multicastLoss, crash, losses, crashes, pauses, partitions } = faults;
  const { assumes } = protocol;
  const planned = losses.length + crashes.length + pauses.length + partitions.length > 0;
  // Theory knows random ids, the network that the protocol is made for, and faults that strike at random.
  const foreign = assumes.topology === "connected" ? topology !== "complete" : topology !== assumes.topology;
  if (planned || foreign || (ids !== "random" && assumes.identity === "ids")) return {};
  const starters = initiators === "all" ? n : initiators;
  const prediction = predict({ protocol: protocol.name, n, params, initiators: starters, loss, multicastLoss, crash });
  if (prediction === null || prediction.method === "bound") return {};
  const { success, messages, rounds } = prediction;
  const known = { success, messages, rounds: delay.kind === "fixed" ? rounds : null };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
