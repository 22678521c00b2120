/**
 * The machine of a group that lasts: membership, and any number of offices, each with a term and a holder. It is one machine on open
 * links, so all of it runs in virtual time as it ships. The unit of time is the millisecond on every host.
 *
 * Terms and elections: docs/how-it-works.md. Membership runs inside (timers and messages under the name `members`), and each
 * election runs a child protocol of its own (see election.ts).
 */
import { InputError } from "../errors.ts";
import { type Assumptions, type Port, type Protocol, SELF, type Self } from "../protocol.ts";
import type { AnyGivenProtocol } from "../protocols/check.ts";
import { childTimer } from "../protocols/embed.ts";
import { isLeaseAnswer } from "../protocols/lease/shapes.ts";
import { membership } from "../protocols/membership/membership.ts";
import type { MembershipMessage } from "../protocols/membership/messages.ts";
import { memberOfLife } from "../protocols/membership/parent.ts";
import { profiles } from "../protocols/membership/profile.ts";
import { encodedSize } from "../wire/codec.ts";
import { actOnOffices } from "./act.ts";
import { isCommand, obey } from "./commands.ts";
import {
  followCouncils,
  hearCouncil,
  heardOf,
  hearPulse,
  isWatchTimer,
  leaveCouncils,
  releaseWatchers,
  stopWatching,
  tickCouncils,
  tickWatch,
} from "./company.ts";
import { COUNCIL_TIMER, openCouncils } from "./council/councils.ts";
import { isCouncilMessage, isWatchMessage } from "./council/messages.ts";
import { ELECTION_TIMER } from "./election/child-context.ts";
import { childrenFrom } from "./election/children.ts";
import { digestOf, metaOf } from "./election/choice.ts";
import {
  expireInElection as expireChild,
  listOverdue,
  overdue,
  receiveInElection as receiveChild,
} from "./election/election.ts";
import { rulesOf } from "./fit.ts";
import { byTerm } from "./order/by-term.ts";
import { byToken } from "./order/by-token.ts";
import type { GroupParams } from "./params.ts";
import { rangesOf, seatsOf } from "./params.ts";
import { leads } from "./presence.ts";
import type { GroupReport } from "./report.ts";
import { firstReport, refresh } from "./reporting.ts";
import { REVIEW, review } from "./standing.ts";
import {
  type GroupContext,
  type GroupState,
  isSaved,
  newOffice,
  type Office,
  type Saved,
  savedTerm,
  type Turn,
  touch,
} from "./state.ts";
import { patienceEnded } from "./strict/application.ts";
import { askApplicant, LEASE, openClient } from "./strict/claims.ts";
import { tellExtension } from "./strict/extensions.ts";
import { expireLease, followLeases, hasLeaseNews, hearEngine, mindWatchers } from "./strict/tenure.ts";
import { isElectorMessage } from "./talk/accepts.ts";
import { hearElectorMessage } from "./talk/hearing.ts";
import type { ElectorMessage, GroupMessage } from "./talk/messages.ts";
import { timesFor } from "./times.ts";
import { follow, followWatch, MEMBERS, membershipContext, SETTLE, settleView, touchOwn } from "./view.ts";
import { openWatch } from "./watch/watch.ts";

/** Timers of offices: "stand/leader". */
const TIMERS: Readonly<Record<string, (turn: Turn, office: Office) => void>> = {
  stand(_, office) {
    office.isDue = office.waitingPlace !== null;
  },
  overdue,
  list: listOverdue,
  patience: patienceEnded,
  applicant: askApplicant,
  tell(_, office) {
    office.toldTerm = false;
  },
};

interface GroupOptions {
  /** Protocols of the user's own, which `GroupParams.protocol` can name. */
  readonly protocols?: readonly AnyGivenProtocol[];
}

export type GroupMachine = Protocol<GroupParams, GroupState, GroupMessage, string, Saved, GroupReport>;

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

