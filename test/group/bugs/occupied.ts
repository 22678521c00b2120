import type { Bug } from "./bug.ts";

export const occupied: Bug = {
  name: "occupied",
  mistake: "now and then a member stands although a live one holds the office, as where that is not looked at again",
  mix: "calm",
  runs: 2,
  breaks: ["no-usurper"],
  plant: (machine) => ({
    ...machine,
    expire(state, timer, ctx) {
      for (const office of state.offices.values()) {
        const isOthers = office.claim?.holder != null && office.claim.holder !== state.name;
        if (timer !== "members/tick" || !isOthers || !ctx.coin(0.002)) continue;
        // As after a request to stand, which bypasses the question whether the office is held.
        office.requestedTerm = office.term + 1;
        office.requestedPlace = 0;
        state.touched.add(office.name);
      }
      machine.expire!(state, timer, ctx);
    },
  }),
};
