import { type Bug, hearing, withoutSome } from "./bug.ts";

export const refutationIgnored: Bug = {
  name: "refutation-ignored",
  mistake: "who is suspected stays suspected: a larger incarnation does not undo it (early versions of SWIM's code)",
  mix: "pauses",
  runs: 10,
  breaks: ["the-healthy-live", "settles"],
  plant: (machine) =>
    hearing(machine, (state, message) =>
      withoutSome(message, {
        member([name, life, , , status]) {
          const known = state.members.members.get(name);
          return known?.status !== "suspect" || known.life !== life || status !== 0;
        },
      }),
    ),
};
