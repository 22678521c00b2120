/**
 * How long a protocol waits by itself: the longest delay of each of its timers, once each. A member that gives up before
 * those are over would call an election failed that goes as it should.
 */
import type { AnyProtocol } from "../../protocol.ts";
import { wrapper } from "../wrapper.ts";

interface Noted {
  child: unknown;
  /** By timer, in the protocol's unit of time. */
  readonly longest: Record<string, number>;
}

/** The protocol as it is; its state remembers what it has armed. */
export function noting(bare: AnyProtocol): AnyProtocol {
  const note = ({ longest }: Noted, timer: string, delay: number) => {
    // Numbered timers are one: "try 1", "try 2" and so on would put the end off for ever.
    const kind = timer.replace(/\d+/g, "#");
    longest[kind] = Math.max(longest[kind] ?? 0, delay);
  };
  return wrapper<unknown, unknown, unknown, string, unknown, unknown, Noted, unknown>(
    bare,
    (state, ctx) => ({
      wrap: (message) => message,
      timers: {
        arm(timer: string, min: number, max = min) {
          note(state, timer, max);
          ctx.arm(timer, min, max);
        },
        deadline(timer: string, after: number) {
          note(state, timer, after);
          ctx.deadline(timer, after);
        },
        disarm: (timer: string) => ctx.disarm(timer),
      },
    }),
    (inside) => ({
      init(params, self, saved, ctx) {
        const state: Noted = { child: null, longest: {} };
        state.child = bare.init(params, self, saved, inside(state, ctx));
        return state;
      },
      receive: (state, port, message, ctx) => bare.receive(state.child, port, message, inside(state, ctx)),
      expire: (state, timer, ctx) => bare.expire!(state.child, timer, inside(state, ctx)),
      bits: (message) => bare.bits(message),
      accepts: bare.accepts && ((message) => bare.accepts!(message)),
      counts: bare.counts && ((message) => bare.counts!(message)),
    }),
  );
}

/** The sum, for a state of a noting protocol, or of one that is wrapped around it. */
export function waitsIn(state: unknown): number {
  let inner = state as Partial<Noted>;
  while (inner.longest === undefined) inner = inner.child as Partial<Noted>;
  return Object.values(inner.longest).reduce((sum, delay) => sum + delay, 0);
}
