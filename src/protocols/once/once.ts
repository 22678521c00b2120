/**
 * One election among given members, as a machine on open links: the members gather (gathering.ts), the protocol runs on the
 * topology that it assumes (running.ts), and a member leaves when it has been silent for long enough after its verdict. Any
 * protocol of the catalogue can be the one inside. It runs on every host that has open links, live and simulated.
 */
import { InputError } from "../../errors.ts";
import { type AnyProtocol, type Assumptions, type Machine, SELF } from "../../protocol.ts";
import { overDatagrams } from "../link/linked.ts";
import { askWhetherBegun, gatheringExpires, hearGathering, isGatheringTimer, openGathering } from "./gathering.ts";
import { electionExpires, endPart, hearElection, hearOwn, limitGathering, noting, verdictIn } from "./running.ts";
import {
  type Agreement,
  type ElectionMessage,
  type GatheringMessage,
  isOnceMessage,
  type OnceMessage,
  type OnceParams,
  type OnceReport,
  type OnceSetup,
  type OnceState,
  type OnceTurn,
  type OwnMessage,
} from "./state.ts";

/** Messages of members that began before this one; more are dropped and counted. */
const MOST_HELD = 256;

const ASSUMES: Assumptions = {
  topology: "open",
  identity: "anonymous",
  timing: "partial",
  start: "common",
  knows: [],
  fifo: false,
  multicast: false,
  tolerates: ["loss", "crash", "pause", "partition"],
};

const MEASURES = {
  /** Of the protocol, as in simulation. */
  messages: "sum",
  bits: "sum",
  /** Multicasts of others, passed on. */
  relays: "sum",
  overflow: "sum",
  otherRoster: "sum",
  /** From outside the list, or through a port that does not lead to its sender. */
  astray: "sum",
} as const;

type Once = Machine<OnceParams, OnceState, OnceMessage, string, unknown, OnceReport> & Pick<AnyProtocol, "measures">;

export function once(agreed: Agreement): Once {
  const nodes = new Map(agreed.addresses.map((address, node) => [address, node]));
  const setup: OnceSetup = { agreed, nodes, ...overDatagrams(noting(agreed.protocol), agreed.params, agreed.tau) };
  const { protocol } = setup;
  return {
    name: `once-${agreed.protocol.name}`,
    assumes: ASSUMES,
    measures: { ...protocol.measures, ...MEASURES },

    init(params, { life }, saved, ctx) {
      const address = ctx.address(SELF);
      const node = nodes.get(address);
      if (node === undefined) throw new InputError(`no member of this election listens at ${address}`);
      const turn = { setup, state: newState(params, node, life, saved), ctx };
      limitGathering(turn);
      openGathering(turn);
      return turn.state;
    },

    receive(state, port, message, ctx) {
      const turn = { setup, state, ctx };
      if (port === SELF) hearOwn(turn, message as OwnMessage);
      else {
        const from = nodes.get(ctx.address(port));
        if (from !== undefined) hear(turn, from, message as GatheringMessage | ElectionMessage);
        else {
          ctx.unlink(port);
          ctx.measure("astray", 1);
        }
      }
    },

    expire(state, timer, ctx) {
      if (isGatheringTimer(timer)) gatheringExpires({ setup, state, ctx }, timer);
      else electionExpires({ setup, state, ctx }, timer);
    },

    leave: (state, ctx) => endPart({ setup, state, ctx }, "stopped"),

    verdict: (state) => verdictIn(setup, state),

    report: (state) => ({
      hasBegun: state.roster !== null,
      ended: state.ended,
      heard: state.heard.size,
      verdict: verdictIn(setup, state),
      report: state.child === null ? null : (protocol.report?.(state.child) ?? null),
    }),

    ...(protocol.saved && {
      saved: ({ child, saved }: OnceState) => (child === null ? saved : protocol.saved!(child)),
    }),

    accepts: (message) =>
      isOnceMessage(message, agreed) && (!("message" in message) || (protocol.accepts?.(message.message) ?? true)),

    bits: (message) => ("message" in message ? protocol.bits(message.message) : 1),
  };
}

function newState(params: OnceParams, node: number, life: number, saved: unknown): OnceState {
  return {
    params,
    node,
    life,
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
}

/** What members that have begun say waits until this member has heard whether it is to begin with them. */
function hear(turn: OnceTurn, from: number, message: GatheringMessage | ElectionMessage): void {
  const { state, ctx } = turn;
  state.heard.add(from);
  if (message.kind !== "message" && message.kind !== "gossip") hearGathering(turn, from, message);
  else if (state.ended !== null) return;
  else if (state.roster !== null) hearElection(turn, from, message);
  else {
    if (state.held.length === MOST_HELD) ctx.measure("overflow", 1);
    else state.held.push({ from, message });
    askWhetherBegun(turn, from);
  }
}
