/**
 * One election among given members, as a machine on open links: the members gather (gathering.ts), the protocol runs on the
 * topology that it assumes, and a member leaves when it has been silent for long enough after its verdict. Any protocol of
 * the catalogue can be the one inside. It runs on every host that has open links, live and simulated.
 */
import { InputError } from "../../errors.ts";
import { type AnyProtocol, type Machine, type Port, SELF, type Verdict } from "../../protocol.ts";
import { rumourTargets } from "../../theory/rumour.ts";
import { CENTRE } from "../../topology/star.ts";
import { overDatagrams } from "../link/linked.ts";
import { isIdle, type ReliableState } from "../reliable.ts";
import { tell } from "../told.ts";
import { ask, gatheringExpires, hear, isGatheringTimer, open, type Start } from "./gathering.ts";
import { CHILD_TIMER, MemberContext } from "./member-context.ts";
import {
  type Agreement,
  type ElectionMessage,
  isOnceMessage,
  type OnceContext,
  type OnceEnd,
  type OnceMessage,
  type OnceParams,
  type OnceReport,
  type OnceState,
} from "./state.ts";
import { noting, waitsIn } from "./waits.ts";

/** Messages of members that began before this one; more are dropped and counted. */
const MOST_HELD = 256;

/** Multicasts of one origin that are remembered. */
const MOST_GOSSIP = 1024;

/** Milliseconds that an election may take beyond what its protocol waits for. */
const PATIENCE = 30_000;

/**
 * A neighbour that has left cannot acknowledge any more: after so many lingers its silence is taken for that; but not before
 * so many milliseconds, in which a message can be sent again ten times.
 */
const PATIENT_LINGERS = 5;
const LEAST_PATIENCE = 5000;

const UNDECIDED: Verdict = { status: "undecided", leader: null, term: 0 };
const LIMIT = "limit";
const QUIET = "quiet";

type Once = Machine<OnceParams, OnceState, OnceMessage, string, unknown, OnceReport> & Pick<AnyProtocol, "measures">;

/** Whether a node starts unasked where its user does not say: the centre of a star, the first few, or all. */
export function startsUnasked({ assumes, initiators = Infinity }: AnyProtocol, node: number): boolean {
  return assumes.topology === "star" ? node === CENTRE : node < initiators;
}

