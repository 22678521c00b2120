/** Small protocols that show what the live host does; each takes one handler or two from its test. */
import type { Context, Protocol, Verdict } from "../../src/protocol.ts";

type Ctx = Context<string, string>;

export interface Notes {
  id: number;
  lines: string[];
  status: Verdict["status"];
}

export interface Behaviour {
  readonly assumes?: Partial<Protocol<object, Notes, string>["assumes"]>;
  start?(notes: Notes, ctx: Ctx): void;
  receive?(notes: Notes, port: number, message: string, ctx: Ctx): void;
  expire?(notes: Notes, timer: string, ctx: Ctx): void;
  leave?(notes: Notes, ctx: Ctx): void;
  saved?(notes: Notes): unknown;
}

export function witness(name: string, behaviour: Behaviour): Protocol<object, Notes, string, string, unknown> {
  return {
    name,
    title: name,
    citation: "",
    cost: "",
    assumes: {
      topology: "complete",
      identity: "ids",
      timing: "asynchronous",
      start: "common",
      knows: [],
      fifo: false,
      multicast: true,
      tolerates: ["loss"],
      ...behaviour.assumes,
    },
    parameters: [],
    measures: {},
    init(_params, self, saved, ctx) {
      const lines = Array.isArray(saved) ? [...(saved as string[])] : [];
      const notes: Notes = { id: self.id!, lines, status: "undecided" };
      behaviour.start?.(notes, ctx);
      return notes;
    },
    receive: (notes, port, message, ctx) => behaviour.receive?.(notes, port, message, ctx),
    expire: (notes, timer, ctx) => behaviour.expire?.(notes, timer, ctx),
    leave: (notes, ctx) => behaviour.leave?.(notes, ctx),
    verdict: ({ status }) => ({ status, leader: null, term: 0 }),
    ...(behaviour.saved === undefined ? {} : { saved: behaviour.saved }),
    bits: () => 1,
  };
}
