import type { GroupState } from "../../../../src/elector/state.ts";
import { isAnswer, pretend, type StrictBug } from "./bug.ts";
import { answersTo, deaf, late } from "./faults.ts";

export const revived: StrictBug = {
  name: "revived",
  mistake: "leadership that has ended comes back when the engine is heard again and says that it has the lease",
  mix: "calm",
  wanted: {
    members: 2,
    policy: "available",
    lease: { ttl: 2000 },
    faults: { spikes: late(answersTo(2, [0, 1]), 0.5, 3000), losses: deaf(2, [0, 1], [8000, 14_000, 20_000], 4000) },
  },
  runs: 5,
  breaks: ["ends-in-time"],
  plant({ group, ...parts }) {
    /** By office, the leases that have run out. */
    const lapsed = new WeakMap<GroupState, Map<string, string>>();
    return {
      ...parts,
      group: {
        ...group,
        expire(state, timer, ctx) {
          const before = state.report.offices;
          group.expire!(state, timer, ctx);
          for (const office in before) {
            const { mine, lease } = before[office];
            if (!mine || lease === null || state.report.offices[office].mine) continue;
            lapsed.set(state, (lapsed.get(state) ?? new Map()).set(office, lease));
          }
        },
        receive(state, port, message, ctx) {
          group.receive(state, port, message, ctx);
          if (!isAnswer(message) || message.kind !== "renewed" || message.to !== state.life) return;
          for (const { seat, lease, token } of message.leases) {
            if (lapsed.get(state)?.get(seat) !== lease || state.report.offices[seat].mine) continue;
            pretend(state, seat, { mine: true, leader: state.name, token, lease });
          }
        },
      },
    };
  },
};
