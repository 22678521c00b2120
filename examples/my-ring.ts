// my-ring.ts
import { defineProtocol } from "sortition/protocol";
import { type Entry, harmonic } from "sortition/theory";

interface State {
  readonly id: number;
  readonly stands: boolean;
  leader: number | null;
}
type Message = { readonly kind: "elect" | "leader"; readonly id: number };

const NEXT = 0;

export const myRing = defineProtocol<object, State, Message>({
  name: "my-ring",
  assumes: { topology: "ring", direction: "unidirectional" },

  init(_params, self, _saved, ctx) {
    if (self.initiator) ctx.send(NEXT, { kind: "elect", id: self.id! });
    return { id: self.id!, stands: self.initiator, leader: null };
  },

  receive(state, _port, message, ctx) {
    if (message.kind === "leader") {
      if (state.leader !== null) return;
      state.leader = message.id;
      ctx.send(NEXT, message);
    } else if (message.id === state.id) {
      state.leader = state.id;
      ctx.send(NEXT, { kind: "leader", id: state.id });
    } else if (message.id > state.id || !state.stands) {
      ctx.send(NEXT, message);
    }
  },

  verdict: ({ id, leader }) => ({
    status: leader === null ? "undecided" : leader === id ? "elected" : "not-elected",
    leader,
    term: 0,
  }),
});

// my-ring.ts, at its end
export const entry: Entry = {
  protocol: myRing,
  predict: ({ n, initiators, loss, crash }) =>
    initiators === n && loss === 0 && crash === 0
      ? { method: "exact", success: 1, pNone: 0, pMany: 0, messages: n * harmonic(n) + n, rounds: 2 * n }
      : null,
};
