import type { Wanted } from "../../scenario.ts";
import { asking, type StrictBug } from "./bug.ts";

/**
 * Two members that do not hear each other: one leads, the other has won as well and waits. Meanwhile the engine is put back, again
 * and again, to a copy from before the leader's token.
 */
const PARTED: Wanted = {
  members: 2,
  policy: "available",
  offices: ["leader"],
  lease: { ttl: 1000, preemptible: false },
  faults: {
    losses: [[0, 1] as const, [1, 0] as const].map((link) => ({
      rate: 1,
      kind: "both",
      link,
      from: 12_000,
      to: 29_000,
    })),
    commands: [
      { node: 2, at: 8000, message: { kind: "snapshot" } },
      ...[0, 1].map((node) => ({ node, at: 10_000, message: { kind: "resign", office: "leader" } })),
      ...[14, 17, 20, 23, 26].map((second) => ({
        node: 2,
        at: 1000 * second,
        message: { kind: "restore", noticed: false },
      })),
    ],
  },
};

export const floorForgotten: StrictBug = {
  name: "floor-forgotten",
  mistake:
    "who asks for a lease does not say which token it has seen: an engine put back to an old copy cannot notice it",
  mix: "calm",
  wanted: PARTED,
  runs: 8,
  breaks: ["ends-in-time"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: asking(group, (request) => (request.kind === "acquire" ? { ...request, floor: 0 } : request)),
  }),
};
