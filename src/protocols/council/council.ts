/**
 * What all council elections share: a centre multicasts feedback, hosts answer by unicast, and after each exchange the
 * centre either sends the next feedback or closes. An algorithm is the pair of rules in `Rules`; a lumped kernel runs the
 * same rule of the centre over counts of hosts.
 *
 * Where n is known it is a premise: the centre begins as if it had just polled everybody, and the poll's n replies go to
 * the measure `poll`, not to the run. Hosts are anonymous; with `confirm` each draws a random name that its replies carry,
 * and only a host that finds its name on the closing list is a member, so no loss can make the council exceed U.
 */
import type { Context, Protocol, Verdict } from "../../protocol.ts";
import type { Range } from "../../theory/raz/raz.ts";
import { TO_CENTRE } from "../../topology/lattices.ts";
import { bitLength } from "../bits.ts";
import type { CouncilParams } from "./parameters.ts";

/** A number of hosts, a reset bit, and for choice which of the two draws it is about. */
export interface Feedback {
  /** How many hosts the centre takes for active; below L it asks everybody to reply. */
  readonly population: number;
  readonly reset: boolean;
  readonly draw: 1 | 2;
}

export const feedback = (population: number, reset: boolean, draw: 1 | 2 = 1): Feedback => ({
  population,
  reset,
  draw,
});

/** Table I: log n bits, and one for each of reset and draw where the algorithm sends it. */
export const feedbackBits = (extra: number) => (sent: Feedback) => bitLength(Math.ceil(sent.population)) + extra;

export const isWithin = (count: number, { L, U }: Range) => L <= count && count <= U;

/** A host that keeps one bit: whether it is active. */
export interface OneBit {
  active: boolean;
}

/** The chance with which an active host replies: equation (3), with c/N_c clamped to 1. */
export function replyChance(
  population: number,
  { U, c, reading }: { readonly U: number; readonly c: number; readonly reading: "repaired" | "printed" },
): number {
  const stays = reading === "printed" ? population < U : population <= U;
  return stays ? 1 : Math.min(1, c / population);
}

/** Which of a host's draws stand for a reply, as a set of bits: the first (1), the second (2) or both (3). */
export type Draws = 1 | 2 | 3;

/** Replies received in one exchange that stand for the first draw, and for the second. */
export type ReplyCounts = readonly [first: number, second: number];

/** What hosts may ask of chance. */
export type HostRandomness = Pick<Context<never>, "coin" | "choose">;

interface Opening<Memory, F> {
  readonly memory: Memory;
  /** null: n is known to be within the range, everybody is elected. */
  readonly feedback: F | null;
}

export interface Rules<P, Memory, F, Host> {
  /** Whether the centre begins with the result of a poll. */
  readonly knowsN: boolean;
  open(params: P, n: number, chance: HostRandomness): Opening<Memory, F>;
  /** The centre, after an exchange: the next feedback, or null when the council stands. */
  next(memory: Memory, tally: ReplyCounts, params: P): F | null;
  host(params: P): Host;
  /** A host hears a feedback: it changes its state and replies, or not. */
  hear(host: Host, feedback: F, params: P, chance: HostRandomness): Draws | 0;
  /** Whether the host takes itself for a member when this draw counts. */
  member(host: Host, draw: 1 | 2): boolean;
  /** What the centre has found the number of hosts to be, where it looks for it. */
  estimate?(memory: Memory): number;
  /** Which draw the centre took last; without it, the first. */
  taken?(memory: Memory): 1 | 2;
  bits(feedback: F): number;
}

export type CouncilMessage<F> =
  | { readonly kind: "feedback"; readonly feedback: F }
  | { readonly kind: "reply"; readonly draws: Draws; readonly name: number | null }
  /** Members are the hosts on the list; null: all hosts (everybody), or those that are active in the draw taken. */
  | {
      readonly kind: "close";
      readonly draw: 1 | 2;
      readonly everybody: boolean;
      readonly list: readonly number[] | null;
    };

interface CentreState<Memory> {
  readonly role: "centre";
  readonly params: CouncilParams;
  readonly memory: Memory;
  exchanges: number;
  tally: [number, number];
  /** The names behind the replies of this exchange that stand for each draw. */
  names: [number[], number[]];
  /** Whether the council stands, or the centre has given up; null while the election goes on. */
  ended: "stands" | "given-up" | null;
}

interface ProcessState<Host> {
  readonly role: "host";
  readonly params: CouncilParams;
  readonly host: Host;
  name: number | null;
  draw: 1 | 2;
  /** What the close said; null until then. */
  closed: boolean | null;
}

export type CouncilState<Memory, Host> = CentreState<Memory> | ProcessState<Host>;

/** Two hosts of one council share a name with probability below U²/2^54. */
const NAMES = 2 ** 53;

type Council<P, Memory, F, Host> = Protocol<P, CouncilState<Memory, Host>, CouncilMessage<F>, "exchange">;
type Ctx<F> = Context<CouncilMessage<F>, "exchange">;

