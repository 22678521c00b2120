import { membershipContext } from "../../../src/elector/view.ts";
import { forget } from "../../../src/protocols/membership/view.ts";
import { after, type Bug } from "./bug.ts";

export const resurrected: Bug = {
  name: "resurrected",
  mistake: "the dead are forgotten at once, so that any old rumour brings them back (gossip without tombstones)",
  mix: "succession+partition",
  runs: 20,
  breaks: ["gone-for-good", "settles"],
  plant: (machine) =>
    after(machine, ({ members }, ctx) => {
      for (const name of [...members.buried.keys()]) forget(members, name, membershipContext(ctx));
    }),
};
