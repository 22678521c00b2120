import type { Bug } from "./bug.ts";

export const termNotSaved: Bug = {
  name: "term-not-saved",
  mistake: "who adopts a term of others does not save it; only who opens one does",
  mix: "restarts",
  runs: 5,
  breaks: ["terms-grow", "takes-part-once"],
  plant(machine) {
    return {
      ...machine,
      saved(state) {
        const own = [...state.offices.values()].filter(({ claim }) => claim?.holder === state.name);
        return { ...state.kept, terms: Object.fromEntries(own.map(({ name, term }) => [name, term])) };
      },
    };
  },
};
