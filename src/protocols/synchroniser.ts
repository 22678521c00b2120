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

export interface Tagged<M> {
  /** The sender's round. */
  readonly round: number;
  /** Tells the sender's messages of one round apart: links need not keep their order. */
  readonly index: number;
  readonly message: M;
}

interface Timer<T> {
  readonly timer: T;
  readonly due: number;
  readonly order: number;
  readonly isDeadline: boolean;
}

export interface SynchronisedState<S, M, T> {
  round: number;
  child: S | null;
  /** Messages of rounds that have not ended here. */
  inbox: (Tagged<M> & { readonly port: Port })[];
  timers: Timer<T>[];
  requests: number;
  sent: number;
}

/** How the rounds of a synchronised protocol are made. */
export interface SynchroniserOptions {
  /** The clock stops after so many rounds: a simulation ends only when nothing is left to happen. */
  readonly rounds?: number;
}

/**
 * A protocol for synchronous rounds made into one that runs asynchronously: every node waits for its neighbours at the
 * end of each round.
 */
export function synchronise<P, S, M, T extends string, Saved>(
  child: Protocol<P, S, M, T, Saved>,
  { rounds = Infinity }: SynchroniserOptions = {},
): Protocol<P, SynchronisedState<S, M, T>, Tagged<M>, "round", Saved> {
  type State = SynchronisedState<S, M, T>;
  type Ctx = Context<Tagged<M>, "round">;

  function advance(state: State, ctx: Ctx): void {
    state.round++;
    state.sent = 0;
    playRound(state, ctx);
  }

  function playRound(state: State, ctx: Ctx): void {
    const within = inside(state, ctx);
    const node = state.child as S;
    let touched = false;
    const expire = (isDeadline: boolean) => {
      for (let due = takeDue(state, isDeadline); due !== null; due = takeDue(state, isDeadline)) {
        touched = true;
        child.expire!(node, due, within);
      }
    };
    expire(true);
    for (const { port, message } of takeInbox(state)) {
      touched = true;
      child.receive(node, port, message, within);
    }
    expire(false);
    if (touched) child.endRound?.(node, state.round, within);
    if (state.timers.some(({ due }) => due <= state.round)) playRound(state, ctx);
  }

  /** What the child sees: time in rounds, and links on which everything takes one. */
  function inside(state: State, ctx: Ctx): Context<M, T> {
    const tag = (message: M): Tagged<M> => ({ round: state.round, index: state.sent++, message });
    const set = (timer: T, due: number, isDeadline: boolean) => {
      state.timers = state.timers.filter((armed) => armed.timer !== timer);
      state.timers.push({ timer, due, order: state.requests++, isDeadline });
    };
    return {
      degree: ctx.degree,
      ports: () => ctx.ports(),
      link: (address) => ctx.link(address),
      unlink: (port) => ctx.unlink(port),
      address: (port) => ctx.address(port),
      send: (port, message) => ctx.send(port, tag(message)),
      multicast: (message) => ctx.multicast(tag(message)),
      arm(timer, min, max = min) {
        const least = Math.ceil(min);
        const spread = Math.floor(max) - least;
        set(timer, state.round + least + (spread > 0 ? ctx.choose(spread + 1) : 0), false);
      },
      deadline: (timer, after) => set(timer, Math.ceil(state.round + after), true),
      disarm(timer) {
        state.timers = state.timers.filter((armed) => armed.timer !== timer);
      },
      choose: (n) => ctx.choose(n),
      coin: (p) => ctx.coin(p),
      sample: (k, including) => ctx.sample(k, including),
      peer: (port) => ctx.peer(port),
      enter: (round, after) => ctx.enter(round, after),
      measure: (name, value) => ctx.measure(name, value),
      series: (name, round, value) => ctx.series(name, round, value),
    };
  }

  return {
    name: child.name,
    title: child.title,
    citation: child.citation,
    cost: child.cost,
    assumes: { ...child.assumes, timing: "partial", start: "common", fifo: false },
    parameters: child.parameters,
    measures: { ...child.measures, late: "sum" },
    counts: ({ message }) => child.counts?.(message) ?? true,
    ...(child.judge === undefined ? {} : { judge: child.judge.bind(child) }),
    ...(child.summarise === undefined ? {} : { summarise: child.summarise.bind(child) }),
    ...(child.refuse === undefined ? {} : { refuse: child.refuse.bind(child) }),

    init(params, self, saved, ctx) {
      const state: State = { round: 0, child: null, inbox: [], timers: [], requests: 0, sent: 0 };
      const odds = child.candidacy?.(params, self.n ?? ctx.degree + 1);
      const candidate = odds !== undefined && self.initiator && ctx.coin(odds);
      state.child = child.init(params, { ...self, candidate }, saved, inside(state, ctx));
      if (state.timers.some(({ due }) => due <= 0)) playRound(state, ctx);
      if (rounds > 0) ctx.arm("round", 1);
      return state;
    },

    receive(state, port, tagged, ctx) {
      if (tagged.round < state.round) return ctx.measure("late", 1);
      state.inbox.push({ ...tagged, port });
      // Two rounds behind the sender: this node stood still or started late, and catches up.
      if (tagged.round > state.round + 1) {
        while (state.round < tagged.round) advance(state, ctx);
        ctx.arm("round", 1);
      }
    },

    expire(state, _timer, ctx) {
      if (state.round + 1 < rounds) ctx.arm("round", 1);
      advance(state, ctx);
    },

    verdict: (state) => child.verdict(state.child as S),
    ...(child.saved === undefined ? {} : { saved: (state: State) => child.saved!(state.child as S) }),
    bits: ({ round, message }) => bitLength(round) + child.bits(message),
  };
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
