/** Parameters for filter-relay and for councils. */
import { type Search, Tries } from "./sampling.ts";
import { attempt, type Setting } from "./setting.ts";

const MOST_RARE = 0.01;

/** K grows by a seventh from try to try: what lies between costs hardly less. */
export function searchFilterRelay(setting: Setting): Search {
  const tries = new Tries(setting);
  for (let k = 1; k < 8 * setting.n; k = Math.max(k + 1, Math.round((k * 8) / 7))) {
    const K = Math.min(k, setting.n);
    const tried = attempt(setting, "filter-relay", { K });
    // A mean that hangs on one election in ten thousand, or in a million, is nothing to plan with.
    if (tried !== null && tried.rare < MOST_RARE) tries.add(tried);
    if (K === setting.n) break;
    // Unicasts grow with the square of K.
    const { found } = tries.result();
    if (found !== null && K > 4 * Number(found.chosen.K)) break;
  }
  return tries.result();
}

/** Copies of the closing list that are worth sending. */
const MOST_LISTS = 64;

/** c for the fewest exchanges or for the fewest replies; a closing list where replies or lists can be lost. */
export function searchCouncil(setting: Setting, protocol: string): Search {
  const { L, U } = setting.council!;
  const { loss, multicastLoss, crash } = setting;
  const tries = new Tries(setting);
  const words = protocol === "council-masks" ? [{}] : [{ c: "auto-N" }, { c: "auto-T" }];
  const range = protocol === "council-masks" ? { U } : { L, U };
  for (const word of words) {
    // Finding c takes longest, and it does not depend on the lists.
    const tuned = attempt(setting, protocol, { ...range, ...word, confirm: true })?.parameters ?? {};
    const constant = "c" in tuned ? { c: tuned.c } : {};
    const tryWith = (lists: number) =>
      attempt(setting, protocol, {
        ...range,
        ...constant,
        ...(loss > 0 || multicastLoss > 0 || crash > 0 ? { confirm: true, lists } : {}),
      });
    if (multicastLoss === 0) tries.add(tryWith(1));
    else tries.addSmallest(MOST_LISTS, tryWith);
  }
  return tries.result();
}
