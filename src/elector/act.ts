/** Decides on each office of which a fact has changed, and carries out what was decided, until nothing is left to do. */

import { isOutcast, sampleLive, size } from "../protocols/membership/parent.ts";
import { ASK_ALL } from "../theory/kutten/referees-async.ts";
import { decide, type OfficeAction, type OfficeFacts, type OrderedAction } from "./decide.ts";
import { joinElection } from "./election/election.ts";
import { mayAct, mayHaveLeaders, mayStand } from "./policy.ts";
import { isOccupied, leads, occupancy } from "./presence.ts";
import { FIRST, firstInLine, hasEnough, isWilling, openingSetting } from "./standing.ts";
import { type Office, standTimer, stopWaiting, type Turn } from "./state.ts";
import { say } from "./talk/speaking.ts";
import type { Times } from "./times.ts";

type Act = (turn: Turn, office: Office) => void;

const ACTS: Readonly<Record<Exclude<OfficeAction, OrderedAction>, Act>> = {
  forgo(_, office) {
    office.hasWon = false;
  },
  "request candidates": requestCandidates,
  "decline request"(_, office) {
    office.requestedTerm = 0;
  },
  wait,
  "stop waiting"(turn, office) {
    office.requestedTerm = 0;
    stopWaiting(turn, office);
  },
  inquire,
  stand,
  remind,
};

const actFor = ({ order }: Turn, action: OfficeAction): Act =>
  (ACTS as Partial<Record<OfficeAction, Act>>)[action] ?? order.acts[action as OrderedAction];

/** Far more actions in one handler than any known case needs. */
const MOST_ACTIONS = 50;

/** Decides on every office of which a fact has changed. */
export function actOnOffices(turn: Turn): void {
  const { touched, offices } = turn.state;
  for (const name of touched) actOn(turn, offices.get(name)!);
}

function actOn(turn: Turn, office: Office): void {
  for (let count = 0; count < MOST_ACTIONS; count++) {
    const action = decide(officeFacts(turn, office));
    if (action === null) return;
    actFor(turn, action)(turn, office);
  }
  throw new Error(`the decisions on ${office.name} have no end`);
}

// The facts of one office, as `decide` asks for them. Some take long to compute, so each is computed when it is asked for.

function officeFacts(turn: Turn, office: Office): OfficeFacts {
  const { state, order } = turn;
  return {
    ...order.facts(turn, office),
    holds: leads(turn, office),
    isUnannounced: office.isUnannounced,
    hasWon: office.hasWon,
    isTermOpen: order.outlastsTerms || office.claim === null,
    isHeir: office.isHeir,
    needsCandidates: office.needsCandidates,
    isElecting: office.election !== null,
    isRequested: office.requestedTerm > office.term,
    wait: office.waitingPlace === null ? "none" : office.isDue ? "due" : "waiting",
    isFirst: (office.waitingPlace ?? FIRST) < FIRST || areFirstSilent(office),
    get mustGiveUp() {
      const mayHold = state.eligible && !state.leaving && mayHaveLeaders(state);
      return !mayHold || !office.wanted || office.resigns !== null;
    },
    get mayStand() {
      return mayStand(state);
    },
    get isCalm() {
      return mayAct(state);
    },
    get isWilling() {
      return isWilling(turn, office);
    },
    get isOccupied() {
      return isOccupied(turn, office);
    },
    get isIgnorant() {
      return isIgnorant(turn, office);
    },
    get hasSeat() {
      return hasEnough(turn, office);
    },
  };
}

/**
 * The first in line were reminded in this same term and have not opened the next one: they may be dead. If terms do follow each other,
 * elections are held and fail, for example on a busy machine. Then one more candidate would only disturb the next election.
 */
const areFirstSilent = ({ failedTries, remindedTerm, term }: Office): boolean =>
  failedTries >= 2 && remindedTerm === term;

/**
 * This member has heard of no holder, or its own election has failed, or it was told of a later term and not who has won it. Other members
 * may know more: this one may have joined through members that did not know the holder either, or it was paused or cut off while another
 * member won. While they take it for dead, they neither tell it their claims nor answer it, so it asks again and again.
 */