function isGroupMessage(message: unknown): message is GroupMessage {
  if (Array.isArray(message)) return isWatchMessage(message);
  const { kind, message: inner } = (message ?? {}) as { kind?: unknown; message?: unknown };
  if (kind === "members") return membership.accepts!(inner);
  if (kind === "council") return isCouncilMessage(inner);
  return isWatchMessage(message) || isElectorMessage(message) || isLeaseAnswer(message);
}

/** The machine of one member of a group. */
export function group({ protocols = [] }: GroupOptions = {}): GroupMachine {
  const children = new Map<string, ReturnType<typeof childrenFrom>>();

  const turnOf = (state: GroupState, ctx: GroupContext): Turn => {
    const times = timesFor(state.params.profile);
    let mine = children.get(state.params.profile);
    if (mine === undefined) {
      mine = childrenFrom(protocols, times.tau);
      children.set(state.params.profile, mine);
    }
    const order = state.params.lease === null ? byTerm : byToken;
    return { state, ctx, times, children: mine, order };
  };

  return {
    name: "group",
    title: "A group that lasts: membership, terms and offices",
    citation: "after Gupta et al. 2000, Raz et al. 2003 and Ramanathan et al. 2007",
    cost: "membership's; an election costs what its protocol does, and one message to each member for its result",
    assumes: ASSUMES,
    parameters: [],
    measures: { elections: "sum", electionMessages: "sum" },

    // Each handler: facts, then decisions and their actions, then the report.
    init(params, self, saved, ctx) {
      const state = firstState(params, self, saved, ctx);
      const turn = turnOf(state, ctx);
      follow(turn);
      finish(turn);
      return state;
    },
    receive(state, port, message, ctx) {
      const turn = turnOf(state, ctx);
      hearMessage(turn, port, message);
      finish(turn);
    },
    expire(state, timer, ctx) {
      const turn = turnOf(state, ctx);
      hearTimer(turn, timer);
      finish(turn);
    },
    leave(state, ctx) {
      const turn = turnOf(state, ctx);
      leaveGroup(turn);
      finish(turn);
    },

    /** Of the first office: for properties that ask about one leader. */
    verdict(state) {
      const [first] = state.offices.keys();
      const { term, leader, mine } = state.report.offices[first] ?? { term: 0, leader: null, mine: false };
      return { status: mine ? "elected" : "not-elected", leader: leader === null ? null : digestOf(leader), term };
    },
    report: (state) => state.report,
    saved: (state) => state.kept,
    accepts: isGroupMessage,
    bits: (message) => 8 * encodedSize(message),
  };
}

function firstState(given: GroupParams, self: Self, saved: Saved | null, ctx: GroupContext): GroupState {
  const address = ctx.address(SELF);
  const params = { ...given, loss: given.lossOf[address] ?? given.loss };
  const name = params.name ?? params.names[address] ?? `m${address}`;
  if (saved !== null && !isSaved(saved)) {
    throw new InputError("the saved state is not one that a member has written: remove it to start afresh");
  }
  if (saved !== null && saved.name !== name) {
    throw new InputError(`the saved state is that of ${saved.name}, not of ${name}: give each member its own`);
  }
  const kept: Saved = saved ?? { name, terms: {} };
  const offices = params.offices.flatMap(seatsOf);
  const meta = metaOf(params.attributesOf[address] ?? params.attributes, params.keys, rulesOf(params));
  // The lease client begins before membership: draws of randomness keep their order.
  const lease = openClient(params, name, self, kept, ctx);
  return {
    params,
    name,
    life: self.life,
    members: membership.init(
      { profile: profiles[params.profile], name, meta },
      { ...self, role: "member" },
      null,
      membershipContext(ctx),
    ),
    heard: 0,
    watch: openWatch(),
    councils: openCouncils(),
    ranges: rangesOf(params.offices),
    offices: new Map(offices.map((office) => [office, newOffice(office, true, savedTerm(kept, office))])),
    led: new Set(),
    running: new Map(),
    generations: 0,
    kept,
    settled: false,
    settlings: 0,
    sizeBefore: 0,
    largest: 1,
    fewSince: null,
    eligible: params.attributes.weight > 0,
    keys: params.keys,
    misfit: null,
    misfits: new Map(),
    reviewing: false,
    leaving: false,
    lease,
    leased: 0,
    extension: null,
    applications: new Map(),
    endings: new Map(),
    report: firstReport({ name, params }),
    touched: new Set(offices),
    events: [],
  };
}

