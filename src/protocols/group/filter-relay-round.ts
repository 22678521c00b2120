/** One member's part in the rounds of filter-relay: its state, and the phases from initiation to declaration. */
import type { Context, Id, Port } from "../../protocol.ts";
import { better, choiceNamed } from "./choice.ts";
import {
  collectTime,
  type FilterRelayParams,
  relaysExpected,
  relayTime,
  strategyOf,
} from "./filter-relay-parameters.ts";
import { filterValue, reinitiationValue } from "./hash.ts";
import {
  addPort,
  forEachPort,
  has,
  type PortSet,
  portSet,
  preferred,
  relaysInView,
  type Viewer,
  viewSize,
} from "./view.ts";

export type FilterRelayMessage =
  /** Round `round` begins, `wait` multicast deliveries after this message has arrived. */
  | { readonly kind: "initiate"; readonly round: number; readonly from: Id; readonly wait: number }
  /** A relay to another: the best leader it knows of; the message arrives in this step of the relay phase, or before. */
  | { readonly kind: "prefer"; readonly round: number; readonly leader: Id; readonly step: number }
  /** A relay to all: what the relay phase gave it. */
  | { readonly kind: "final"; readonly round: number; readonly from: Id; readonly leader: Id };

/**
 * waiting: the round is about to begin. listening: not a relay of this round. collecting: final choices are under way.
 * deciding: time for re-initiations. done: nothing to do unless another round is heard of.
 */
type Phase = "waiting" | "relaying" | "listening" | "collecting" | "deciding" | "done";

export type FilterRelayTimer = "phase" | "reinitiate";

export interface FilterRelayState extends Viewer {
  readonly params: FilterRelayParams;
  readonly n: number;
  acquired: PortSet;
  /** The N of this member's filter; 0 until it is asked for. */
  filterN: number;
  /** The latest round heard of, and who told of it first; 0 before the election. */
  round: number;
  toldBy: Id;
  /** Whether the round's initiating multicast was received (or sent): without it a member cannot relay. */
  initiated: boolean;
  phase: Phase;
  /** Relays: the best leader known of, and the relays known of, {M_j}. */
  best: Id;
  relays: PortSet;
  /** The first final choice of the round and its sender, and whether a different one followed. */
  heard: Id | null;
  heardFrom: Id | null;
  several: boolean;
  /** Deciding: the slot in which this member re-initiates. */
  slot: number;
  /** The leader declared. */
  leader: Id | null;
}

/** What a member asks of the world: little enough for a kernel to be one. */
export type RoundContext = Pick<
  Context<FilterRelayMessage, FilterRelayTimer>,
  "degree" | "peer" | "send" | "multicast" | "arm" | "disarm" | "choose" | "coin" | "enter" | "measure"
>;

type Ctx = RoundContext;

/** How a member whose round begins finds out whether it relays, and with whom. */
export type Begin = (state: FilterRelayState, ctx: Ctx) => void;

/** A member before the election. */
export const newMember = (params: FilterRelayParams, id: Id, n: number, election: number): FilterRelayState => ({
  id,
  params,
  n,
  election,
  view: params.view,
  acquired: [],
  filterN: 0,
  round: 0,
  toldBy: id,
  initiated: false,
  phase: "done",
  best: id,
  relays: [],
  heard: null,
  heardFrom: null,
  several: false,
  slot: 0,
  leader: null,
});

export function start(state: FilterRelayState, initiator: boolean, ctx: Ctx): void {
  if (initiator) initiate(state, 1, 0, ctx);
  else if (state.params.expects) expectRound(state, ctx);
}

/** Multicasts an initiation; the sender waits until it has been delivered, so that all begin together. */
export function initiate(state: FilterRelayState, round: number, wait: number, ctx: Ctx): void {
  const delivered = (wait + 1) * state.params.tau;
  const first = ctx.enter(round, delivered);
  if (round > 1 && !first && state.params.suppression === "ideal") {
    // Another member has initiated this round. A member that misses that initiation still expects an outcome.
    turnTo(state, round, state.id, ctx);
    state.phase = "listening";
    ctx.arm("phase", delivered + listeningTime(state));
    return;
  }
  ctx.measure("rounds", round);
  ctx.measure("multicasts", 1);
  ctx.multicast({ kind: "initiate", round, from: state.id, wait });
  turnTo(state, round, state.id, ctx);
  state.initiated = true;
  state.phase = "waiting";
  ctx.arm("phase", delivered);
}

export function hearInitiation(
  state: FilterRelayState,
  { round, from, wait }: Extract<FilterRelayMessage, { readonly kind: "initiate" }>,
  ctx: Ctx,
  begin: Begin,
): void {
  if (round > state.round) turnTo(state, round, from, ctx);
  else if (round < state.round || state.initiated || state.phase !== "listening") return;
  state.initiated = true;
  state.phase = "waiting";
  if (wait > 0) ctx.arm("phase", wait * state.params.tau);
  else begin(state, ctx);
}

/** Forgets the previous round. */
function turnTo(state: FilterRelayState, round: number, toldBy: Id, ctx: Ctx): void {
  ctx.disarm("reinitiate");
  state.round = round;
  state.toldBy = toldBy;
  state.initiated = false;
  state.relays = [];
  state.heard = null;
  state.heardFrom = null;
  state.several = false;
  state.leader = null;
}

/**
 * This member hears of a later round, but not by its initiation. It is too late to relay in that round, so the member listens. `step`
 * says how far the relay phase is, so that this member detects the outcome at the same time as the others.
 */
export function jumpTo(state: FilterRelayState, round: number, toldBy: Id, step: number, ctx: Ctx): void {
  turnTo(state, round, toldBy, ctx);
  state.phase = "listening";
  ctx.arm("phase", listeningTime(state) - step * state.params.tau);
}

