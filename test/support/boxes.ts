/** The least of wrappers: puts each message of its child into a box. */
import type { AnyProtocol } from "../../src/protocol.ts";
import { type Wrapping, wrapper } from "../../src/protocols/wrapper.ts";

interface Box {
  readonly boxed: unknown;
}

export const boxed = (child: AnyProtocol): AnyProtocol =>
  wrapper(
    child,
    (_state: Wrapping<unknown>) => ({ wrap: (message: unknown): Box => ({ boxed: message }) }),
    (inside) => ({
      init(params, self, saved, ctx) {
        const state = { child: null };
        state.child = child.init(params, self, saved, inside(state, ctx));
        return state;
      },
      receive: (state, port, box, ctx) => child.receive(state.child, port, box.boxed, inside(state, ctx)),
      counts: (box) => child.counts?.(box.boxed) ?? true,
      bits: (box) => child.bits(box.boxed),
      accepts: child.accepts && ((box) => child.accepts!((box as Box).boxed)),
    }),
  );