function hearMessage(turn: Turn, port: Port, message: GroupMessage): void {
  const { state, ctx } = turn;
  if (isWatchMessage(message)) hearPulse(turn, port, message);
  else if (message.kind === "members") {
    state.heard = 0;
    membership.receive(state.members, port, message.message as MembershipMessage, membershipContext(ctx));
    heardOf(turn, (message.message as { readonly from?: number }).from);
    follow(turn);
  } else if (message.kind === "council") hearCouncil(turn, port, message.message);
  else if (isCommand(message)) {
    if (port === SELF) obey(turn, message);
  } else if ("from" in message) hearWord(turn, port, message);
  else hearEngine(turn, port, message);
}

function hearTimer(turn: Turn, timer: string): void {
  if (isWatchTimer(timer)) {
    tickWatch(turn, timer);
    mindWatchers(turn);
    return;
  }
  const { state, ctx } = turn;
  const ofMembers = childTimer<"tick">(timer, MEMBERS);
  const ofLease = childTimer<string>(timer, LEASE);
  if (ofMembers !== null) {
    state.heard = 0;
    membership.expire!(state.members, ofMembers, membershipContext(ctx));
    follow(turn);
  } else if (timer.startsWith(`${ELECTION_TIMER}#`)) expireChild(turn, timer);
  else if (ofLease !== null) expireLease(turn, ofLease);
  else if (timer === COUNCIL_TIMER) tickCouncils(turn);
  else if (timer === SETTLE) settleView(turn);
  else if (timer === REVIEW) review(turn);
  else hearOfficeTimer(turn, timer);
}

function hearOfficeTimer(turn: Turn, timer: string): void {
  const [purpose] = timer.split("/", 1);
  const office = turn.state.offices.get(timer.slice(purpose.length + 1));
  if (office === undefined || !Object.hasOwn(TIMERS, purpose)) return;
  touch(turn, office);
  TIMERS[purpose](turn, office);
}

/** Gives up what this member holds, before others hear that it leaves. */
function leaveGroup(turn: Turn): void {
  const { state, ctx } = turn;
  state.leaving = true;
  touchOwn(turn);
  actOnOffices(turn);
  stopWatching(turn);
  leaveCouncils(turn);
  membership.leave!(state.members, membershipContext(ctx));
}

/** The end of every handler: the remaining facts, then decisions, then the report. */
function finish(turn: Turn): void {
  followWatch(turn);
  do {
    followLeases(turn);
    actOnOffices(turn);
  } while (hasLeaseNews(turn));
  countLed(turn);
  tellExtension(turn);
  followCouncils(turn);
  refresh(turn);
}

function countLed(turn: Turn): void {
  const { state } = turn;
  for (const name of state.touched) {
    if (leads(turn, state.offices.get(name)!)) state.led.add(name);
    else state.led.delete(name);
  }
  if (state.led.size === 0 && state.applications.size === 0) releaseWatchers(turn);
}

/** Drops a message to another life of this member, and one from a life that is not a live member. */
function hearWord(turn: Turn, port: Port, message: ElectorMessage): void {
  const { state } = turn;
  if (message.to !== state.life) return;
  if (message.from === state.life) {
    if (port !== SELF) return;
    const election = message.kind === "child" ? state.offices.get(message.office)?.election : undefined;
    if (message.kind !== "child" || election?.id !== message.id) return;
    receiveChild(turn, state.offices.get(message.office)!, election, null, message.message, message.port);
    return;
  }
  const sender = memberOfLife(state.members, message.from);
  if (sender === undefined) return;
  heardOf(turn, sender.life);
  hearElectorMessage(turn, sender, message);
}