/**
 * All members have noticed that there is no leader. A member that misses the first initiation cannot relay, but it expects an outcome,
 * and detects that it has seen none.
 */
function expectRound(state: FilterRelayState, ctx: Ctx): void {
  state.round = 1;
  state.phase = "listening";
  ctx.arm("phase", state.params.tau + listeningTime(state));
}

/** Filter phase. */
export function beginRound(state: FilterRelayState, ctx: Ctx): void {
  const { id, election, round, params } = state;
  const share = filterShare(state, ctx);
  if (filterValue(election, round, id) >= share) beginListening(state, ctx);
  else relay(state, relaysInView(state, round, share, ctx), preferred(state, choiceNamed(params.choice), ctx), ctx);
}

export function beginListening(state: FilterRelayState, ctx: Ctx): void {
  state.phase = "listening";
  ctx.arm("phase", listeningTime(state));
}

/** Relay phase: tells the relays that this member knows which leader it prefers. */
export function relay(state: FilterRelayState, relays: PortSet, best: Id, ctx: Ctx): void {
  state.phase = "relaying";
  ctx.measure("relays", 1);
  state.relays = relays;
  state.best = best;
  tellRelays(state, null, 1, ctx);
  ctx.arm("phase", relayTime(expectedRelays(state), state.params.tau));
}

const expectedRelays = ({ params, round, n }: FilterRelayState): number => relaysExpected(strategyOf(params), round, n);

const listeningTime = (state: FilterRelayState): number =>
  relayTime(expectedRelays(state), state.params.tau) + collectTime(state.params.tau);

/** K/N as this member computes it; 1 in the last round, in which its K is its N. */
export function filterShare(state: FilterRelayState, ctx: Ctx): number {
  if (state.round >= state.params.rounds) return 1;
  if (state.filterN === 0) state.filterN = drawFilterN(state, ctx);
  return expectedRelays(state) / state.filterN;
}

function drawFilterN(state: FilterRelayState, ctx: Ctx): number {
  if (state.params.reading === "printed") return viewSize(state, ctx);
  const spread = state.params["n-spread"];
  if (spread === 1) return state.n;
  const factor = 1 + (spread - 1) * (ctx.choose(2 ** 20) / 2 ** 20);
  return ctx.coin(0.5) ? state.n * factor : state.n / factor;
}

/** Relay phase: another relay's preference. A better one is passed on; a worse one is answered with this member's own. */
export function hearPreference(state: FilterRelayState, port: Port, leader: Id, step: number, ctx: Ctx): void {
  if (state.phase !== "relaying") return;
  if (!has(state.relays, port)) {
    addPort(state.relays, port);
    if (state.acquired.length === 0) state.acquired = portSet(ctx.degree);
    addPort(state.acquired, port);
  }
  if (leader === state.best) {
    if (state.params.reading === "printed") answer(state, port, step + 1, ctx);
  } else if (better(choiceNamed(state.params.choice), leader, state.best)) {
    state.best = leader;
    tellRelays(state, port, step + 1, ctx);
  } else answer(state, port, step + 1, ctx);
}

function answer(state: FilterRelayState, port: Port, step: number, ctx: Ctx): void {
  ctx.measure("unicasts", 1);
  ctx.send(port, { kind: "prefer", round: state.round, leader: state.best, step });
}

function tellRelays(state: FilterRelayState, except: Port | null, step: number, ctx: Ctx): void {
  const message: FilterRelayMessage = { kind: "prefer", round: state.round, leader: state.best, step };
  let sent = 0;
  forEachPort(state.relays, (port) => {
    if (port === except) return;
    ctx.send(port, message);
    sent++;
  });
  ctx.measure("unicasts", sent);
}

/** The end of the relay phase. */
export function sendFinal(state: FilterRelayState, ctx: Ctx): void {
  ctx.measure("multicasts", 1);
  ctx.multicast({ kind: "final", round: state.round, from: state.id, leader: state.best });
  hearFinal(state, state.id, state.best, ctx);
  state.phase = "collecting";
  ctx.arm("phase", collectTime(state.params.tau));
}

export function hearFinal(state: FilterRelayState, from: Id, leader: Id, ctx: Ctx): void {
  if (state.phase === "deciding" || state.phase === "done") return;
  if (state.heard === null) {
    state.heard = leader;
    state.heardFrom = from;
  } else if (leader !== state.heard) state.several = true;
  // A member that has missed the initiation does not know when the round began; now it knows how far it is.
  if (state.phase === "listening" && !state.initiated) {
    state.phase = "collecting";
    ctx.arm("phase", collectTime(state.params.tau) - state.params.tau);
  }
}

/** Failure detection: exactly one leader is what a round should show. */
export function detect(state: FilterRelayState, ctx: Ctx): void {
  const { params, round, id, election } = state;
  if (round >= params.rounds) {
    declare(state);
    return;
  }
  state.phase = "deciding";
  const slots = params.reinitiate === "any" ? params.window : 1;
  if (state.heard !== null && !state.several) ctx.arm("phase", (slots + 2) * params.tau);
  else if (params.reinitiate === "any") {
    state.slot = ctx.choose(slots);
    ctx.arm("reinitiate", state.slot * params.tau);
  } else if (reinitiationValue(election, round, state.heardFrom ?? state.toldBy, id) < filterShare(state, ctx)) {
    initiate(state, round + 1, 0, ctx);
  }
}

export function reinitiate(state: FilterRelayState, ctx: Ctx): void {
  initiate(state, state.round + 1, state.params.window - 1 - state.slot, ctx);
}

/** A member that saw no leader, or several, declares none. */
export function declare(state: FilterRelayState): void {
  state.phase = "done";
  state.leader = state.several ? null : state.heard;
}
