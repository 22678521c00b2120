/** The state of one member of a group, as plain data, and what its handlers work with. */
import type { Context } from "../protocol.ts";
import type { Extension, Holder, Token } from "../protocols/lease/messages.ts";
import type { LeaseState } from "../protocols/lease/state.ts";
import type { KnownMember } from "../protocols/membership/records.ts";
import type { MembershipState } from "../protocols/membership/state.ts";
import { hasShape, isCount } from "../protocols/shape.ts";
import type { CouncilsState } from "./council/councils.ts";
import type { LeaseFacts, OrderedAction } from "./decide.ts";
import type { Children } from "./election/children.ts";
import type { GroupParams, SeatRange } from "./params.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "./report.ts";
import type { Claim, ElectionSetting, GroupMessage } from "./talk/messages.ts";
import type { Times } from "./times.ts";
import type { WatchState } from "./watch/watch.ts";

/** A rule that another member does not share, in words for both sides. */
export interface Misfit {
  readonly what: "transport" | "mode" | "ttl" | "policy" | "seats";
  readonly own: string;
  readonly other: string;
}

/** This member's part in the election of one term. */
export interface Election {
  readonly term: number;
  readonly id: number;
  readonly setting: ElectionSetting;
  /** Part of the names of timers: unique among the elections of one life. */
  readonly generation: number;
  /** Whether this member stands, or only answers. */
  readonly stands: boolean;
  /** The child's neighbours: the view at the beginning, to which newcomers are added. */
  readonly names: string[];
  readonly ids: number[];
  readonly ownId: number;
  readonly ports: Map<string, number>;
  /** Whether this member has said more in it than its own request. Before that, it may move to another election. */
  answered: boolean;
  /** For each kind of the child's timers: how often it was armed, and for how long in all. */
  readonly waits: Record<string, { readonly sum: number; readonly count: number }>;
  waited: number;
  /** The list of members, if all need the same one; null otherwise. */
  readonly list: List | null;
  /** The state of the child; null while a list is not final. */
  child: unknown;
}

/** The ring of an election: its opener, the members that have acknowledged its list, and the final list. */
export interface List {
  readonly opener: string;
  /** The lives that have acknowledged. */
  readonly acknowledged: Set<number>;
  lives: readonly number[];
  final: boolean;
  tries: number;
}

/** What a member knows of one office: inputs change these facts, and `decide` reads them (see decide.ts). */
export interface Office {
  readonly name: string;
  /** Whether this member may hold it, or only takes part. */
  wanted: boolean;
  /** The highest term seen. Saved. */
  term: number;
  /** The highest term in whose election this member has taken part, or may have in an earlier life. */
  joinedTerm: number;
  /**
   * The newest claim, in the order of claims. Without leases it is the claim of `term`, null while no member has won it. With leases it is
   * the claim with the largest token, whatever its term. A claim without a holder has ended.
   */
  claim: Claim | null;
  /** Whether the holder was ever among the members here, so that its absence means something. */
  holderSeen: boolean;
  /** The last holder, as far as this member knows. */
  former: { readonly name: string; readonly life: number } | null;
  /** The newest setting published for a term after this one. */
  setting: ElectionSetting | null;
  /** With leases: the claim of the member that has won `term` and applies to the lease store; without a holder it has ended. Then: whether the applicant was ever a member here. */
  applicant: Claim | null;
  applicantSeen: boolean;
  /** With leases: how many winners have withdrawn since a member led. */
  withdrawals: number;
  election: Election | null;
  /** Failed tries since a member led. */
  failedTries: number;
  /** The latest try in which this member has asked others what they know of the office; -1: none yet. */
  inquiredAtTry: number;
  /** Another member has told this one only the number of the present term. The member that opened the term may have won it. */
  isWinnerUnheard: boolean;
  /** The term in which this member last reminded those who come first. */
  remindedTerm: number;
  /** The term for which another member has asked this one to stand (0: none), and this member's place in line. */
  requestedTerm: number;
  requestedPlace: number;
  /** The place in line for which this member waits, null if it does not wait; and whether the wait is over. */
  waitingPlace: number | null;
  isDue: boolean;
  /** The next wait is skipped: a user has asked for a term now. */
  isUrgent: boolean;
  /** The child has elected this member, in `term`. */
  hasWon: boolean;
  /** The claim that ended last names this member as its heir. */
  isHeir: boolean;
  /** Other members have to be asked to stand. */
  needsCandidates: boolean;
  /** Other members do not know the present form of this member's claim. */
  isUnannounced: boolean;
  /** With leases: the holder was told of a higher term a moment ago. */
  toldTerm: boolean;
  /** This member, which holds the office or applies for it, must give it up, and the heir it names. */
  resigns: { readonly heir: string | null } | null;
}

