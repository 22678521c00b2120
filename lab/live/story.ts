/** What an agent has told, as a history: who led which office from when to when, and a sentence for each thing that happened. */
import { eventInWords, isKnownEvent, type StreamEventName, shownAs } from "../../src/events/events.ts";
import type { EventSeen, OfficeSeen } from "./checks.ts";

/** Times are the agent's, in milliseconds since 1970. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

/** With leases one lease, whatever terms were opened meanwhile; without, one term. */
export interface Reign {
  readonly office: string;
  readonly leader: string;
  readonly term: number;
  readonly token: string | null;
  readonly from: number;
  /** Whether it led already when this page began to listen. */
  readonly isOlder: boolean;
  /** Whether the leader before gave the office up on purpose, by the agent's word: a hand-over, and no outage. */
  readonly isPlanned: boolean;
  /** Since when nobody reaches it, though it holds the lease. */
  readonly unreachable: number | null;
  /** When it was not reached, and yet was the leader all the while: its lease was the same afterwards. */
  readonly unreached: readonly Interval[];
  readonly to: number | null;
  /** How it ended, in a few words. */
  readonly end: string;
}

interface Happening {
  /** Counts up, so that lists keep their rows. */
  readonly number: number;
  readonly at: number;
  readonly text: string;
  readonly kind: "change" | "trouble" | "plain";
}

export interface Story {
  readonly reigns: readonly Reign[];
  readonly happenings: readonly Happening[];
  readonly told: number;
}

export const nothingYet: Story = { reigns: [], happenings: [], told: 0 };

const MOST_REIGNS = 400;
const MOST_HAPPENINGS = 200;
const MOST_PAUSES = 20;

/** One more event, by the name that it came under. */
export function tell(story: Story, event: StreamEventName, seen: EventSeen): Story {
  const reigns = reignsAfter(story.reigns, event, seen);
  const isBack =
    event === "leader" &&
    reigns.some(({ unreached }, i) => unreached.length > (story.reigns[i]?.unreached.length ?? 0));
  const { office, leader, token = null } = seen;
  const text = isBack
    ? `${office}: ${leader} is reached again, and still leads${tokenText(token)}.`
    : sentenceIn(event, seen);
  if (text === null) return reigns === story.reigns ? story : { ...story, reigns };
  const happening: Happening = { number: story.told, at: seen.at, text, kind: kindOf(event) };
  return {
    reigns: reigns.slice(-MOST_REIGNS),
    happenings: [...story.happenings.slice(1 - MOST_HAPPENINGS), happening],
    told: story.told + 1,
  };
}

/** What holds now, by the agent's word: what was missed meanwhile is made up for. */
export function tellStatus(story: Story, offices: readonly OfficeSeen[], at: number): Story {
  let { reigns } = story;
  for (const { office, leader, term, token } of offices) {
    const last = reigns.findLast((one) => one.office === office);
    const isLed = leader !== null && leader.state !== "stale";
    const unreachable = leader?.state === "unreachable" ? at : null;
    if (last !== undefined && leader !== null && isSame(last, { leader: leader.name, term, token })) {
      const now = unreachable !== null ? { ...last, unreachable: last.unreachable ?? unreachable } : last;
      if (last.to !== null && isLed) reigns = replaced(reigns, last, { ...reopened(last, at), unreachable });
      else if (last.to === null && now.unreachable !== last.unreachable) reigns = replaced(reigns, last, now);
      continue;
    }
    if (last?.to === null) reigns = closed(reigns, office, last.unreachable ?? at, "ended while nothing was heard");
    if (isLed) {
      const isOlder = last === undefined;
      reigns = [
        ...reigns,
        { office, leader: leader.name, term, token, from: at, isOlder, isPlanned: false, ...OPEN, unreachable },
      ];
    }
  }
  return { ...story, reigns };
}

const OPEN = { unreachable: null, unreached: [], to: null, end: "" } as const;

/** A lease is known by its token: it lasts through terms in which nobody else got it. */
function isSame(
  one: Reign,
  { leader, term, token }: Pick<Reign, "term" | "token"> & { leader: string | null },
): boolean {
  return one.leader === leader && (token === null || one.token === null ? one.term === term : one.token === token);
}

function reopened(one: Reign, at: number): Reign {
  const from = one.unreachable ?? one.to;
  const unreached = from === null ? one.unreached : [...one.unreached.slice(-MOST_PAUSES), { from, to: at }];
  return { ...one, ...OPEN, unreached };
}

