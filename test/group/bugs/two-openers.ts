import type { GroupState } from "../../../src/elector/state.ts";
import { type Bug, hearing } from "./bug.ts";

export const twoOpeners: Bug = {
  name: "two-openers",
  mistake:
    "two who open one term with different parameters wait for each other: nobody moves to the smaller election, and who has heard of the other one does not give its own up",
  mix: "lossy",
  wanted: { members: 2, discord: true, policy: "available", offices: ["a", "b", "c", "d", "e", "f", "g", "h"] },
  runs: 40,
  breaks: ["settles"],
  plant(machine) {
    /** The elections beside which another one of that term was heard of, by generation. */
    const rivalled = new WeakMap<GroupState, Set<number>>();
    const aloof = hearing(machine, (state, message) => {
      if (!("kind" in message) || (message.kind !== "child" && message.kind !== "open")) return message;
      const election = state.offices.get(message.office)?.election;
      if (election == null || election.term !== message.term || election.id === message.id) return message;
      rivalled.set(state, (rivalled.get(state) ?? new Set()).add(election.generation));
      return null;
    });
    return {
      ...aloof,
      expire(state, timer, ctx) {
        const office = timer.startsWith("overdue/") ? state.offices.get(timer.slice("overdue/".length)) : undefined;
        const waits = office?.election != null && rivalled.get(state)?.has(office.election.generation) === true;
        if (!waits) machine.expire!(state, timer, ctx);
      },
    };
  },
};
