/** Kutten et al. on complete graphs: referees in rounds, and referees without rounds. */
import { refereesLumpedKernel } from "../kernels/referees/lumped.ts";
import { refereesKernel } from "../kernels/referees/referees.ts";
import { referees } from "../protocols/complete/referees.ts";
import { refereesAsync } from "../protocols/complete/referees-async.ts";
import { refereesHolds } from "../protocols/narration/holding.ts";
import { narrateReferees } from "../protocols/narration/kutten.ts";
import { narrateRefereesAsync } from "../protocols/narration/referees-async.ts";
import type { Params } from "../protocols/parameters.ts";
import { predictReferees } from "../theory/kutten/predict.ts";
import { predictRefereesAsync } from "../theory/kutten/predict-referees-async.ts";
import type { Entry } from "./entry.ts";
import { allowance, type Tries } from "./planning.ts";
import { candidatesFor, enough, reachable, SHARES, trip } from "./sampling.ts";

const FORGIVING = "answers=all and a threshold below 1";

export const refereesEntry: Entry = {
  protocol: referees,
  predict: predictReferees,
  narrate: narrateReferees,
  page: { holds: refereesHolds },
  kernels: [refereesKernel, refereesLumpedKernel],
  planning: {
    ways: () => [search],
    bears: { loss: FORGIVING, crash: FORGIVING },
    time: ({ params }) => (params.explicit === true ? 3 : 2),
    half: ({ referees, threshold }, n) => {
      const asked = Math.min(Number(referees), n - 1);
      return reachable(n, asked, Math.ceil(Number(threshold) * asked));
    },
  },
};

/** Small groups: the threshold jumps, so all sizes and shares are worth a look. */
const EVERY_THRESHOLD = 12;

function search(tries: Tries): void {
  const { setting } = tries;
  const { n, loss, crash } = setting;
  if (n < 2) return;
  const budget = allowance(setting, "approximation");
  const faulty = loss > 0 || crash > 0;
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    const params = (asked: number): Params => ({
      candidates,
      referees: asked,
      ...(faulty
        ? { answers: "all", threshold: shareOf(enough(asked, trip(setting), (budget * (1 - share)) / 2), asked) }
        : {}),
    });
    const largest = Math.min(n - 1, 24 * Math.ceil(Math.sqrt(n * Math.log(n))));
    tries.addSmallest(largest, (asked) => tries.attempt(params(asked)));
    if (n > EVERY_THRESHOLD || !faulty) continue;
    for (let asked = Math.ceil(n / 2); asked < n; asked++) {
      for (let t = 1; t <= asked; t++) {
        tries.add(tries.attempt({ candidates, referees: asked, answers: "all", threshold: t / asked }));
      }
    }
  }
}

const shareOf = (part: number, whole: number): number => Math.floor((part / whole) * 1e4) / 1e4;

export const refereesAsyncEntry: Entry = {
  protocol: refereesAsync,
  predict: predictRefereesAsync,
  narrate: narrateRefereesAsync,
  planning: {
    ways: () => [searchAsync],
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
function searchAsync(tries: Tries): void {
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
