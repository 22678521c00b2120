/** All that one member of a group remembers, as plain data, and what a handler works with. */
import type { Context } from "../protocol.ts";
import type { Holder, Token } from "../protocols/lease/messages.ts";
import type { LeaseState } from "../protocols/lease/state.ts";
import type { MembershipState } from "../protocols/membership/state.ts";
import type { Children } from "./children.ts";
import type { CouncilsState } from "./council/councils.ts";
import type { Claim, GroupMessage, Setting } from "./messages.ts";
import type { Range } from "./offices.ts";
import type { GroupParams } from "./params.ts";
import type { GroupEvent, GroupReport, OfficeReport } from "./report.ts";
import { type Saved, savedTerm, savedToken } from "./saved.ts";
import type { Times } from "./times.ts";
import type { WatchState } from "./watch/watch.ts";

/** This member's part in the election of one term. */
export interface Election {
  readonly term: number;
  readonly id: number;
  readonly setting: Setting;
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

export interface Office {
  readonly name: string;
  /** Whether this member may hold it, or only takes part. */
  wanted: boolean;
  /** The highest term seen. Saved. */
  term: number;
  /** The highest term in whose election this member has taken part, or may have in an earlier life. */
  took: number;
  /** What is known of `term`; null while nobody has won it. */
  claim: Claim | null;
  /** Whether the holder was ever among the members here, so that its absence means something. */
  seen: boolean;
  /** Who held it before, as far as this member knows. */
  former: { readonly name: string; readonly life: number } | null;
  /** The newest setting published for a term after this one. */
  setting: Setting | null;
  election: Election | null;
  /** The place in line for which this member waits; null while it does not. */
  waiting: number | null;
  /** The term for which somebody has asked this member to stand; 0: nobody has. */
  asked: number;
  /** For which of its tries this member has asked others what they know of the office; -1: for none yet. */
  inquired: number;
  /** Tries since somebody led. */
  tries: number;
  /**
   * Strict mode, in which `claim` is the newest one with a token, whatever its term: who has won `term` and asks the engine
   * (without a holder: asks no longer), and whether it was ever among the members here.
   */
  asker: Claim | null;
  askerSeen: boolean;
  /** Strict mode: so many winners have left the asking to others since somebody led. */
  asides: number;
}

/** Strict mode: what this member has won and asks the engine for. */
export interface Asked {
  /** What it has said of it last. */
  claim: Claim;
  /** The last denial that its user was told of, in words; "" before the first. */
  denial: string;
  /** Who had the lease then. */
  holder: Holder | null;
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
  readonly ranges: Map<string, Range>;
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
  /** For policy `majority`: the largest view seen, less those who left in good order. */
  largest: number;
  /** For policy `majority`: since when half of the members or more are in doubt or gone, in ticks of membership; null: they are not. */
  fewSince: number | null;
  eligible: boolean;
  /** As in `GroupParams`, and as they are now. */
  keys: readonly number[] | null;
  /** Whether the setting of the next terms is looked at again soon. */
  reviewing: boolean;
  leaving: boolean;
  /** Strict mode: the lease client; null elsewhere. How much of its news has been looked at. */
  readonly lease: LeaseState | null;
  leased: number;
  /** Strict mode, by office: those that this member asks the engine for; those it gives up, and who is to follow. */
  readonly asking: Map<string, Asked>;
  readonly stopping: Map<string, string | null>;
  report: GroupReport;
  /** Offices of which the report may be out of date, and what else has happened in this handler. */
  readonly touched: Set<string>;
  events: GroupEvent[];
}

export type Ctx = Context<GroupMessage, string>;

/** One call of a handler. */
export interface Turn {
  readonly state: GroupState;
  readonly ctx: Ctx;
  readonly times: Times;
  readonly children: Children;
}

/** Offices that strangers can make this member remember. */
const MOST_OFFICES = 4096;

export function newOffice(name: string, wanted: boolean, term: number): Office {
  return {
    name,
    wanted,
    term,
    took: term,
    claim: null,
    seen: false,
    former: null,
    setting: null,
    election: null,
    waiting: null,
    asked: 0,
    inquired: -1,
    tries: 0,
    asker: null,
    askerSeen: false,
    asides: 0,
  };
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
