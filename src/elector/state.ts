/** All that one member of a group remembers, as plain data, and what a handler works with. */
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
  /** In the names of timers: no two elections of one life have the same. */
  readonly generation: number;
  /** Whether this member stands, or only answers. */
  readonly stands: boolean;
  /** Who the child's neighbours are: a view taken at the beginning, to which newcomers are added. */
  readonly names: string[];
  readonly ids: number[];
  readonly ownId: number;
  readonly ports: Map<string, number>;
  /** Whether anything was said in it but this member's own request: before that it may move to another one. */
  answered: boolean;
  /** What each kind of the child's timers has waited for, and how long the election has been waited for. */
  readonly waits: Record<string, { readonly sum: number; readonly count: number }>;
  waited: number;
  /** Where all need the same list; null elsewhere. */
  readonly list: List | null;
  /** The state of the child; null while a list is not final. */
  child: unknown;
}

/** The ring of an election: who opened it, who has acknowledged its list, and who is in it in the end. */
export interface List {
  readonly opener: string;
  /** By life. */
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
   * The newest claim, in the order of claims: without leases that of `term`, null while nobody has won it; with leases the one with
   * the largest token, whatever its term. Without a holder it is one that has ended.
   */
  claim: Claim | null;
  /** Whether the holder was ever among the members here, so that its absence means something. */
  holderSeen: boolean;
  /** Who held it before, as far as this member knows. */
  former: { readonly name: string; readonly life: number } | null;
  /** The newest setting published for a term after this one. */
  setting: ElectionSetting | null;
  /** With leases: who has won `term` and applies to the lease store (without a holder: no longer), and whether it was ever among the members here. */
  applicant: Claim | null;
  applicantSeen: boolean;
  /** With leases: how many winners have withdrawn since somebody led. */
  withdrawals: number;
  election: Election | null;
  /** Tries since somebody led. */
  failedTries: number;
  /** For which of its tries this member has asked others what they know of the office; -1: for none yet. */
  inquiredAtTry: number;
  /** The term in which this member last reminded those who come first. */
  remindedTerm: number;
  /** The term for which somebody has asked this member to stand, and its place in line then; term 0: nobody has. */
  requestedTerm: number;
  requestedPlace: number;
  /** The place in line for which this member waits, null while it does not; whether that wait is over. */
  waitingPlace: number | null;
  isDue: boolean;
  /** The next wait is none: a user has asked for a term now. */
  isUrgent: boolean;
  /** The child has elected this member, in `term`. */
  hasWon: boolean;
  /** The claim that ended last names this member as the one to follow. */
  isHeir: boolean;
  /** Somebody has to be asked to stand. */
  needsCandidates: boolean;
  /** Others do not know this member's own claim as it stands. */
  isUnannounced: boolean;
  /** With leases: the holder was told of a higher term a moment ago. */
  toldTerm: boolean;
  /** This member, which holds the office or applies for it, must give it up, and the heir it names. */
  resigns: { readonly heir: string | null } | null;
}

/** With leases: what this member has won and asks the lease store for. */
export interface Application {
  /** What it has said of it last. */
  claim: Claim;
  /** The last denial that its user was told of, in words; "" before the first. */
  denial: string;
  /** Who had the lease then. */
  holder: Holder | null;
  /** The lease that was to be cut short, and was not; "": none. */
  spared: string;
  /** That holder is to be looked for. */
  seeksHolder: boolean;
  /** The lease that it was denied for is over. */
  isDenialLifted: boolean;
  /** Somebody else has said that it leads. */
  isHolderHeard: boolean;
  /** Nothing will come of it here. */
  isHopeless: boolean;
}