/** With leases: what this member has won and asks the lease store for. */
export interface Application {
  /** What this member has last told others about the application. */
  claim: Claim;
  /** The last denial that its user was told of, in words; "" before the first. */
  denial: string;
  /** The holder that the denial named. */
  holder: Holder | null;
  /** The lease that this member tried to pre-empt without success; "": none. */
  spared: string;
  /** The holder is to be asked whether it leads. */
  seeksHolder: boolean;
  /** The lease that it was denied for is over. */
  isDenialLifted: boolean;
  /** Another member has said that it leads. */
  isHolderHeard: boolean;
  /** The application cannot succeed from this member. */
  isHopeless: boolean;
}

export interface GroupState {
  readonly params: GroupParams;
  readonly name: string;
  readonly life: number;
  readonly members: MembershipState;
  /** The number of membership's news that were read. */
  heard: number;
  readonly watch: WatchState;
  readonly councils: CouncilsState;
  /** The sizes of councils, by office. */
  readonly ranges: Map<string, SeatRange>;
  readonly offices: Map<string, Office>;
  /** The offices that this member holds. */
  readonly led: Set<string>;
  /** The offices of running elections, by generation. */
  readonly running: Map<number, string>;
  generations: number;
  kept: Saved;
  /** Whether this member knows the group well enough to stand for vacant offices, and how often it has put that off. */
  settled: boolean;
  settlings: number;
  /** How many members it saw when it last put that off. */
  sizeBefore: number;
  /** For policy `majority`: the largest view seen, less those that left gracefully. */
  largest: number;
  /** For policy `majority`: since when half of the members or more are in doubt or gone, in ticks of membership; null: they are not. */
  fewSince: number | null;
  eligible: boolean;
  /** The present keys, as in `GroupParams`. */
  keys: readonly number[] | null;
  /** Why this member does not fit into the group, in words; final. */
  misfit: string | null;
  /** Live members that have other rules, by name. */
  readonly misfits: Map<string, Misfit>;
  /** Whether the setting of the next terms is due for a review. */
  reviewing: boolean;
  leaving: boolean;
  /** Strict mode: the lease client, null otherwise; and the number of its news that were read. */
  readonly lease: LeaseState | null;
  leased: number;
  /** Strict mode: what others are to be told of this member's session at the end of the handler. */
  extension: Extension | null;
  /** With leases, by office: the applications to the lease store; and the leases that this member gives back, with the heir. */
  readonly applications: Map<string, Application>;
  readonly endings: Map<string, string | null>;
  report: GroupReport;
  /** The offices of which a fact has changed in this handler, to be decided on and reported; and the handler's events. */
  readonly touched: Set<string>;
  events: GroupEvent[];
}

export type GroupContext = Context<GroupMessage, string>;

/** One call of a handler. */
export interface Turn {
  readonly state: GroupState;
  readonly ctx: GroupContext;
  readonly times: Times;
  readonly children: Children;
  readonly order: ClaimOrder;
}

/**
 * How claims are ordered, and what follows from that: by term (by-term.ts), or by the tokens of leases (by-token.ts). No other file
 * knows which.
 */
export interface ClaimOrder {
  /** Another member's claim. `sender` is null if it came by gossip, as a note. */
  hear(turn: Turn, claim: Claim, sender: KnownMember | null, passes: number): void;
  /** A higher term was seen: what becomes of the claim that is known. */
  enterTerm(turn: Turn, office: Office): void;
  /** Whether a member has won the present term. */
  isWon(office: Office): boolean;
  /** Whether a holder goes on in higher terms, and takes no part in their elections. */
  readonly outlastsTerms: boolean;
  /** Whether nothing of this member's own keeps it from standing: a lease or work that has not ended does. */
  isFree(turn: Turn, office: Office): boolean;
  facts(turn: Turn, office: Office): LeaseFacts;
  readonly acts: Readonly<Record<OrderedAction, (turn: Turn, office: Office) => void>>;
  report(turn: Turn, office: Office): Partial<OfficeReport> & Pick<OfficeReport, "leader" | "mine">;
}