/** The centre of a council with these rules. */
function councilCentre<P extends CouncilParams, Memory, F, Host>(rules: Rules<P, Memory, F, Host>) {
  type State = CentreState<Memory>;

  function exchange(feedback: F, ctx: Ctx<F>): void {
    multicast({ kind: "feedback", feedback }, ctx);
    ctx.arm("exchange", 2);
  }

  function close(state: State, ctx: Ctx<F>): void {
    if (rules.estimate !== undefined) ctx.measure("estimate", rules.estimate(state.memory));
    state.ended = "stands";
    const draw = rules.taken?.(state.memory) ?? 1;
    const list = state.params.confirm ? state.names[draw - 1] : null;
    const repeats = list !== null ? state.params.lists : rules.taken !== undefined ? 1 : 0;
    for (let i = 0; i < repeats; i++) multicast({ kind: "close", draw, everybody: false, list }, ctx);
  }

  return {
    open(params: P, ctx: Ctx<F>): State {
      const n = ctx.degree;
      const { memory, feedback } = rules.open(params, n, ctx);
      if (rules.knowsN && params.estimate === 1) ctx.measure("poll", n);
      const ended = feedback === null ? "stands" : null;
      if (feedback === null) multicast({ kind: "close", draw: 1, everybody: true, list: null }, ctx);
      else exchange(feedback, ctx);
      return { role: "centre", params, memory, exchanges: 0, tally: [0, 0], names: [[], []], ended };
    },

    collect(state: State, draws: Draws, name: number | null): void {
      for (const draw of [0, 1] as const) {
        if ((draws & (draw + 1)) === 0) continue;
        state.tally[draw]++;
        if (name !== null) state.names[draw].push(name);
      }
    },

    exchangeOver(state: State, ctx: Ctx<F>): void {
      state.exchanges++;
      ctx.measure("rounds", 1);
      const feedback = rules.next(state.memory, state.tally, state.params as P);
      if (feedback === null) {
        close(state, ctx);
        return;
      }
      state.tally = [0, 0];
      state.names = [[], []];
      if (state.exchanges < state.params.limit) {
        exchange(feedback, ctx);
        return;
      }
      // Nobody was elected: hosts that are still active must not take themselves for a council.
      state.ended = "given-up";
      ctx.measure("cut", 1);
      multicast({ kind: "close", draw: 1, everybody: false, list: [] }, ctx);
    },
  };
}

/** A host of a council with these rules. */
function councilHost<P extends CouncilParams, Memory, F, Host>(rules: Rules<P, Memory, F, Host>) {
  type State = ProcessState<Host>;
  return {
    start: (params: P): State => ({
      role: "host",
      params,
      host: rules.host(params),
      name: null,
      draw: 1,
      closed: null,
    }),

    listen(state: State, message: CouncilMessage<F>, ctx: Ctx<F>): void {
      if (message.kind === "close") {
        state.draw = message.draw;
        if (message.everybody) state.closed = true;
        else if (message.list !== null) state.closed = state.name !== null && message.list.includes(state.name);
      } else if (message.kind === "feedback") {
        const draws = rules.hear(state.host, message.feedback, state.params as P, ctx);
        state.draw = 1;
        if (draws === 0) return;
        if (state.params.confirm) state.name ??= ctx.choose(NAMES);
        ctx.send(TO_CENTRE, { kind: "reply", draws, name: state.name });
      }
    },

    isMember: (state: State): boolean =>
      state.closed ?? (!state.params.confirm && rules.member(state.host, state.draw)),
  };
}

/** The handlers of a council protocol with these rules. */
export function councilHandlers<P extends CouncilParams, Memory, F, Host>(
  rules: Rules<P, Memory, F, Host>,
): Pick<Council<P, Memory, F, Host>, "counts" | "init" | "receive" | "expire" | "verdict" | "bits"> {
  const centre = councilCentre(rules);
  const host = councilHost(rules);
  return {
    counts: (message) => message.kind === "reply",
    init: (params, self, _saved, ctx) => (self.initiator ? centre.open(params, ctx) : host.start(params)),

    receive(state, _port, message, ctx) {
      if (state.role === "host") host.listen(state, message, ctx);
      else if (message.kind === "reply") centre.collect(state, message.draws, message.name);
    },

    expire(state, _timer, ctx) {
      if (state.role === "centre") centre.exchangeOver(state, ctx);
    },

    verdict(state): Verdict {
      const elected = state.role === "host" && host.isMember(state);
      return { status: elected ? "elected" : "not-elected", leader: null, term: 0 };
    },

    bits(message) {
      if (message.kind === "feedback") return rules.bits(message.feedback);
      if (message.kind === "close") return 2 + 53 * (message.list?.length ?? 0);
      return (rules.taken === undefined ? 1 : 2) + (message.name === null ? 0 : 53);
    },
  };
}

function multicast<F>(message: CouncilMessage<F>, ctx: Ctx<F>): void {
  ctx.measure("multicasts", 1);
  ctx.multicast(message);
}
