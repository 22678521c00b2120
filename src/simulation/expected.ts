/** What theory expects of a setting, by quantity; nothing where it has no answer, or only a bound. */

import { isFaultless } from "../host/faults.ts";
import { predict } from "../registry/all.ts";
import { questionFrom } from "./question.ts";
import type { Settings } from "./settings.ts";
import { RATES } from "./table.ts";

export function theoryOf(settings: Settings): Readonly<Record<string, number | null>> {
  const { ids, faults, topology, delay, until } = settings;
  const { assumes } = settings.protocol;
  const planned = !isFaultless(faults, Object.keys(RATES) as (keyof typeof RATES)[]);
  // Theory knows random ids, the network that the protocol is made for, and faults that strike at random.
  const foreign = assumes.topology === "connected" ? topology !== "complete" : topology !== assumes.topology;
  if (planned || foreign || until !== undefined || (ids !== "random" && assumes.identity === "ids")) return {};
  const prediction = predict(questionFrom(settings));
  if (prediction === null || prediction.method === "bound") return {};
  const { success, messages, rounds } = prediction;
  const known = { success, messages, rounds: delay.kind === "fixed" ? rounds : null };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
