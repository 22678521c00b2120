import type { KnownMember } from "../../../src/protocols/membership/records.ts";
import type { Bug } from "./bug.ts";

export const countedTwice: Bug = {
  name: "counted-twice",
  mistake: "a member that comes back in a new life is added to the list beside its former one, which stays",
  mix: "restarts",
  runs: 5,
  breaks: ["nobody-twice"],
  plant(machine) {
    return {
      ...machine,
      receive(state, port, message, ctx) {
        const before = new Map(state.members.live.map((member) => [member.name, member]));
        machine.receive(state, port, message, ctx);
        const { live } = state.members;
        const replaced = live.flatMap((member): KnownMember[] => {
          const former = before.get(member.name);
          return former !== undefined && former.life !== member.life ? [former] : [];
        });
        live.push(...replaced);
      },
    };
  },
};
