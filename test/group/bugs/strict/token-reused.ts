import type { StrictBug } from "./bug.ts";

export const tokenReused: StrictBug = {
  name: "token-reused",
  mistake: "tokens are counted in the engine's memory: after a restart they begin again",
  mix: "engine-crash+crash+resign",
  runs: 10,
  breaks: ["one-holder-per-token", "tokens-grow"],
  plant: (parts) => ({
    ...parts,
    engine: (machine) => ({
      ...machine,
      saved(state) {
        const seats = [...state.rows.seats].map(([name, seat]) => [name, { ...seat, token: 0 }] as const);
        return { ...machine.saved!(state), rows: { ...state.rows, seats: new Map(seats) } };
      },
    }),
    // Neither the clock nor what members have seen.
    carryOut: (rows, request, clock) =>
      parts.carryOut(rows, request.kind === "acquire" ? { ...request, floor: 0 } : request, { ...clock, stamp: 0 }),
  }),
};
