/** What theory expects of a setting, by quantity; nothing where it has no answer, or only a bound. */

import { isFaultless } from "../host/faults/faults.ts";
import { entryOf, predict } from "../registry/all.ts";
import { RATES } from "../settings/simulation.ts";
import type { Method } from "../theory/prediction.ts";
import { questionFrom } from "./question.ts";
import type { Settings } from "./settings.ts";

/** Means and the success rate, by name. */
export type Expected = Readonly<Record<string, number | null>>;

export function theoryOf(settings: Settings): Expected {
  return expected(settings, ["exact", "approximation"]) ?? {};
}

/** Null where theory is only near, or silent. */
export const exactTheoryOf = (settings: Settings): Expected | null => expected(settings, ["exact"]);

function expected(settings: Settings, methods: readonly Method[]): Expected | null {
  const { ids, faults, topology, delay, until } = settings;
  const { assumes } = settings.protocol;
  const anyNetwork = entryOf(settings.protocol)?.anyNetwork === true;
  const planned = !isFaultless(faults, Object.keys(RATES) as (keyof typeof RATES)[]);
  // Theory knows random ids, the network that the protocol is made for, and faults that strike at random.
  const foreign =
    assumes.topology === "connected" ? topology !== "complete" && !anyNetwork : topology !== assumes.topology;
  if (planned || foreign || until !== undefined || (ids !== "random" && assumes.identity === "ids")) return null;
  const prediction = predict(questionFrom(settings));
  if (!methods.includes(prediction.method)) return null;
  const { success, messages, rounds } = prediction;
  const known = { success, messages, rounds: delay.kind === "fixed" ? rounds : null };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
}
