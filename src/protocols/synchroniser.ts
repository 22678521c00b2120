/**
 * Runs a synchronous protocol on a network that is only timely: rounds are made of time. A round lasts one unit (tau on
 * a live host), what is sent in it carries its number and is handed over when the receiver's own round of that number
 * ends, in a canonical order; then due timers fire, then the round ends, as in lock-step.
 *
 * G. Tel, E. Korach, S. Zaks, "Synchronizing ABD networks", IEEE/ACM Transactions on Networking 2(1), 1994: where delays
 * are bounded, clocks replace the acknowledgements of Awerbuch's synchronisers (JACM 32(4), 1985).
 *
 * Model: asynchronous with a bound; all start within tau less the longest delay of a message. What comes later than its
 * round is lost to the protocol, and counted in the measure `late`. Cost: no message more than the protocol itself.
 */
import type { Context, Port, Protocol } from "../protocol.ts";
import { bitLength } from "./bits.ts";
import { completeProtocol, type GivenProtocol } from "./check.ts";
import { hasShape, isCount } from "./shape.ts";
import { wrapper } from "./wrapper.ts";

export interface Tagged<M> {
  /** The sender's round. */
  readonly round: number;
  /** Tells the sender's messages of one round apart: links need not keep their order. */
  readonly index: number;
  readonly message: M;
}

/** How many rounds a node catches up at most: a message from further ahead is no neighbour's, and would keep it busy for ever. */
const LONGEST_LEAP = 2 ** 16;

const isTagged = <M>(message: unknown): message is Tagged<M> =>
  hasShape(message, { round: isCount, index: isCount, message: () => true });

type TaggedContext<M> = Context<Tagged<M>, string>;

interface Timer<T> {
  readonly timer: T;
  readonly due: number;
  readonly order: number;
  readonly isDeadline: boolean;
}

interface SynchronisedState<S, M, T> {
  round: number;
  child: S;
  /** Messages of rounds that have not ended here. */
  inbox: (Tagged<M> & { readonly port: Port })[];
  timers: Timer<T>[];
  requests: number;
  sent: number;
}

/** How the rounds of a synchronised protocol are made. */
export interface SynchroniserOptions {
  /** The clock stops after this many rounds: a simulation ends only when nothing is left to happen. */
  readonly rounds?: number;
}

/**
 * A protocol for synchronous rounds made into one that runs in time: a round ends when its unit of time is over.
 *
 * @example
 * ```ts
 * import { simulate } from "sortition/simulate";
 * import { protocolNamed, synchronise } from "sortition/protocol";
 *
 * const protocol = synchronise(protocolNamed("time-slice"), { rounds: 100 });
 * const { success } = await simulate({ protocol, n: 5, trials: 10 });
 * ```
 */
export function synchronise<P, S, M, T extends string, Saved, Report>(
  given: GivenProtocol<P, S, M, T, Saved, Report>,
  { rounds = Infinity }: SynchroniserOptions = {},
): Protocol<P, SynchronisedState<S, M, T>, Tagged<M>, string, Saved, Report> {
  const child = completeProtocol(given);
  type State = SynchronisedState<S, M, T>;

  return wrapper(child, inRounds<S, M, T>, (inside) => {
    /** Into the next round, or past all those before `to` in which nothing is due here. */
    function advance(state: State, ctx: TaggedContext<M>, to = state.round + 1): void {
      state.round++;
      for (const { due } of state.timers) to = Math.min(to, due);
      for (const { round } of state.inbox) to = Math.min(to, round + 1);
      state.round = Math.max(state.round, to);
      state.sent = 0;
      playRound(child, state, inside(state, ctx));
    }

    return {
      assumes: { ...child.assumes, timing: "partial", start: "common", fifo: false },
      measures: { ...child.measures, late: "sum" },
      // Rounds are the synchroniser's from here on, and it draws candidates itself.
      timing: undefined,
      rounds: undefined,
      endRound: undefined,
      wakes: undefined,
      candidacy: undefined,
      accepts: (message) => isTagged<M>(message) && (child.accepts?.(message.message) ?? true),
      counts: ({ message }) => child.counts?.(message) ?? true,

      init(params, self, saved, ctx) {
        const state: State = { round: 0, child: null as S, inbox: [], timers: [], requests: 0, sent: 0 };
        const odds = child.candidacy?.(params, self.n ?? ctx.degree + 1);
        const candidate = odds !== undefined && self.initiator && ctx.coin(odds);
        state.child = child.init(params, { ...self, candidate }, saved, inside(state, ctx));
        if (state.timers.some(({ due }) => due <= 0)) playRound(child, state, inside(state, ctx));
        if (rounds > 0) ctx.arm("round", 1);
        return state;
      },

      receive(state, port, message, ctx) {
        // A command of the user comes as it is, and is heard at the end of the present round.
        const tagged = isTagged<M>(message) ? message : tag(state, message);
        if (tagged.round < state.round || tagged.round > state.round + LONGEST_LEAP) return ctx.measure("late", 1);
        state.inbox.push({ ...tagged, port });
        // Two rounds behind the sender: this node was paused or started late, and catches up.
        if (tagged.round > state.round + 1) {
          while (state.round < tagged.round) advance(state, ctx, tagged.round);
          ctx.arm("round", 1);
        }
      },

      expire(state, _timer, ctx) {
        if (state.round + 1 < rounds) ctx.arm("round", 1);
        advance(state, ctx);
      },

      bits: ({ round, message }) => bitLength(round) + child.bits(message),
    };
  });
}

