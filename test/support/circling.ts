/** Node 0 talks to itself for ever; a way out is there in every other configuration only. */
import type { Context, Port, Self } from "../../src/protocol.ts";

interface Circling {
  open: boolean;
  out: boolean;
}

export const circling = {
  name: "circling",
  assumes: { topology: "ring" },
  init(_params: object, { id }: Self, _saved: null, ctx: Context<string, "out">): Circling {
    if (id === 2) ctx.send(-1, "go");
    return { open: false, out: false };
  },
  receive(state: Circling, _port: Port, message: string, ctx: Context<string, "out">) {
    if (state.out) return;
    state.open = !state.open;
    if (state.open) ctx.arm("out", 1);
    else ctx.disarm("out");
    ctx.send(-1, message);
  },
  expire(state: Circling) {
    state.out = true;
  },
  verdict: () => ({ status: "undecided", leader: null, term: 0 }),
} as const;
