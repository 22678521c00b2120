/**
 * What parts 9 and 10 stand on, as small as it can be: a group on open links that elects a leader for every term by a
 * child protocol. Members tell each other whom they know; who has not heard a leader opens the next term, and the child runs
 * on the links of that moment. Who adopts a term saves it, and takes part in none that it had seen before.
 */
import {
  type Address,
  type AnyProtocol,
  type Context,
  type Id,
  type Port,
  type Protocol,
  SELF,
  type Self,
} from "../../src/protocol.ts";
import { defineProtocol } from "../../src/protocols/check.ts";
import { childMeasures, childPort, childTimer, embed } from "../../src/protocols/embed.ts";
import { hasShape, isCount } from "../../src/protocols/shape.ts";
import { tell } from "../../src/protocols/told.ts";

export type TermsMessage =
  | { readonly kind: "beat"; readonly term: number; readonly leader: Id | null; readonly known: readonly Address[] }
  | { readonly kind: "child"; readonly term: number; readonly message: unknown }
  | { readonly kind: "bye" }
  /** A command of the user. */
  | { readonly kind: "resign" };

/** The child of one term, and what it was begun with. */
interface Election {
  readonly term: number;
  readonly ports: readonly Port[];
  readonly ids: readonly (Id | null)[];
  state: unknown;
}

export interface TermsState {
  readonly self: Self;
  readonly params: TermsParams;
  /** The highest term seen. Saved. */
  term: number;
  leader: Id | null;
  election: Election | null;
}

export interface TermsReport {
  readonly offices: { readonly leader: { readonly term: number; readonly holder: Id | null; readonly mine: boolean } };
}

export interface TermsParams {
  readonly beat: number;
  /** How long a leader may be silent. */
  readonly patience: number;
  readonly child: unknown;
}

type Ctx = Context<TermsMessage, string>;

const CHILD = "election";

