import { asking, type StrictBug } from "./bug.ts";

export const floorForgotten: StrictBug = {
  name: "floor-forgotten",
  mistake:
    "who asks for a lease does not say which token it has seen: an engine put back to an old copy cannot notice it",
  mix: "engine-rewind+resign+crash",
  runs: 40,
  breaks: ["ends-in-time"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: asking(group, (request) => (request.kind === "acquire" ? { ...request, floor: 0 } : request)),
  }),
};
