/**
 * The list of a ring, which must be the same at all its members. The opener sends its list, and the members that acknowledge it take
 * part. List and acknowledgement are repeated until they are heard, or until it is too late.
 */
import type { Port } from "../../protocol.ts";
import { live, memberOfLife } from "../../protocols/membership/parent.ts";
import type { KnownMember } from "../../protocols/membership/records.ts";
import { ring } from "../../topology/ring.ts";
import type { Topology } from "../../topology/topology.ts";
import { electorate } from "../standing.ts";
import type { Election, List, Office, Turn } from "../state.ts";
import { LONGEST_LIST } from "../talk/accepts.ts";
import type { ElectorMessage } from "../talk/messages.ts";
import { say, sayTo } from "../talk/speaking.ts";
import { idsFor } from "./choice.ts";

export const listTimer = (office: string): string => `list/${office}`;

/** A ring has two ports, even if it has one member. */
export const RING_PORTS = 2;

export const ringOf = ({ list }: Election): Topology => ring(list!.lives.length);

/** The life behind a port of the member with this life. */
export function ringLife(election: Election, life: number, port: Port): number {
  const { lives } = election.list!;
  return lives[ringOf(election).neighbour(lives.indexOf(life), port)];
}

/** How often a list is sent to members that have not acknowledged it. Then the others go on without them. */
const TRIES = 3;

/** The list in the reverse order of the choice function: ids are places, and the highest wins. */
export function openList(turn: Turn, office: Office, term: number): List {
  const { state } = turn;
  const idOf = idsFor({ office: office.name, term, zone: state.params.preferredZone });
  const takesPart = new Set(electorate(turn, office).map(({ name }) => name)).add(state.name);
  const lives = live(state.members)
    .filter(({ name }) => takesPart.has(name))
    .map((member) => ({ life: member.life, id: idOf(member) }))
    .sort((a, b) => a.id - b.id)
    .map(({ life }) => life);
  const mine = lives.indexOf(state.life);
  const kept = lives.slice(0, LONGEST_LIST);
  if (mine >= LONGEST_LIST) kept[LONGEST_LIST - 1] = state.life;
  return { opener: state.name, acknowledged: new Set([state.life]), lives: kept, final: false, tries: 0 };
}

export const heardList = (opener: string): List => ({
  opener,
  acknowledged: new Set<number>(),
  lives: [],
  final: false,
  tries: 0,
});

/** The opener sends the list again to silent members; another member acknowledges it again. */
export function repeat(turn: Turn, office: Office, election: Election): void {
  const { state, ctx, times } = turn;
  const list = election.list!;
  list.tries++;
  const { term, id, setting } = election;
  const about = { office: office.name, term, id };
  if (list.opener !== state.name) sayTo(turn, list.opener, { kind: "listed", ...about });
  else {
    for (const life of list.lives) {
      const member = memberOfLife(state.members, life);
      if (list.acknowledged.has(life) || member === undefined) continue;
      say(turn, member, { kind: "list", ...about, setting, lives: list.lives, final: false });
    }
  }
  ctx.arm(listTimer(office.name), 2 * times.tau);
}

/** Whether the opener has waited long enough, or has heard all. */
export const isComplete = ({ acknowledged, lives, tries }: List): boolean =>
  tries >= TRIES || acknowledged.size === lives.length;

/** The members that have acknowledged the list become the ring. */
export function finalise(turn: Turn, office: Office, election: Election): void {
  const list = election.list!;
  list.lives = list.lives.filter((life) => list.acknowledged.has(life));
  list.final = true;
  for (const life of list.lives) {
    const member = memberOfLife(turn.state.members, life);
    if (member !== undefined && member.name !== turn.state.name) sayFinal(turn, office, election, member);
  }
}

function sayFinal(turn: Turn, office: Office, { term, id, setting, list }: Election, to: KnownMember): void {
  say(turn, to, { kind: "list", office: office.name, term, id, setting, lives: list!.lives, final: true });
}

/** A message about the list of this election. Returns whether this member can begin now. */
export function hearList(
  turn: Turn,
  office: Office,
  election: Election,
  sender: KnownMember,
  message: Extract<ElectorMessage, { readonly kind: "list" | "listed" }>,
): boolean {
  const { list } = election;
  if (list === null) return false;
  if (message.kind === "listed") {
    if (list.opener !== turn.state.name || !list.lives.includes(sender.life)) return false;
    if (list.final) sayFinal(turn, office, election, sender);
    else list.acknowledged.add(sender.life);
    return !list.final && isComplete(list);
  }
  if (list.opener !== sender.name || list.final) return false;
  if (!message.final) {
    repeat(turn, office, election);
    return false;
  }
  list.final = true;
  list.lives = message.lives;
  return list.lives.includes(turn.state.life);
}
