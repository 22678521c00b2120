import { SELF } from "../../../../src/protocol.ts";
import type { StrictBug } from "./bug.ts";

export const unsettled: StrictBug = {
  name: "unsettled",
  mistake: "a lease is released as soon as the work is told to stop, before it has settled",
  mix: "resign",
  wanted: { lease: { settling: [100, 1000] } },
  runs: 5,
  breaks: ["settled-first"],
  plant: ({ group, ...parts }) => ({
    ...parts,
    group: {
      ...group,
      receive(state, port, message, ctx) {
        const led = Object.entries(state.report.offices).filter(([, { mine }]) => mine);
        group.receive(state, port, message, ctx);
        if (port !== SELF) return;
        for (const [office, { token }] of led) {
          if (state.report.offices[office].mine || token === null) continue;
          group.receive(state, SELF, { kind: "settled", office, token }, ctx);
        }
      },
    },
  }),
};
