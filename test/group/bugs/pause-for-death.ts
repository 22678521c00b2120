import type { GroupState } from "../../../src/elector/state.ts";
import { WATCH_PROFILES } from "../../../src/elector/watch/profiles.ts";
import type { Bug } from "./bug.ts";

export const pauseForDeath: Bug = {
  name: "pause-for-death",
  mistake: "a watcher counts silence by the clock: after a pause of its own it takes the time for the leader's silence",
  mix: "pauses",
  // Where there are more, it takes two watchers to be wrong at the same time, and the leader is asked before.
  wanted: { members: 2 },
  runs: 60,
  breaks: ["the-healthy-live", "no-usurper"],
  plant(machine, clock) {
    const lastTick = new WeakMap<GroupState, number>();
    return {
      ...machine,
      expire(state, timer, ctx) {
        // It does not notice that it stood still...
        if (timer === "watch/stalled") return;
        if (timer === "watch/tick") {
          const { tick } = WATCH_PROFILES[state.params.profile];
          const late = Math.floor((clock() - (lastTick.get(state) ?? clock())) / tick) - 1;
          lastTick.set(state, clock());
          // ...and the clock says how many ticks the silence has lasted.
          if (late > 0) for (const seat of state.watch.seats.held.values()) seat.silent += late;
        }
        machine.expire!(state, timer, ctx);
        if (!state.watch.ticking) lastTick.delete(state);
      },
    };
  },
};