const tag = <M>(state: { readonly round: number; sent: number }, message: M): Tagged<M> => ({
  round: state.round,
  index: state.sent++,
  message,
});

/** What the child sees: time in rounds, and links on which everything takes one. */
function inRounds<S, M, T extends string>(state: SynchronisedState<S, M, T>, ctx: TaggedContext<M>) {
  const set = (timer: string, due: number, isDeadline: boolean) => {
    disarm(timer);
    state.timers.push({ timer: timer as T, due, order: state.requests++, isDeadline });
  };
  const disarm = (timer: string) => {
    state.timers = state.timers.filter((armed) => armed.timer !== timer);
  };
  return {
    wrap: (message: M): Tagged<M> => tag(state, message),
    timers: {
      arm(timer: string, min: number, max = min) {
        const least = Math.ceil(min);
        const spread = Math.floor(max) - least;
        set(timer, state.round + least + (spread > 0 ? ctx.choose(spread + 1) : 0), false);
      },
      deadline: (timer: string, after: number) => set(timer, Math.ceil(state.round + after), true),
      disarm,
    },
  };
}

/** Deadlines, then messages, then other timers, then the end of the round; again while more is due in it. */
function playRound<S, M, T extends string>(
  child: Pick<Protocol<never, S, M, T>, "receive" | "expire" | "endRound">,
  state: SynchronisedState<S, M, T>,
  within: Context<M, T>,
): void {
  let touched = false;
  const expire = (isDeadline: boolean) => {
    for (let due = takeDue(state, isDeadline); due !== null; due = takeDue(state, isDeadline)) {
      touched = true;
      child.expire!(state.child, due, within);
    }
  };
  expire(true);
  for (const { port, message } of takeInbox(state)) {
    touched = true;
    child.receive(state.child, port, message, within);
  }
  expire(false);
  if (touched) child.endRound?.(state.child, state.round, within);
  if (state.timers.some(({ due }) => due <= state.round)) playRound(child, state, within);
}

/** The messages of the round that has just ended, by port (the node's own first), then in the order of sending. */
function takeInbox<M>(state: { round: number; inbox: (Tagged<M> & { readonly port: Port })[] }) {
  const due = state.inbox.filter(({ round }) => round < state.round);
  state.inbox = state.inbox.filter(({ round }) => round >= state.round);
  return due.sort((a, b) => a.port - b.port || a.index - b.index);
}

/** The first timer that is due, taken off the list; null when there is none. */
function takeDue<T>(state: { round: number; timers: Timer<T>[] }, isDeadline: boolean): T | null {
  const due = state.timers
    .filter((armed) => armed.due <= state.round && armed.isDeadline === isDeadline)
    .sort((a, b) => a.due - b.due || a.order - b.order)[0];
  if (due === undefined) return null;
  state.timers = state.timers.filter((armed) => armed !== due);
  return due.timer;
}
