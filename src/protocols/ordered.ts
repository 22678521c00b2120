/**
 * Order for a protocol that bears loss but not disorder: messages are numbered, and one that has been overtaken, or comes
 * twice, counts as lost (measure `overtaken`). Nothing is sent again, and nothing is answered.
 *
 * Each life of a neighbour is a stream of its own. Which of two lives is the later one cannot be told from one message, so
 * there is no order between lives.
 */
import { type Context, type Port, type Protocol, SELF } from "../protocol.ts";
import { bitLength } from "./bits.ts";
import { completeProtocol, type GivenProtocol } from "./check.ts";
import { hasShape, isCount } from "./shape.ts";
import { wrapper } from "./wrapper.ts";

interface Numbered<M> {
  readonly life: number;
  readonly number: number;
  readonly message: M;
}

interface OrderedState<S> {
  child: S;
  readonly life: number;
  /** By port: how many messages have left. */
  readonly sent: Record<Port, number>;
  /** By port: the lives heard last, and the number that each would use next at the earliest. */
  readonly heard: Record<Port, { readonly life: number; next: number }[]>;
}

/** Lives of one neighbour that are told apart: more cannot have messages on their way at one time. */
const MOST_LIVES = 8;

/** Order for a protocol that bears loss but not disorder: what has been overtaken counts as lost. */
export function ordered<P, S, M, T extends string, Saved, Report>(
  given: GivenProtocol<P, S, M, T, Saved, Report>,
): Protocol<P, OrderedState<S>, Numbered<M> | M, string, Saved, Report> {
  const child = completeProtocol(given);
  type State = OrderedState<S>;
  type Ctx = Context<Numbered<M> | M, string>;

  function send({ life, sent }: State, port: Port, message: M, ctx: Ctx): void {
    const number = sent[port] ?? 0;
    sent[port] = number + 1;
    ctx.send(port, { life, number, message });
  }

  const inner = (state: State, ctx: Ctx) => ({
    send: (port: Port, message: M) => (port === SELF ? ctx.send(SELF, message) : send(state, port, message, ctx)),
  });

  return wrapper(child, inner, (inside) => ({
    assumes: { ...child.assumes, fifo: false, multicast: false },
    measures: { ...child.measures, overtaken: "sum" },

    init(params, self, saved, ctx) {
      const state: State = { child: null as S, life: self.life, sent: {}, heard: {} };
      state.child = child.init(params, self, saved, inside(state, ctx));
      return state;
    },

    receive(state, port, received, ctx) {
      if (port === SELF) return child.receive(state.child, SELF, received as M, inside(state, ctx));
      const { life, number, message } = received as Numbered<M>;
      state.heard[port] ??= [];
      const lives = state.heard[port];
      let stream = lives.find((heard) => heard.life === life);
      if (stream === undefined) {
        stream = { life, next: 0 };
        lives.push(stream);
        if (lives.length > MOST_LIVES) lives.shift();
      }
      if (number < stream.next) return ctx.measure("overtaken", 1);
      stream.next = number + 1;
      child.receive(state.child, port, message, inside(state, ctx));
    },

    accepts: (message) => isNumbered<M>(message) && (child.accepts?.(message.message) ?? true),
    counts: (message) => child.counts?.(isNumbered<M>(message) ? message.message : message) ?? true,
    bits: (message) =>
      isNumbered<M>(message)
        ? bitLength(message.life) + bitLength(message.number) + child.bits(message.message)
        : child.bits(message),
  }));
}

const isNumbered = <M>(message: unknown): message is Numbered<M> =>
  hasShape(message, { life: Number.isSafeInteger, number: isCount, message: () => true });
