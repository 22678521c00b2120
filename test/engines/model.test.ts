import { loneEngine } from "../support/lone-engine.ts";
import type { Bench } from "./bench.ts";
import { conformance } from "./conformance.ts";

const TICK = 10;

const model: Bench = {
  name: "the simulated engine",
  slack: TICK,
  speed: "memory",
  async begin() {
    const engine = loneEngine({ tick: TICK, keep: 1e9 });
    return {
      ask: async (request) => engine.ask(request)!,
      async turn(ms) {
        engine.obey({ kind: "step", by: ms });
      },
      stamp: () => engine.state.stamp,
      restart: async () => engine.restart(),
      snapshot: async () => engine.obey({ kind: "snapshot" }),
      restore: async () => engine.obey({ kind: "restore", noticed: false }),
      end: async () => {},
    };
  },
};

conformance(model);
