import { refereesAsync } from "../protocols/complete/referees-async.ts";
import { narrateRefereesAsync } from "../protocols/narration/referees-async.ts";
import { predictRefereesAsync } from "../theory/kutten/predict-referees-async.ts";
import type { Entry } from "./entry.ts";
import { allowance, type Tries } from "./planning.ts";
import { candidatesFor, reachable, SHARES } from "./sampling.ts";

export const refereesAsyncEntry: Entry = {
  protocol: refereesAsync,
  predict: predictRefereesAsync,
  narrate: narrateRefereesAsync,
  planning: {
    ways: () => [search],
    time({ params, n }, tail, { factors }) {
      const once = n === 1 ? 0 : 2 + Number(params.window);
      return (factors!.asksAgain ?? 0) <= tail ? once : Number(params.tries) * once;
    },
    half: ({ m, threshold }, n) => {
      const asked = Math.min(Number(m), n);
      return reachable(n, asked, Math.floor(Number(threshold) * asked) + 1);
    },
  },
};

/** Everybody asked, or the smallest part of the group that will do. */
function search(tries: Tries): void {
  const { setting } = tries;
  const { n } = setting;
  const budget = allowance(setting, "approximation");
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    tries.add(tries.attempt({ candidates, m: n }));
    const largest = Math.min(n - 1, 24 * Math.ceil(Math.sqrt(n * Math.log(n))));
    if (n > 2) tries.addSmallest(largest, (m) => tries.attempt({ candidates, m }));
  }
}