function isIgnorant({ state, order }: Turn, office: Office): boolean {
  const { inquiredAtTry, isWinnerUnheard, claim, former, failedTries } = office;
  if (size(state.members) === 1) return false;
  const knowsOfNone = claim === null || order.outlastsTerms;
  const mustAsk = isWinnerUnheard || (inquiredAtTry < failedTries && (former === null || failedTries > 0));
  return (mustAsk && knowsOfNone) || isOutcast(state.members);
}

// When this member stands. All members that know of a vacancy compute who comes first. The first stands at once; the second and the
// third a little later, unless they have heard of an election; all others remind these after a random time.

/** Waits as long as its place in line asks for: the place that another member named, or else the one that it computes. */
function wait(turn: Turn, office: Office): void {
  const { ctx, times } = turn;
  const { isUrgent } = office;
  office.isDue = false;
  office.isUrgent = false;
  if (office.requestedTerm > office.term) {
    office.waitingPlace = office.requestedPlace;
    ctx.arm(standTimer(office.name), office.requestedPlace * times.stagger);
    return;
  }
  const place = placeOf(turn, office, office.term + 1);
  office.waitingPlace = place;
  if (isUrgent) {
    ctx.arm(standTimer(office.name), 0);
    return;
  }
  const first = place < FIRST ? place * times.stagger : times.patience;
  const jitter = place < FIRST ? 0 : times.spread;
  const delay = occupancy(turn, office) === "unknown" ? times.unknown : first;
  ctx.arm(standTimer(office.name), delay, delay + jitter + longestWait(times, office.failedTries));
}

/** The longest wait after this many failed tries; it doubles each time. Before the first try there is no wait. */
const longestWait = ({ spread, longestBackOff }: Times, tries: number): number =>
  tries === 0 ? 0 : Math.min(longestBackOff, spread * 2 ** (tries - 1));

/** This member's place in line; FIRST for all members that are not among the first. */
function placeOf(turn: Turn, office: Office, term: number): number {
  if (!isWilling(turn, office)) return FIRST;
  const place = firstInLine(turn, office, term).findIndex(({ name }) => name === turn.state.name);
  return place < 0 ? FIRST : place;
}

/** Asks a few other members what they know, once in each try, and waits for their answers. */
function inquire(turn: Turn, office: Office): void {
  const { state, ctx, times } = turn;
  office.inquiredAtTry = office.failedTries;
  office.isWinnerUnheard = false;
  for (const member of sampleLive(state.members, FIRST, ctx)) {
    say(turn, member, { kind: "who", office: office.name, term: office.term });
  }
  office.isDue = false;
  ctx.arm(standTimer(office.name), 2 * times.tau);
}

/** Opens an election, as a candidate. */
function stand(turn: Turn, office: Office): void {
  const { name, members } = turn.state;
  const term = Math.max(office.term + 1, office.requestedTerm);
  const line = size(members) > ASK_ALL ? firstInLine(turn, office, term) : [];
  joinElection(turn, office, term, openingSetting(turn, office), { stands: true, opener: name });
  const { election } = office;
  if (election === null) return;
  // If an election asks only some members, the next in line might not hear of it in time, and stand too.
  const { id, setting } = election;
  for (const member of line) {
    if (member.name !== name) say(turn, member, { kind: "open", office: office.name, term, id, setting });
  }
}

/** Tells those who come first that the office is vacant. */
function requestCandidates(turn: Turn, office: Office): void {
  office.needsCandidates = false;
  const term = office.term + 1;
  const setting = openingSetting(turn, office);
  const over = (office.applicant?.holder == null ? office.claim : office.applicant)?.life ?? null;
  for (const [position, member] of firstInLine(turn, office, term).entries()) {
    if (member.name === turn.state.name) continue;
    say(turn, member, { kind: "stand", office: office.name, term, position, setting, over });
  }
}

/** The first in line do not seem to know of the vacancy, so this try has failed. Reminds them. */
function remind(turn: Turn, office: Office): void {
  requestCandidates(turn, office);
  office.requestedTerm = 0;
  office.waitingPlace = null;
  office.isDue = false;
  office.failedTries++;
  office.remindedTerm = office.term;
}