export function once(agreed: Agreement): Once {
  const { params, topology, ids, addresses, election, tau } = agreed;
  const { protocol, isReliable } = overDatagrams(noting(agreed.protocol), params, tau);
  const numbers = new Map(addresses.map((address, node) => [address, node]));
  const highest = ids.reduce((a, b) => Math.max(a, b));

  const start: Start = {
    size: ids.length,
    election,
    remembers: protocol.saved !== undefined,
    send: (node, message, ctx) => ctx.send(ctx.link(addresses[node]), message),
    begin,
    late: (state, ctx) => end(state, "late", ctx),
  };

  /** One handler of the protocol. `isHeard`: for a message of another member. */
  function act(state: OnceState, ctx: OnceContext, isHeard: boolean, handler: (inside: MemberContext) => void): void {
    const inside = new MemberContext(agreed, protocol, state, ctx);
    const wasUndecided = isUndecided(state);
    handler(inside);
    if (isUndecided(state)) {
      if (!wasUndecided) ctx.disarm(QUIET);
    } else if (wasUndecided || isHeard || inside.hasSpoken) {
      state.silent = 0;
      ctx.arm(QUIET, state.params.linger);
    }
  }

  const verdict = ({ child }: OnceState): Verdict => (child === null ? UNDECIDED : protocol.verdict(child));
  const isUndecided = (state: OnceState): boolean => verdict(state).status === "undecided";

  function begin(state: OnceState, roster: number, ctx: OnceContext): void {
    const { node, life } = state;
    const { initiator, timeout } = state.params;
    state.roster = roster;
    const facts = {
      id: ids[node],
      initiator: initiator ?? startsUnasked(protocol, node),
      n: topology.size,
      highest,
      election,
      life,
      seeds: [],
    };
    act(state, ctx, false, (inside) => {
      const self = tell(protocol, params, facts, (p) => ctx.coin(p));
      state.child = protocol.init(params, self, state.saved, inside);
    });
    state.waited = waitsIn(state.child) * tau;
    if (timeout === null) ctx.arm(LIMIT, PATIENCE + state.waited);
    for (const { from, message } of state.held.splice(0)) spoken(state, from, message, ctx);
  }

  function end(state: OnceState, why: OnceEnd, ctx: OnceContext): void {
    if (state.ended !== null) return;
    if (state.child !== null) protocol.leave?.(state.child, new MemberContext(agreed, protocol, state, ctx));
    state.ended = why;
    state.held = [];
    for (const timer of [LIMIT, QUIET]) ctx.disarm(timer);
  }

  /** Others may have begun: what they say waits until this member has heard whether it is to begin with them. */
  function spoken(state: OnceState, from: number, message: ElectionMessage, ctx: OnceContext): void {
    if (state.ended !== null) return;
    if (state.roster === null) {
      if (state.held.length === MOST_HELD) ctx.measure("overflow", 1);
      else state.held.push({ from, message });
      ask(start, state, from, ctx);
    } else if (message.roster !== state.roster) ctx.measure("otherRoster", 1);
    else if (message.kind === "message") deliver(state, from, message.port, message.message, ctx);
    else gossiped(state, message, ctx);
  }

  /** The first time, it is passed on and handed to the protocol. */
  function gossiped(state: OnceState, gossip: Extract<ElectionMessage, { kind: "gossip" }>, ctx: OnceContext): void {
    const { origin, number, message } = gossip;
    const heard = state.gossip.get(origin) ?? new Set<number>();
    if (!agreed.epidemic || origin === state.node || origin >= ids.length) ctx.measure("astray", 1);
    else if (!heard.has(number)) {
      heard.add(number);
      state.gossip.set(origin, heard);
      if (heard.size > MOST_GOSSIP) heard.delete(heard.values().next().value!);
      ctx.measure("relays", rumourTargets(ids.length));
      new MemberContext(agreed, protocol, state, ctx).spread(origin, number, message);
      deliver(state, origin, portTo(state.node, origin), message, ctx);
    }
  }

  function deliver(state: OnceState, from: number, port: Port, message: unknown, ctx: OnceContext): void {
    const { node } = state;
    const leads = port >= 0 && port < topology.degree(node) && topology.neighbour(node, port) === from;
    if (leads) act(state, ctx, true, (inside) => protocol.receive(state.child, port, message, inside));
    else ctx.measure("astray", 1);
  }

  function portTo(node: number, other: number): Port {
    for (let port = 0; port < topology.degree(node); port++) if (topology.neighbour(node, port) === other) return port;
    return -1;
  }

  /** The user's commands and the protocol's messages to itself. */
  function own(state: OnceState, message: OnceMessage, ctx: OnceContext): void {
    if (message.kind === "stop") end(state, "stopped", ctx);
    else if (state.ended !== null) return;
    else if (message.kind === "own") {
      act(state, ctx, false, (inside) => protocol.receive(state.child, message.port, message.message, inside));
    } else if (message.kind === "command" && state.child !== null) {
      act(state, ctx, false, (inside) => protocol.receive(state.child, SELF, message.command, inside));
    }
  }

  /** The limit moves by what the protocol has asked to wait since the limit was set. */
  function limit(state: OnceState, ctx: OnceContext): void {
    const more = state.child === null ? 0 : waitsIn(state.child) * tau - state.waited;
    if (state.params.timeout === null && more > 0) {
      state.waited += more;
      ctx.arm(LIMIT, more);
    } else end(state, "timeout", ctx);
  }

  /** It leaves when nothing waits for an acknowledgement, or when it has waited for that for too long. */
  function quiet(state: OnceState, ctx: OnceContext): void {
    const { linger } = state.params;
    state.silent += linger;
    const patience = linger === 0 ? 0 : Math.max(PATIENT_LINGERS * linger, LEAST_PATIENCE);
    const idle = !isReliable || isIdle(state.child as ReliableState<unknown, unknown>);
    if (idle || state.silent >= patience) end(state, "decided", ctx);
    else ctx.arm(QUIET, linger);
  }

  return {
    name: `once-${agreed.protocol.name}`,
    assumes: {
      topology: "open",
      identity: "anonymous",
      timing: "partial",
      start: "common",
      knows: [],
      fifo: false,
      multicast: false,
      tolerates: ["loss", "crash", "pause", "partition"],
    },
    measures: {
      ...protocol.measures,
      messages: "sum",
      bits: "sum",
      relays: "sum",
      overflow: "sum",
      otherRoster: "sum",
      astray: "sum",
    },

    init(given, self, saved, ctx) {
      const address = ctx.address(SELF);
      const node = numbers.get(address);
      if (node === undefined) throw new InputError(`no member of this election listens at ${address}`);
      const state: OnceState = {
        params: given,
        node,
        life: self.life,
        gathering: {
          present: new Map(),
          convenor: 0,
          convenorLife: null,
          ticks: 0,
          hasBegun: false,
          ticksSince: 0,
          turn: 0,
          lives: null,
        },
        roster: null,
        child: null,
        saved,
        ended: null,
        held: [],
        heard: new Set(),
        multicasts: 0,
        gossip: new Map(),
        waited: 0,
        silent: 0,
      };
      ctx.arm(LIMIT, given.timeout ?? 2 * given.gather + PATIENCE);
      open(start, state, ctx);
      return state;
    },

    receive(state, port, message, ctx) {
      if (port === SELF) return own(state, message, ctx);
      const from = numbers.get(ctx.address(port));
      if (from === undefined) {
        ctx.unlink(port);
        return ctx.measure("astray", 1);
      }
      state.heard.add(from);
      const said = message as Exclude<OnceMessage, { kind: "own" | "command" | "stop" }>;
      if (said.kind === "message" || said.kind === "gossip") spoken(state, from, said, ctx);
      else hear(start, state, from, said, ctx);
    },

    expire(state, timer, ctx) {
      if (isGatheringTimer(timer)) gatheringExpires(start, state, timer, ctx);
      else if (state.ended !== null) return;
      else if (timer === LIMIT) limit(state, ctx);
      else if (timer === QUIET) quiet(state, ctx);
      else act(state, ctx, false, (inside) => protocol.expire!(state.child, timer.slice(CHILD_TIMER.length), inside));
    },

    leave: (state, ctx) => end(state, "stopped", ctx),

    verdict,

    report: (state) => ({
      hasBegun: state.roster !== null,
      ended: state.ended,
      heard: state.heard.size,
      verdict: verdict(state),
      report: state.child === null ? null : (protocol.report?.(state.child) ?? null),
    }),

    ...(protocol.saved && {
      saved: ({ child, saved }: OnceState) => (child === null ? saved : protocol.saved!(child)),
    }),

    accepts: (message) =>
      isOnceMessage(message, election) && (!("message" in message) || (protocol.accepts?.(message.message) ?? true)),

    bits: (message) => ("message" in message ? protocol.bits(message.message) : 1),
  };
}
