/** From the word to the end of a member's part: the protocol runs, its time is limited, and its silence is waited for. */
import { type AnyProtocol, type Port, SELF, UNDECIDED, type Verdict } from "../../protocol.ts";
import { rumourTargets } from "../../theory/gupta/rumour.ts";
import { CENTRE } from "../../topology/lattices.ts";
import { isIdle, type ReliableState } from "../reliable.ts";
import { tell } from "../told.ts";
import { wrapper } from "../wrapper.ts";
import { CHILD_TIMER, MemberContext } from "./member-context.ts";
import type { ElectionMessage, OnceEnd, OnceSetup, OnceState, OnceTurn, OwnMessage } from "./state.ts";

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

const LIMIT = "limit";
const QUIET = "quiet";

export const verdictIn = ({ protocol }: OnceSetup, { child }: OnceState): Verdict =>
  child === null ? UNDECIDED : protocol.verdict(child);

/** Before the start: the gathering may take its time twice. */
export function limitGathering({ state, ctx }: OnceTurn): void {
  const { timeout, gather } = state.params;
  ctx.arm(LIMIT, timeout ?? 2 * gather + PATIENCE);
}

/** The word was given. */
export function runRoster(turn: OnceTurn, roster: number): void {
  const { setup, state, ctx } = turn;
  const { params, topology, ids, election, tau } = setup.agreed;
  const { protocol } = setup;
  const { node, life } = state;
  state.roster = roster;
  const facts = {
    id: ids[node],
    initiator: state.params.initiator ?? startsUnasked(protocol, node),
    n: topology.size,
    highest: ids.reduce((a, b) => Math.max(a, b)),
    election,
    life,
    seeds: [],
  };
  act(turn, false, (inside) => {
    const self = tell(protocol, params, facts, (p) => ctx.coin(p));
    state.child = protocol.init(params, self, state.saved, inside);
  });
  state.waited = waitsIn(state.child) * tau;
  if (state.params.timeout === null) ctx.arm(LIMIT, PATIENCE + state.waited);
  for (const { from, message } of state.held.splice(0)) hearElection(turn, from, message);
}

/** Whether a node starts unasked where its user does not say: the centre of a star, the first few, or all. */
function startsUnasked({ assumes, initiators = Infinity }: AnyProtocol, node: number): boolean {
  return assumes.topology === "star" ? node === CENTRE : node < initiators;
}

export function endPart(turn: OnceTurn, why: OnceEnd): void {
  const { setup, state, ctx } = turn;
  if (state.ended !== null) return;
  if (state.child !== null) setup.protocol.leave?.(state.child, new MemberContext(turn));
  state.ended = why;
  state.held = [];
  for (const timer of [LIMIT, QUIET]) ctx.disarm(timer);
}

/** One handler of the protocol. `isHeard`: for a message of another member. */
function act(turn: OnceTurn, isHeard: boolean, handler: (inside: MemberContext) => void): void {
  const { setup, state, ctx } = turn;
  const isUndecided = () => verdictIn(setup, state).status === "undecided";
  const wasUndecided = isUndecided();
  const inside = new MemberContext(turn);
  handler(inside);
  if (isUndecided()) {
    if (!wasUndecided) ctx.disarm(QUIET);
  } else if (wasUndecided || isHeard || inside.hasSpoken) {
    state.silent = 0;
    ctx.arm(QUIET, state.params.linger);
  }
}

/** From a member that has begun, to one that has. */
export function hearElection(turn: OnceTurn, from: number, message: ElectionMessage): void {
  const { roster } = turn.state;
  if (message.roster !== roster) turn.ctx.measure("otherRoster", 1);
  else if (message.kind === "message") deliver(turn, from, message.port, message.message);
  else hearGossip(turn, message);
}

/** The first time, it is passed on and handed to the protocol. */
function hearGossip(turn: OnceTurn, gossip: Extract<ElectionMessage, { readonly kind: "gossip" }>): void {
  const { setup, state, ctx } = turn;
  const { ids, epidemic } = setup.agreed;
  const { origin, life, number, message } = gossip;
  // Its own comes back.
  if (origin === state.node) return;
  const heard = state.gossip.get(origin) ?? new Set<string>();
  const name = `${life}/${number}`;
  if (!epidemic || origin >= ids.length) ctx.measure("astray", 1);
  else if (!heard.has(name)) {
    heard.add(name);
    state.gossip.set(origin, heard);
    if (heard.size > MOST_GOSSIP) heard.delete(heard.values().next().value!);
    ctx.measure("relays", rumourTargets(ids.length));
    new MemberContext(turn).spread(origin, life, number, message);
    deliver(turn, origin, portTo(turn, origin), message);
  }
}

function deliver(turn: OnceTurn, from: number, port: Port, message: unknown): void {
  const { setup, state, ctx } = turn;
  const { topology } = setup.agreed;
  const { node } = state;
  const leads = port >= 0 && port < topology.degree(node) && topology.neighbour(node, port) === from;
  if (leads) act(turn, true, (inside) => setup.protocol.receive(state.child, port, message, inside));
  else ctx.measure("astray", 1);
}

/** -1 where there is none. */
function portTo({ setup, state }: OnceTurn, other: number): Port {
  const { topology } = setup.agreed;
  const { node } = state;
  for (let port = 0; port < topology.degree(node); port++) if (topology.neighbour(node, port) === other) return port;
  return -1;
}

/** The user's commands and the protocol's messages to itself. */
export function hearOwn(turn: OnceTurn, message: OwnMessage): void {
  const { setup, state } = turn;
  if (message.kind === "stop") endPart(turn, "stopped");
  else if (state.ended === null && state.child !== null) {
    const [port, said] = message.kind === "own" ? [message.port, message.message] : [SELF, message.command];
    act(turn, false, (inside) => setup.protocol.receive(state.child, port, said, inside));
  }
}

export function electionExpires(turn: OnceTurn, timer: string): void {
  const { setup, state } = turn;
  if (state.ended !== null) return;
  if (timer === LIMIT) limit(turn);
  else if (timer === QUIET) quiet(turn);
  else act(turn, false, (inside) => setup.protocol.expire!(state.child, timer.slice(CHILD_TIMER.length), inside));
}

/** The limit moves by what the protocol has asked to wait since the limit was set. */
function limit(turn: OnceTurn): void {
  const { setup, state, ctx } = turn;
  const more = state.child === null ? 0 : waitsIn(state.child) * setup.agreed.tau - state.waited;
  if (state.params.timeout === null && more > 0) {
    state.waited += more;
    ctx.arm(LIMIT, more);
  } else endPart(turn, "timeout");
}

/** It leaves when nothing waits for an acknowledgement, or when it has waited for that for too long. */
function quiet(turn: OnceTurn): void {
  const { setup, state, ctx } = turn;
  const { linger } = state.params;
  state.silent += linger;
  const patience = linger === 0 ? 0 : Math.max(PATIENT_LINGERS * linger, LEAST_PATIENCE);
  const idle = !setup.isReliable || isIdle(state.child as ReliableState<unknown, unknown>);
  if (idle || state.silent >= patience) endPart(turn, "decided");
  else ctx.arm(QUIET, linger);
}

// How long a protocol waits by itself: the longest delay of each of its timers, once each. A member that gives up before
// those are over would call an election failed that goes as it should.

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
function waitsIn(state: unknown): number {
  let inner = state as Partial<Noted>;
  while (inner.longest === undefined) inner = inner.child as Partial<Noted>;
  return Object.values(inner.longest).reduce((sum, delay) => sum + delay, 0);
}
