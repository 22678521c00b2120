/** Which members should stand for an office, in the order of the choice function, and with which setting. Equal views give equal orders. */
import { live, lossSeen, size } from "../protocols/membership/parent.ts";
import type { KnownMember } from "../protocols/membership/records.ts";
import { firstOf } from "./election/choice.ts";
import { chooseSetting, lossOf, paceAfter } from "./setting.ts";
import type { Office, Turn } from "./state.ts";
import type { ElectionSetting } from "./talk/messages.ts";
import { publishedSetting, publishSetting } from "./talk/speaking.ts";

/** The other members that take part in the next election. The last holder is left out, since it may be dead. */
export function electorate({ state }: Turn, { former }: Office): readonly KnownMember[] {
  return live(state.members).filter(({ name }) => name !== state.name && name !== former?.name);
}

/** The number of members that are asked to stand, one after the other. */
export const FIRST = 3;

/**
 * The first in line for the next term, the best first. The last holder of the office, and holders of its other seats, come only if no
 * other member is left.
 */
export function firstInLine(turn: Turn, office: Office, term: number): readonly KnownMember[] {
  const { state } = turn;
  const { order, others, offset } = seatOf(turn, office);
  const { claim, applicant } = office;
  const last = [claim?.holder ?? office.former?.name, applicant?.holder === null ? applicant.former : null];
  const heir = claim?.heir ?? null;
  const line = firstOf(
    state.eligible ? live(state.members) : live(state.members).filter(({ name }) => name !== state.name),
    {
      office: order,
      term,
      zone: state.params.preferredZone,
      // An heir that has tried and failed comes last, as every member that has.
      heir: last.includes(heir) ? null : heir,
      without: new Set([...last.filter((name) => name != null), ...others]),
    },
    FIRST + offset,
  );
  const from = line.length === 0 ? 0 : offset % line.length;
  return [...line.slice(from), ...line.slice(0, from)].slice(0, FIRST);
}

/** Whether this member may hold the office, and nothing of its own keeps it from that. */
export const isWilling = (turn: Turn, office: Office): boolean =>
  office.wanted && turn.state.eligible && turn.order.isFree(turn, office);

// An office with several seats is one office for each, "shards#1" and so on. No member gets a second seat while there are
// others, and all seats share one order, in which each vacant one begins a place further on: so that several can be
// filled at once.

interface SeatOrder {
  /** The name that the order is drawn for. */
  readonly order: string;
  /** The holders of the office's other seats. */
  readonly others: readonly string[];
  /** The number of vacant seats before this one. */
  readonly offset: number;
  /** Whether this member has a seat already, or stands for one. */
  readonly mine: boolean;
}

const SEAT = /^(.+)#(\d+)$/;

function seatOf({ state: { offices, name: self } }: Turn, { name }: Office): SeatOrder {
  const [, order, own] = SEAT.exec(name) ?? [];
  if (order === undefined) return { order: name, others: [], offset: 0, mine: false };
  const others: string[] = [];
  let offset = 0;
  let mine = false;
  for (let number = 1; ; number++) {
    const seat = offices.get(`${order}#${number}`);
    if (seat === undefined) break;
    if (seat.name === name) continue;
    const holder = seat.applicant?.holder ?? seat.claim?.holder ?? null;
    mine ||= holder === self || seat.election?.stands === true;
    if (holder !== null) others.push(holder);
    else if (number < Number(own)) offset++;
  }
  return { order, others, offset, mine };
}

/** How many times a member leaves a seat to others: members without a seat may not want one. */
const POLITE = 4;

/** Whether this member should leave the seat to others: it has one, and there are members who have none. */
export function hasEnough(turn: Turn, office: Office): boolean {
  if (office.failedTries >= POLITE) return false;
  const { mine, others } = seatOf(turn, office);
  // The claim of a dead holder may stay for a while.
  return mine && live(turn.state.members).some(({ name }) => name !== turn.state.name && !others.includes(name));
}

// The setting of an election: the one that the last holder published, or this member's own choice.

/** Chosen for n members, from this member's parameters and what it has measured. */
function ownSetting({ state: { params, members }, children }: Turn, n: number): ElectionSetting {
  const { protocol, protocolParams, epsilon } = params;
  const loss = lossOf(params.loss, lossSeen(members));
  return chooseSetting({ protocol, params: protocolParams, n, loss, epsilon }, children.find);
}

/** For the terms after those of this holder: without it. */
export const nextSetting = (turn: Turn): ElectionSetting => ownSetting(turn, Math.max(1, size(turn.state.members) - 1));

/** The newest that the office's last holder has published; what came with its claim; null where nobody held it. */
export function knownSetting(turn: Turn, { claim, former, setting }: Office): ElectionSetting | null {
  const holder = claim?.holder == null ? former : { name: claim.holder, life: claim.life };
  return (holder === null ? null : publishedSetting(turn, holder)) ?? setting;
}

/** What a term is opened with. A published setting that led to nothing more than once gives way to this member's own. */
export function openingSetting(turn: Turn, office: Office): ElectionSetting {
  const { failedTries: tries } = office;
  const known = tries < 2 ? knownSetting(turn, office) : null;
  const setting = known ?? ownSetting(turn, electorate(turn, office).length + 1);
  return tries === 0 ? setting : { ...setting, pace: paceAfter(tries) };
}

export const REVIEW = "review";

/** The group has changed: each holder looks in a while whether the next terms should be held differently. */
export function reviewSoon({ state, ctx, times }: Turn): void {
  if (state.reviewing || state.led.size === 0) return;
  state.reviewing = true;
  ctx.arm(REVIEW, times.review, 1.5 * times.review);
}

export function review(turn: Turn): void {
  turn.state.reviewing = false;
  if (turn.state.led.size > 0) publishSetting(turn, nextSetting(turn));
}
