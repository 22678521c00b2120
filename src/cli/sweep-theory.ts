/** What theory expects of a setting, by quantity; nothing where it has no answer. */
import type { Settings } from "../campaign/settings.ts";
import { NO_FAULTS } from "../host/faults.ts";
import { ringTheory } from "../theory/rings.ts";

export function theoryOf(settings: Settings): Readonly<Record<string, number | null>> {
  const { protocol, n, ids, initiators, faults } = settings;
  const plain = ids === "random" && initiators === "all" && JSON.stringify(faults) === JSON.stringify(NO_FAULTS);
  const messages = plain ? (ringTheory(protocol, n)?.messages ?? null) : null;
  return messages === null ? {} : { messages };
}
