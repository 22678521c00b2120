/** One term's election at this member: the child protocol in its embedding, from its beginning to a winner or to its end. */
import { type Port, SELF } from "../../protocol.ts";
import { memberNamed } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { tell } from "../../protocols/told.ts";
import { rememberHolder } from "../presence.ts";
import { electorate } from "../standing.ts";
import { type Election, type Office, raiseTerm, stopWaiting, type Turn, touch } from "../state.ts";
import type { ElectionSetting, ElectorMessage } from "../talk/messages.ts";
import { sayToAll } from "../talk/speaking.ts";
import { ChildContext, ELECTION_TIMER } from "./child-context.ts";
import type { Child } from "./children.ts";
import { canonical, digestOf, idsFor } from "./choice.ts";
import {
  finalise,
  heardList,
  hearList,
  isComplete,
  listTimer,
  openList,
  RING_PORTS,
  repeat,
  ringLife,
} from "./lists.ts";

export const electionId = (office: string, term: number, setting: ElectionSetting): number =>
  digestOf(`${office} ${term} ${canonical(setting)}`);

/** The longest wait for a ring, in milliseconds. */
const LONGEST_RING = 60_000;

const overdueTimer = (office: string): string => `overdue/${office}`;

/** How this member came into an election: it stands, or another member told it; on rings, the opener did. */
interface Entry {
  readonly stands: boolean;
  readonly opener: string;
}

/** Ids in the order of the choice function; the first in line has the highest. Anonymous protocols need none. */
function idsOf({ state }: Turn, office: Office, term: number, { bare }: Child): (member: KnownMember) => number {
  if (bare.assumes.identity === "anonymous") return () => 0;
  return idsFor({ office: office.name, term, zone: state.params.preferredZone });
}

/** Joins an election. The child's view is this member's present view. */
export function joinElection(
  turn: Turn,
  office: Office,
  term: number,
  setting: ElectionSetting,
  { stands, opener }: Entry,
): void {
  const child = turn.children.of(setting);
  const { state, ctx, times } = turn;
  stopWaiting(turn, office);
  end(turn, office);
  if (term > office.term) adopt(turn, office, term);
  office.joinedTerm = Math.max(office.joinedTerm, term);
  if (child === null) {
    fail(turn, office);
    return;
  }
  const others = electorate(turn, office);
  const list = !child.listed ? null : opener === state.name ? openList(turn, office, term) : heardList(opener);
  const idOf = idsOf(turn, office, term, child);
  const election: Election = {
    term,
    id: electionId(office.name, term, setting),
    setting,
    generation: ++state.generations,
    stands,
    list,
    names: others.map(({ name }) => name),
    ids: others.map(idOf),
    ownId: idOf(memberNamed(state.members, state.name)!),
    ports: new Map(others.map(({ name }, port) => [name, port])),
    answered: false,
    waits: {},
    waited: times.election,
    child: null,
  };
  office.election = election;
  state.running.set(election.generation, office.name);
  ctx.arm(overdueTimer(office.name), times.election);
  if (stands) ctx.measure("elections", 1);
  if (list !== null) awaitList(turn, office, election);
  else {
    if (stands && child.together) {
      sayToAll(turn, { kind: "open", office: office.name, term, id: election.id, setting });
    }
    start(turn, office, election, child);
  }
}

function start(turn: Turn, office: Office, election: Election, child: Child): void {
  const { protocol, params, bare, together } = child;
  const { id, stands, list } = election;
  const ids = list === null ? election.ids : list.lives.map((_, rank) => rank);
  const own = list === null ? election.ownId : list.lives.indexOf(turn.state.life);
  const n = list === null ? ids.length + 1 : ids.length;
  // If all begin together, all are initiators unless the protocol wants only a few.
  const initiator = stands || (together && bare.initiators === undefined);
  const facts = {
    id: own,
    initiator,
    n,
    election: id,
    life: turn.state.life,
    seeds: [],
    highest: ids.reduce((a, b) => Math.max(a, b), own),
  };
  // A member that stands is a candidate: no coin is tossed, because the choice function has chosen who stands.
  const self = tell(protocol, params, facts, () => stands);
  run(turn, office, election, child, () => {
    election.child = protocol.init(params, self, null, new ChildContext(turn, office, election, child, true));
  });
}

/**
 * Runs a handler of the child. If the child throws (a custom protocol with a mistake, or a message of another version), this ends the
 * election and not the member. The member reports it, and the next term tries again.
 */
function run(turn: Turn, office: Office, election: Election, child: Child, act: () => void): void {
  try {
    act();
  } catch (error) {
    const why = `the protocol ${child.bare.name} has failed: ${error instanceof Error ? error.message : String(error)}`;
    turn.state.events.push({ event: "faulty", office: office.name, term: election.term, why });
    if (office.election === election) abandon(turn, office);
    return;
  }
  conclude(turn, office, election, child);
}

/** Begins as soon as the list is final. */
function awaitList(turn: Turn, office: Office, election: Election): void {
  const list = election.list!;
  // A message around a ring takes long, and longer in rounds.
  const around = Math.min(LONGEST_RING, 2 * turn.times.tau * Math.max(8, list.lives.length) ** 2);
  election.waits.ring = { sum: around, count: 1 };
  if (list.opener === turn.state.name && isComplete(list)) startRing(turn, office, election);
  else repeat(turn, office, election);
}