export interface GroupState {
  readonly params: GroupParams;
  readonly name: string;
  readonly life: number;
  readonly members: MembershipState;
  /** How much of membership's news has been looked at. */
  heard: number;
  readonly watch: WatchState;
  readonly councils: CouncilsState;
  /** By office, those that have a council. */
  readonly ranges: Map<string, SeatRange>;
  readonly offices: Map<string, Office>;
  /** Those that this member holds. */
  readonly led: Set<string>;
  /** By generation: whose election it is. */
  readonly running: Map<number, string>;
  generations: number;
  kept: Saved;
  /** Whether this member knows the group well enough to see to vacant offices, and how often it put that off. */
  settled: boolean;
  settlings: number;
  /** How many members it saw when it last put that off. */
  sizeBefore: number;
  /** For policy `majority`: the largest view seen, less those that left gracefully. */
  largest: number;
  /** For policy `majority`: since when half of the members or more are in doubt or gone, in ticks of membership; null: they are not. */
  fewSince: number | null;
  eligible: boolean;
  /** As in `GroupParams`, and as they are now. */
  keys: readonly number[] | null;
  /** Why this member does not fit into the group, in words; final. */
  misfit: string | null;
  /** Live members that have other rules, by name. */
  readonly misfits: Map<string, Misfit>;
  /** Whether the setting of the next terms is looked at again soon. */
  reviewing: boolean;
  leaving: boolean;
  /** Strict mode: the lease client; null elsewhere. How much of its news has been looked at. */
  readonly lease: LeaseState | null;
  leased: number;
  /** Strict mode: what others are to be told of this member's session at the end of the handler. */
  extension: Extension | null;
  /** With leases, by office: those that this member asks the lease store for; those it gives back, and who is to follow. */
  readonly applications: Map<string, Application>;
  readonly endings: Map<string, string | null>;
  report: GroupReport;
  /** Offices of which a fact has changed in this handler: they are decided on and reported; and what else has happened in it. */
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
  /** A claim of somebody else. `sender` is null where it came as a note, by way of others. */
  hear(turn: Turn, claim: Claim, sender: KnownMember | null, passes: number): void;
  /** A higher term was seen: what becomes of the claim that is known. */
  enterTerm(turn: Turn, office: Office): void;
  /** Whether somebody has won the present term. */
  isWon(office: Office): boolean;
  /** Whether a holder goes on in higher terms, and takes no part in their elections. */
  readonly outlastsTerms: boolean;
  /** Whether nothing of this member's own keeps it from standing: a lease or work that has not ended does. */
  isFree(turn: Turn, office: Office): boolean;
  facts(turn: Turn, office: Office): LeaseFacts;
  readonly acts: Readonly<Record<OrderedAction, (turn: Turn, office: Office) => void>>;
  report(turn: Turn, office: Office): Partial<OfficeReport> & Pick<OfficeReport, "leader" | "mine">;
}

/** Offices that strangers can make this member remember. */
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

/** A fact about the office has changed: at the end of the handler it is decided on, and reported. */
export const touch = ({ state }: Turn, { name }: Office): void => void state.touched.add(name);

export function touchAll({ state }: Turn): void {
  for (const name of state.offices.keys()) state.touched.add(name);
}

/** The office of that name, which begins to exist here when it is first heard of; null where there are too many. */
export function officeNamed({ state }: Turn, name: string): Office | null {
  const known = state.offices.get(name);
  if (known !== undefined) return known;
  if (state.offices.size >= MOST_OFFICES) return null;
  const fresh = newOffice(name, false, savedTerm(state.kept, name));
  state.offices.set(name, fresh);
  state.touched.add(name);
  return fresh;
}

/** What is reported of leases where there are none. */
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

/** Whatever this member waited for: it looks again. */
export function stopWaiting({ ctx }: Turn, office: Office): void {
  if (office.waitingPlace === null) return;
  office.waitingPlace = null;
  office.isDue = false;
  ctx.disarm(standTimer(office.name));
}

// What must survive a crash: the highest term of each office and, in strict mode, the highest token; and nothing else, since
// each change is a write to disk.

export interface Saved {
  readonly name: string;
  readonly terms: Readonly<Record<string, number>>;
  /** Missing where the group has no leases, and in files of versions that had none. */
  readonly tokens?: Readonly<Record<string, Token>>;
}

const isCounts = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isCount);

/** A file may hold anything that has a right checksum. */
export const isSaved = (value: unknown): value is Saved =>
  hasShape(value, { name: (name) => typeof name === "string", terms: isCounts }) &&
  ((value as Saved).tokens === undefined || isCounts((value as Saved).tokens));

/** The highest term that was saved of an office. Names hold anything, also those of what every object has. */
export const savedTerm = ({ terms }: Saved, office: string): number =>
  Object.hasOwn(terms, office) ? terms[office] : 0;

/** The highest token that was saved of an office; 0: none. */
const savedToken = ({ tokens = {} }: Saved, office: string): Token =>
  Object.hasOwn(tokens, office) ? tokens[office] : 0;
