import type { Bug } from "./bug.ts";

export const forgetsItsPart: Bug = {
  name: "forgets-its-part",
  mistake: "a restarted member knows the term that it saved, but not that it may have taken part in it",
  mix: "elections",
  runs: 40,
  breaks: ["takes-part-once"],
  plant(machine) {
    return {
      ...machine,
      init(params, self, saved, ctx) {
        const state = machine.init(params, self, saved, ctx);
        for (const office of state.offices.values()) office.joinedTerm = 0;
        return state;
      },
    };
  },
};