/** `size`: what the child takes for n; where missing, as many as the member knows when the child begins. */
export function terms(
  child: AnyProtocol,
  size?: number,
): Protocol<TermsParams, TermsState, TermsMessage, string, { readonly term: number }, TermsReport> {
  const inside = ({ term, ports, ids }: Election, ctx: Ctx) =>
    embed(child, ctx, {
      name: CHILD,
      generation: term,
      ports,
      ids,
      wrap: (message): TermsMessage => ({ kind: "child", term, message }),
    });

  const adopt = (state: TermsState, term: number) => {
    state.term = term;
    state.leader = null;
    state.election = null;
  };

  const begin = (state: TermsState, initiator: boolean, ctx: Ctx) => {
    const ports = ctx.ports();
    const election: Election = { term: state.term, ports, ids: ports.map((port) => ctx.peer(port)), state: null };
    const facts = { ...state.self, initiator, n: size ?? ports.length + 1, election: state.term };
    const params = state.params.child;
    election.state = child.init(
      params,
      tell(child, params, facts, (p) => ctx.coin(p)),
      null,
      inside(election, ctx),
    );
    state.election = election;
  };

  /** The child has acted: whom has it elected? */
  const conclude = (state: TermsState) => {
    const elected = state.election !== null && child.verdict(state.election.state).status === "elected";
    if (elected) state.leader = state.self.id;
  };

  const leads = ({ leader, self }: TermsState) => leader !== null && leader === self.id;

  const known = (ctx: Ctx) => [ctx.address(SELF), ...ctx.ports().map((port) => ctx.address(port))];

  const beat = (state: TermsState, ctx: Ctx) => {
    const { term } = state;
    ctx.multicast({ kind: "beat", term, leader: leads(state) ? state.self.id : null, known: known(ctx) });
  };

  const watch = ({ params: { patience } }: TermsState, ctx: Ctx) => ctx.arm("watch", patience, 2 * patience);

  return {
    name: `terms-of-${child.name}`,
    title: "A leader for every term",
    citation: "",
    cost: "",
    parameters: [],
    assumes: {
      topology: "open",
      identity: "ids",
      timing: "partial",
      start: "common",
      knows: [],
      fifo: false,
      multicast: true,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    measures: childMeasures(CHILD, child.measures),

    init(params, self, saved, ctx) {
      for (const seed of self.seeds) ctx.link(seed);
      const state: TermsState = { self, params, term: saved?.term ?? 0, leader: null, election: null };
      beat(state, ctx);
      ctx.arm("beat", params.beat);
      watch(state, ctx);
      return state;
    },

    receive(state, port, message, ctx) {
      if (message.kind === "resign") {
        // Without its child, so that no late answer brings the office back.
        if (leads(state)) {
          state.leader = null;
          state.election = null;
        }
      } else if (message.kind === "bye") ctx.unlink(port);
      else if (message.kind === "beat") {
        for (const address of message.known) ctx.link(address);
        if (message.term > state.term) adopt(state, message.term);
        if (message.leader === null || message.term < state.term) return;
        state.leader = message.leader;
        watch(state, ctx);
      } else {
        if (message.term > state.term) {
          adopt(state, message.term);
          begin(state, false, ctx);
        }
        const { election } = state;
        const inbound = election?.term === message.term ? childPort(port, election.ports) : null;
        if (election === null || inbound === null) return;
        child.receive(election.state, inbound, message.message, inside(election, ctx));
        conclude(state);
      }
    },

    expire(state, timer, ctx) {
      if (timer === "beat") {
        beat(state, ctx);
        ctx.arm("beat", state.params.beat);
      } else if (timer === "watch") {
        watch(state, ctx);
        if (leads(state)) return;
        adopt(state, state.term + 1);
        begin(state, true, ctx);
        conclude(state);
      } else {
        const { election } = state;
        const childs = election === null ? null : childTimer(timer, CHILD, election.term);
        if (election === null || childs === null) return;
        child.expire!(election.state, childs, inside(election, ctx));
        conclude(state);
      }
    },

    leave(_state, ctx) {
      ctx.multicast({ kind: "bye" });
    },

    verdict: (state) => ({
      status: leads(state) ? "elected" : "not-elected",
      leader: state.leader,
      term: state.term,
    }),
    report: (state) => ({ offices: { leader: { term: state.term, holder: state.leader, mine: leads(state) } } }),
    saved: ({ term }) => ({ term }),
    accepts(message) {
      const { kind } = message as { kind?: unknown };
      if (kind === "bye") return true;
      if (kind === "beat") return hasShape(message, { term: isCount, known: Array.isArray });
      return kind === "child" && hasShape(message, { term: isCount, message: child.accepts ?? (() => true) });
    },
    bits: () => 64,
  };
}

/** A child that never has two leaders: a node with more than half of n votes leads, and each node has one vote. */
export const majority = defineProtocol<object, MajorityState, "ask" | "vote">({
  name: "majority",
  assumes: {
    topology: "complete",
    timing: "partial",
    knows: ["n"],
    fifo: false,
    tolerates: ["loss", "crash", "pause"],
  },
  init(_params, { n, initiator }, _saved, ctx) {
    if (initiator) for (const port of ctx.ports()) ctx.send(port, "ask");
    return { n: n!, hasVoted: initiator, votes: initiator ? [SELF] : [] };
  },
  receive(state, port, message, ctx) {
    if (message === "vote") {
      if (!state.votes.includes(port)) state.votes.push(port);
    } else if (!state.hasVoted) {
      state.hasVoted = true;
      ctx.send(port, "vote");
    }
  },
  verdict: ({ n, votes }) => ({
    status: 2 * votes.length > n ? "elected" : "undecided",
    leader: null,
    term: 0,
  }),
  accepts: (message) => message === "ask" || message === "vote",
});

interface MajorityState {
  readonly n: number;
  hasVoted: boolean;
  readonly votes: Port[];
}