/** The most offices that a member remembers: other members can name new ones. */
const MOST_OFFICES = 4096;

export function newOffice(name: string, wanted: boolean, term: number): Office {
  return {
    name,
    wanted,
    term,
    joinedTerm: term,
    claim: null,
    holderSeen: false,
    former: null,
    setting: null,
    applicant: null,
    applicantSeen: false,
    withdrawals: 0,
    election: null,
    failedTries: 0,
    inquiredAtTry: -1,
    isWinnerUnheard: false,
    remindedTerm: -1,
    requestedTerm: 0,
    requestedPlace: 0,
    waitingPlace: null,
    isDue: false,
    isUrgent: false,
    hasWon: false,
    isHeir: false,
    needsCandidates: false,
    isUnannounced: false,
    toldTerm: false,
    resigns: null,
  };
}

/** Marks that a fact about the office has changed, so that the end of the handler decides on it and reports it. */
export const touch = ({ state }: Turn, { name }: Office): void => void state.touched.add(name);

export function touchAll({ state }: Turn): void {
  for (const name of state.offices.keys()) state.touched.add(name);
}

/** The office of that name, created when it is first heard of; null if there are too many. */
export function officeNamed({ state }: Turn, name: string): Office | null {
  const known = state.offices.get(name);
  if (known !== undefined) return known;
  if (state.offices.size >= MOST_OFFICES) return null;
  const fresh = newOffice(name, false, savedTerm(state.kept, name));
  state.offices.set(name, fresh);
  state.touched.add(name);
  return fresh;
}

/** The report on leases in a group without leases. */
export const NO_LEASE = { token: null, lease: null, lapse: null, unreachable: false, settling: false, asker: null };

export const NO_OFFICE: OfficeReport = {
  term: 0,
  leader: null,
  mine: false,
  epsilon: null,
  loss: null,
  lossLow: null,
  lossFrom: null,
  protocol: null,
  ...NO_LEASE,
};

/** A token has been seen. Hosts save it before anything of this handler leaves. */
export function raiseToken({ state }: Turn, office: string, token: Token): void {
  if (token <= savedToken(state.kept, office)) return;
  state.kept = { ...state.kept, tokens: { ...state.kept.tokens, [office]: token } };
}

/** A higher term, from here on. Hosts save it before anything of this handler leaves. */
export function raiseTerm({ state }: Turn, office: Office, term: number): void {
  office.term = term;
  state.kept = { ...state.kept, terms: { ...state.kept.terms, [office.name]: term } };
  state.touched.add(office.name);
}

export const standTimer = (office: string): string => `stand/${office}`;

/** Ends any wait of this member for the office. */
export function stopWaiting({ ctx }: Turn, office: Office): void {
  if (office.waitingPlace === null) return;
  office.waitingPlace = null;
  office.isDue = false;
  ctx.disarm(standTimer(office.name));
}

// What must survive a crash: the highest term of each office and, in strict mode, the highest token. Nothing else, because each change
// is a write to disk.

export interface Saved {
  readonly name: string;
  readonly terms: Readonly<Record<string, number>>;
  /** Missing without leases. */
  readonly tokens?: Readonly<Record<string, Token>>;
}

const isCounts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isCount);

/** Checks the content too: a file with a right checksum may still hold anything. */
export const isSaved = (value: unknown): value is Saved =>
  hasShape(value, { name: (name) => typeof name === "string", terms: isCounts }) &&
  ((value as Saved).tokens === undefined || isCounts((value as Saved).tokens));

/** The highest saved term of an office. An office may have the name of a property that every object has, such as "constructor". */
export const savedTerm = ({ terms }: Saved, office: string): number =>
  Object.hasOwn(terms, office) ? terms[office] : 0;

/** The highest saved token of an office; 0: none. */
export const savedToken = ({ tokens = {} }: Saved, office: string): Token =>
  Object.hasOwn(tokens, office) ? tokens[office] : 0;