const replaced = (reigns: readonly Reign[], old: Reign, one: Reign): readonly Reign[] =>
  reigns.map((each) => (each === old ? one : each));

/** Who leads an office now, as far as the history knows: in which term it got its lease, and since when. */
export const reignOf = (reigns: readonly Reign[], { office, leader, term, token }: OfficeSeen): Reign | null =>
  reigns.findLast(
    (one) => one.office === office && one.to === null && isSame(one, { leader: leader?.name ?? null, term, token }),
  ) ?? null;

/** Milliseconds. */
export const unreachedFor = ({ unreached }: Reign): number =>
  unreached.reduce((sum, { from, to }) => sum + to - from, 0);

function reignsAfter(reigns: readonly Reign[], event: StreamEventName, seen: EventSeen): readonly Reign[] {
  const { office = "", leader = null, term = 0, token = null, at, why, member, cause = "" } = seen;
  const isPlanned = PLANNED.includes(cause);
  const last = reigns.findLast((one) => one.office === office);
  const open = last?.to === null ? last : undefined;
  switch (event) {
    case "leader":
    case "leads": {
      if (leader === null) return reigns;
      if (last !== undefined && isSame(last, { leader, term, token })) {
        if (last.unreachable === null && last.to === null) {
          const told = { ...last, token: token ?? last.token, isPlanned: last.isPlanned || isPlanned };
          const isKnown = told.token === last.token && told.isPlanned === last.isPlanned;
          return isKnown ? reigns : replaced(reigns, last, told);
        }
        return at <= (last.to ?? last.unreachable ?? 0) ? reigns : replaced(reigns, last, reopened(last, at));
      }
      // What is told twice, by two agents or after a connection was lost, is known already.
      if (reigns.some((one) => one.office === office && isSame(one, { leader, term, token }))) return reigns;
      const before = open === undefined ? reigns : closed(reigns, office, open.unreachable ?? at, "was followed");
      return [...before, { office, leader, term, token, from: at, isOlder: false, isPlanned, ...OPEN }];
    }
    case "leaderless":
      return closed(reigns, office, at, "ended");
    case "resigned":
      return closed(reigns, office, at, "resigned");
    case "lapsed":
      return closed(reigns, office, at, why || "its lease ran out");
    case "unreachable":
      return reigns.map((one) => (one === open && one.unreachable === null ? { ...one, unreachable: at } : one));
    case "failed":
    case "left":
      // The end itself is told by the office; this says why.
      return reigns.map((one) =>
        one.to === null && one.leader === member && one.unreachable === null ? { ...one, unreachable: at } : one,
      );
    default:
      return reigns;
  }
}

/** Causes of a change that somebody wanted. */
const PLANNED: readonly string[] = ["handed over", "balanced", "resigned", "left"];

function closed(reigns: readonly Reign[], office: string, at: number, end: string): readonly Reign[] {
  return reigns.map((one) =>
    one.office === office && one.to === null ? { ...one, to: Math.max(one.from, at), end } : one,
  );
}

/** Milliseconds in which an office was led by nobody that can be reached, before each reign but the first. */
export function gapBefore(reigns: readonly Reign[], reign: Reign): number | null {
  const i = reigns.indexOf(reign);
  const before = reigns.slice(0, i).findLast((one) => one.office === reign.office);
  if (before === undefined || before.to === null) return null;
  return Math.max(0, reign.from - (before.unreachable ?? before.to));
}

function kindOf(event: string): Happening["kind"] {
  const shown = isKnownEvent(event) ? shownAs(event) : "plain";
  return shown === "never" ? "plain" : shown;
}

const grouped = (text: string): string => text.replace(/\B(?=(\d{3})+$)/g, ",");
export const tokenText = (token: string | null): string => (token === null ? "" : `, token ${grouped(token)}`);

/** What happened, in a sentence; null for what needs none. An agent of another version may tell what this page does not know. */
export function sentenceIn(event: string, seen: EventSeen): string | null {
  if (!isKnownEvent(event)) return `The agent tells of an event "${event.slice(0, 40)}".`;
  if (shownAs(event) === "never") return null;
  const { token, office, member } = seen;
  const text = eventInWords({ event, ...UNSAID, ...seen, ...(token != null && { token: grouped(token) }) });
  // The name of an office or a member stays as it is.
  const begins = office === undefined && member === undefined ? text[0]?.toUpperCase() : text[0];
  return `${begins ?? ""}${text.slice(1)}.`;
}

/** For what an agent has left out. */
const UNSAID = { member: "a member", leader: "somebody", term: 0, why: "no reason is given" };
