/** What one member of a one-shot election keeps, what members say to each other, and what the member's user is told. */
import type { Address, AnyProtocol, Context, Id, Port, Verdict } from "../../protocol.ts";
import type { Topology } from "../../topology/topology.ts";
import { hasShape, isCount } from "../shape.ts";

/** Everything that the members of one election agree on. Nodes are numbered by ascending id. */
export interface Agreement {
  readonly protocol: AnyProtocol;
  readonly params: unknown;
  readonly topology: Topology;
  /** By node: its id, and where it listens. */
  readonly ids: readonly Id[];
  readonly addresses: readonly Address[];
  /** Names this election in every message, and is what protocols are told that know it. */
  readonly election: number;
  /** Milliseconds to the protocol's unit of time; to a round of a synchronous protocol. */
  readonly tau: number;
  /** Whether a multicast is gossiped from member to member, or sent to each neighbour. */
  readonly epidemic: boolean;
}

/** What each member decides for itself. Times are in milliseconds. */
export interface OnceParams {
  /** Whether this member starts unasked; null leaves it to the protocol. */
  readonly initiator: boolean | null;
  /** How long members wait for each other at the start. */
  readonly gather: number;
  /** After which a member without a verdict gives up; null: half a minute after the start, and what the protocol waits. */
  readonly timeout: number | null;
  /** Silence, after the verdict, during which a member goes on serving the others. */
  readonly linger: number;
}

/** Said before the start. Every message names the life of its receiver, where the sender knows it: recordings are worth nothing. */
export type GatheringMessage =
  /** "I am here, in this life; shall we begin?", to the convenor. */
  | { readonly kind: "ready"; readonly election: number; readonly life: number; readonly to: number | null }
  /** "Not yet." */
  | { readonly kind: "wait"; readonly election: number; readonly life: number; readonly to: number }
  /** "Begin": the receiver is on the roster. */
  | {
      readonly kind: "word";
      readonly election: number;
      readonly to: number;
      readonly roster: number;
      readonly convenor: number;
    }
  /** "It has begun"; the convenor knows whether the receiver takes part. */
  | { readonly kind: "begun"; readonly election: number; readonly to: number; readonly convenor: number };

/** Said after the start. Members that began with another roster do not hear it. */
export type ElectionMessage =
  /** A message of the protocol; `port` is the receiver's. */
  | {
      readonly kind: "message";
      readonly election: number;
      readonly roster: number;
      readonly port: Port;
      readonly message: unknown;
    }
  /** A multicast of node `origin` in this life of it, on its way through the group. */
  | {
      readonly kind: "gossip";
      readonly election: number;
      readonly roster: number;
      readonly origin: number;
      readonly life: number;
      readonly number: number;
      readonly message: unknown;
    };

/** Through SELF: the protocol's messages to its own node, the user's commands to the protocol, and the order to stop. */
export type OwnMessage =
  | { readonly kind: "own"; readonly port: Port; readonly message: unknown }
  | { readonly kind: "command"; readonly command: unknown }
  | { readonly kind: "stop" };

export type OnceMessage = GatheringMessage | ElectionMessage | OwnMessage;
export type OnceContext = Context<OnceMessage, string>;

/** A member that has reported. */
interface Reported {
  readonly life: number;
  /** Whether it has heard this member: then both ways are open before the start. */
  readonly hears: boolean;
}

/** How far the start has come (gathering.ts). */
export interface Gathering {
  readonly present: Map<number, Reported>;
  /** Whom this member reports to: the lowest node of which it does not know that it is missing. */
  convenor: number;
  convenorLife: number | null;
  /** Reports without an answer; of the convenor itself, intervals waited. */
  ticks: number;
  /** Another member says that the election has begun: then nobody else convenes it again. Since when, in ticks. */
  hasBegun: boolean;
  ticksSince: number;
  /** Whom a convenor asks next. */
  turn: number;
  /** By node: the lives on the roster; only the convenor knows them. */
  lives: Map<number, number> | null;
}

/** Why a member's part is over. */
export type OnceEnd = "decided" | "late" | "timeout" | "stopped";

export interface OnceState {
  readonly params: OnceParams;
  readonly node: number;
  readonly life: number;
  readonly gathering: Gathering;
  /** Which start this is: the life of the convenor that gave the word. Null before the start. */
  roster: number | null;
  /** The protocol's own state. */
  child: unknown;
  /** What the protocol had saved in an earlier life. */
  readonly saved: unknown;
  ended: OnceEnd | null;
  /** Messages of members that have begun before this one. */
  held: { readonly from: number; readonly message: ElectionMessage }[];
  /** Members of which anything has come. */
  readonly heard: Set<number>;
  /** Of multicasts: how many this member has begun, and by origin which it has heard. */
  multicasts: number;
  readonly gossip: Map<number, Set<string>>;
  /** Milliseconds that were added to the time limit because the protocol waits by itself. */
  waited: number;
  /** Milliseconds of silence after the verdict. */
  silent: number;
}

/** An election, made ready to run. */
export interface OnceSetup {
  readonly agreed: Agreement;
  /** The protocol as it runs over datagrams, and whether its messages are acknowledged and sent again. */
  readonly protocol: AnyProtocol;
  readonly isReliable: boolean;
  /** By address: which node listens there. */
  readonly nodes: ReadonlyMap<Address, number>;
}

/** What one handler works with. */
export interface OnceTurn {
  readonly setup: OnceSetup;
  readonly state: OnceState;
  readonly ctx: OnceContext;
}

/** What the member's user is told. */
export interface OnceReport {
  readonly hasBegun: boolean;
  readonly ended: OnceEnd | null;
  /** Of how many others anything came. */
  readonly heard: number;
  readonly verdict: Verdict;
  /** What the protocol reports beyond its verdict. */
  readonly report: unknown;
}

const isLifeOrNull = (value: unknown): boolean => value === null || isCount(value);
const anything = () => true;

const SHAPES: Readonly<Record<string, Readonly<Record<string, (field: unknown) => boolean>>>> = {
  ready: { life: isCount, to: isLifeOrNull },
  wait: { life: isCount, to: isCount },
  word: { to: isCount, roster: isCount, convenor: isCount },
  begun: { to: isCount, convenor: isCount },
  message: { roster: isCount, port: isCount, message: anything },
  gossip: { roster: isCount, origin: isCount, life: isCount, number: isCount, message: anything },
};

/** Whether it is what another member of this election may send. */
export function isOnceMessage(
  message: unknown,
  { election, ids }: Agreement,
): message is GatheringMessage | ElectionMessage {
  const { kind, election: named, convenor = 0 } = (message ?? {}) as Readonly<Record<string, unknown>>;
  if (named !== election || typeof kind !== "string" || !Object.hasOwn(SHAPES, kind)) return false;
  return hasShape(message, SHAPES[kind]) && (convenor as number) < ids.length;
}