function startRing(turn: Turn, office: Office, election: Election): void {
  turn.ctx.disarm(listTimer(office.name));
  if (election.list!.opener === turn.state.name) finalise(turn, office, election);
  start(turn, office, election, turn.children.of(election.setting)!);
}

/** A message about the list of an election that this member has joined. */
export function receiveList(
  turn: Turn,
  office: Office,
  election: Election,
  sender: KnownMember,
  message: Extract<ElectorMessage, { readonly kind: "list" | "listed" }>,
): void {
  if (hearList(turn, office, election, sender, message)) startRing(turn, office, election);
}

/** The list's timer has expired: nothing was heard for a while. */
export function listOverdue(turn: Turn, office: Office): void {
  const { election } = office;
  if (election === null || election.list === null || election.list.final) return;
  if (election.list.opener === turn.state.name && isComplete(election.list)) startRing(turn, office, election);
  else repeat(turn, office, election);
}

/** A higher term has been seen. It is saved. */
export function adopt(turn: Turn, office: Office, term: number): void {
  end(turn, office);
  raiseTerm(turn, office, term);
  rememberHolder(office);
  office.hasWon = false;
  office.isWinnerUnheard = false;
  // A request for a later term stays.
  if (office.requestedTerm <= term) office.requestedTerm = 0;
  turn.order.enterTerm(turn, office);
}

/** Ends an election: the child's later messages and timers are ignored. */
export function end({ state, ctx }: Turn, office: Office): void {
  if (office.election === null) return;
  state.running.delete(office.election.generation);
  office.election = null;
  ctx.disarm(overdueTimer(office.name));
  ctx.disarm(listTimer(office.name));
}

/** A message for the child, from a live member or from this member itself. `arrival`: its port, on rings. */
export function receiveInElection(
  turn: Turn,
  office: Office,
  election: Election,
  sender: KnownMember | null,
  message: unknown,
  arrival: Port | undefined,
): void {
  const child = turn.children.of(election.setting)!;
  if (election.list?.final === false) return;
  const port =
    election.list !== null ? ringPort(turn, election, sender, arrival) : viewPort(turn, office, election, sender);
  if (port === null) return;
  run(turn, office, election, child, () => {
    if (sender !== null && child.protocol.accepts?.(message) === false) return;
    child.protocol.receive(election.child, port, message, new ChildContext(turn, office, election, child, false));
  });
}

/** On rings: the port that the sender names, if the sender is behind that port. */
function ringPort(
  { state }: Turn,
  election: Election,
  sender: KnownMember | null,
  arrival: Port | undefined,
): Port | null {
  if (arrival === undefined) return sender === null ? SELF : null;
  if (arrival >= RING_PORTS || !election.list!.lives.includes(state.life)) return null;
  return ringLife(election, state.life, arrival) === (sender?.life ?? state.life) ? arrival : null;
}

/** The sender's port. A sender that joined later, or was not known at the beginning, is added to the view. */
function viewPort(turn: Turn, office: Office, election: Election, sender: KnownMember | null): Port {
  const { names, ids, ports, term, setting } = election;
  if (sender === null) return SELF;
  const { name } = sender;
  const known = ports.get(name);
  if (known !== undefined) return known;
  ports.set(name, names.length);
  ids.push(idsOf(turn, office, term, turn.children.of(setting)!)(sender));
  return names.push(name) - 1;
}

/** A timer of the name `election#generation/...` has expired. */
export function expireInElection(turn: Turn, timer: string): void {
  const [head] = timer.split("/", 1);
  const generation = Number(head.slice(ELECTION_TIMER.length + 1));
  const name = turn.state.running.get(generation);
  const office = name === undefined ? undefined : turn.state.offices.get(name);
  const election = office?.election;
  if (office === undefined || election?.generation !== generation) return;
  const child = turn.children.of(election.setting)!;
  const context = new ChildContext(turn, office, election, child, false);
  run(turn, office, election, child, () => {
    child.protocol.expire!(election.child, timer.slice(head.length + 1), context);
  });
}

/** After each handler of the child: notes whether it has elected this member. */
function conclude(turn: Turn, office: Office, election: Election, child: Child): void {
  if (office.election !== election) return;
  if (child.protocol.verdict(election.child).status !== "elected") return;
  end(turn, office);
  office.hasWon = true;
  touch(turn, office);
}

/** The time of the election is over, unless a timer of its child runs longer. */
export function overdue(turn: Turn, office: Office): void {
  const { election } = office;
  if (election === null) return;
  const needed = Object.values(election.waits).reduce((all, { sum }) => all + sum, turn.times.election);
  if (needed > election.waited) {
    turn.ctx.arm(overdueTimer(office.name), needed - election.waited);
    election.waited = needed;
  } else abandon(turn, office);
}

/** The election ends without a winner here. */
function abandon(turn: Turn, office: Office): void {
  end(turn, office);
  fail(turn, office);
}

function fail(turn: Turn, office: Office): void {
  office.failedTries++;
  touch(turn, office);
}
