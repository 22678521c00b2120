import { randomWalks } from "../protocols/graph/random-walks.ts";
import { randomWalksHolds } from "../protocols/narration/holding.ts";
import { narrateRandomWalks } from "../protocols/narration/kutten.ts";
import { boundWalks, predictWalks } from "../theory/kutten/predict-walks.ts";
import type { Entry } from "./entry.ts";
import { allowance, type Tries } from "./planning.ts";
import { candidatesFor, SHARES } from "./sampling.ts";

export const randomWalksEntry: Entry = {
  protocol: randomWalks,
  predict: predictWalks,
  narrate: narrateRandomWalks,
  page: { holds: randomWalksHolds },
  planning: {
    predict: boundWalks,
    ways: ({ topology }) => (topology === "ring" ? "its walks would take about n² steps on a ring" : [search]),
    time: ({ params }) => 2 * Number(params.tau),
    measured: () => true,
    shortfall: ({ loss, crash }) =>
      loss > 0 || crash > 0
        ? "every walk of the winner must come back, which loss and crashes prevent (for a threshold below 1 there is no prediction)"
        : null,
  },
};

function search(tries: Tries): void {
  const { setting } = tries;
  if (setting.n < 2) return;
  const budget = allowance(setting, "bound");
  const most = 64 * Math.ceil(Math.sqrt(setting.n * Math.log(setting.n + 1)));
  for (const share of SHARES) {
    const candidates = candidatesFor(setting, share * budget);
    tries.addSmallest(most, (walks) => tries.attempt({ candidates, walks }));
  }
}
