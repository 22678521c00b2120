/** One term's election at this member: the child protocol in its embedding, from its beginning to a winner or to its end. */
import { SELF } from "../protocol.ts";
import type { Member } from "../protocols/membership/records.ts";
import { tell } from "../protocols/told.ts";
import { ChildContext, ELECTION } from "./child-context.ts";
import type { Child } from "./children.ts";
import { win } from "./claims.ts";
import { canonical, digestOf } from "./digest.ts";
import type { Setting } from "./messages.ts";
import { raiseTerm } from "./saved.ts";
import { sayToAll } from "./speaking.ts";
import { electorate } from "./standing.ts";
import type { Election, Office, Turn } from "./state.ts";
import { failed, stopWaiting } from "./vacancy.ts";

export const electionId = (office: string, term: number, setting: Setting): number =>
  digestOf(`${office} ${term} ${canonical(setting)}`);

export const overdueTimer = (office: string): string => `overdue/${office}`;

/**
 * Takes part in an election from now on. The view of the child is this member's own, of this moment. `stands`: as a candidate;
 * otherwise it only answers.
 */
export function begin(turn: Turn, office: Office, term: number, setting: Setting, stands: boolean): void {
  const child = turn.children.of(setting);
  const { state, ctx, times } = turn;
  stopWaiting(turn, office);
  end(turn, office);
  if (term > office.term) adopt(turn, office, term);
  office.took = Math.max(office.took, term);
  if (child === null) return;
  const others = electorate(turn, office);
  const election: Election = {
    ...{ term, id: electionId(office.name, term, setting), setting, generation: ++state.generations, stands },
    names: others.map(({ name }) => name),
    ids: others.map(({ name }) => digestOf(name)),
    ownId: digestOf(state.name),
    ports: new Map(others.map(({ name }, port) => [name, port])),
    ...{ answered: false, waits: {}, waited: times.election, child: null },
  };
  office.election = election;
  state.running.set(election.generation, office.name);
  ctx.arm(overdueTimer(office.name), times.election);
  if (stands) ctx.measure("elections", 1);
  if (stands && child.together) {
    sayToAll(turn, { kind: "open", office: office.name, term, id: election.id, setting });
  }
  start(turn, office, election, child);
  conclude(turn, office, election, child);
}

function start(turn: Turn, office: Office, election: Election, child: Child): void {
  const { protocol, params, bare, together } = child;
  const { ids, ownId, id, stands } = election;
  const n = ids.length + 1;
  // Where all begin together, all are initiators unless the protocol wants a few.
  const initiator = stands || (together && bare.initiators === undefined);
  const facts = {
    ...{ id: ownId, initiator, n, election: id, life: turn.state.life, seeds: [] },
    highest: ids.reduce((a, b) => Math.max(a, b), ownId),
  };
  // Who stands is a candidate: the order of those who stand has taken the coin's place.
  const self = tell(protocol, params, facts, () => stands);
  election.child = protocol.init(params, self, null, new ChildContext(turn, office, election, child, true));
}

/** A higher term has been seen: it is saved, and nobody leads in a lower one. */
export function adopt(turn: Turn, office: Office, term: number): void {
  end(turn, office);
  raiseTerm(turn, office, term);
  office.former = office.claim?.holder ?? office.former;
  office.claim = null;
  office.seen = false;
  office.asked = 0;
}

/** Whatever the child still sends or waits for is void. */
export function end({ state, ctx }: Turn, office: Office): void {
  if (office.election === null) return;
  state.running.delete(office.election.generation);
  office.election = null;
  ctx.disarm(overdueTimer(office.name));
}

/** A message of the child, from a live member, or from this one itself. */
export function receive(turn: Turn, office: Office, election: Election, sender: Member | null, message: unknown): void {
  const child = turn.children.of(election.setting)!;
  if (sender !== null && child.protocol.accepts?.(message) === false) return;
  const port = sender === null ? SELF : portOf(election, sender.name);
  child.protocol.receive(election.child, port, message, new ChildContext(turn, office, election, child, false));
  conclude(turn, office, election, child);
}

/** A member that has joined since, or was not known at the beginning, is added to the view: nobody is unheard. */
function portOf({ names, ids, ports }: Election, name: string): number {
  const known = ports.get(name);
  if (known !== undefined) return known;
  ports.set(name, names.length);
  ids.push(digestOf(name));
  return names.push(name) - 1;
}

/** A timer of the name `election#generation/...` has expired. */
export function expire(turn: Turn, timer: string): void {
  const [head] = timer.split("/", 1);
  const generation = Number(head.slice(ELECTION.length + 1));
  const name = turn.state.running.get(generation);
  const office = name === undefined ? undefined : turn.state.offices.get(name);
  const election = office?.election;
  if (office === undefined || election?.generation !== generation) return;
  const child = turn.children.of(election.setting)!;
  const context = new ChildContext(turn, office, election, child, false);
  child.protocol.expire!(election.child, timer.slice(head.length + 1), context);
  conclude(turn, office, election, child);
}

/** The child has acted: has it elected this member? */
function conclude(turn: Turn, office: Office, election: Election, child: Child): void {
  if (office.election !== election) return;
  if (child.protocol.verdict(election.child).status === "elected") win(turn, office);
}

/** The time of the election is over, unless its child waits for longer of its own accord. */
export function overdue(turn: Turn, office: Office): void {
  const { election } = office;
  if (election === null) return;
  const needed = Object.values(election.waits).reduce((sum, wait) => sum + wait, turn.times.election);
  if (needed > election.waited) {
    turn.ctx.arm(overdueTimer(office.name), needed - election.waited);
    election.waited = needed;
  } else {
    end(turn, office);
    failed(turn, office);
  }
}
