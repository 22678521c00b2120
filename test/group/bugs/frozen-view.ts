import type { GroupContext, GroupState } from "../../../src/elector/state.ts";
import type { GroupMessage } from "../../../src/elector/talk/messages.ts";
import { SELF } from "../../../src/protocol.ts";
import { type Bug, sendingOnly } from "./bug.ts";

/** The life at the other end of a message of an election; null for all others. */
const partner = (message: GroupMessage, end: "from" | "to"): number | null =>
  "kind" in message && (message.kind === "child" || message.kind === "open") ? message[end] : null;

export const frozenView: Bug = {
  name: "frozen-view",
  mistake:
    "a member holds elections among those whom it found when it joined: who joined after it is neither asked nor heard",
  mix: "succession",
  runs: 10,
  breaks: ["settles"],
  plant(machine) {
    const found = new WeakMap<GroupState, ReadonlySet<string>>();
    const freeze = (state: GroupState) => {
      if (!state.report.joined || found.has(state)) return;
      found.set(state, new Set(state.members.live.map(({ name }) => name)));
    };
    const isOutside = (state: GroupState, life: number | null) => {
      const name = life === null ? undefined : state.members.lives.get(life);
      return name !== undefined && found.get(state)?.has(name) === false;
    };
    const within = (state: GroupState, ctx: GroupContext) =>
      sendingOnly(ctx, (message) => !isOutside(state, partner(message, "to")));
    return {
      ...machine,
      receive(state, port, message, ctx) {
        freeze(state);
        if (port !== SELF && isOutside(state, partner(message, "from"))) return;
        machine.receive(state, port, message, within(state, ctx));
      },
      expire(state, timer, ctx) {
        freeze(state);
        machine.expire!(state, timer, within(state, ctx));
      },
    };
  },
};
