/** What an agent has told, as a history: who led which office from when to when, and a sentence for each thing that happened. */
import * as v from "valibot";
import { count, name, type OfficeSeen, or, words } from "./checks.ts";

/** Times are the agent's, in milliseconds since 1970. */
export interface Reign {
  readonly office: string;
  readonly leader: string;
  readonly term: number;
  readonly token: string | null;
  readonly from: number;
  /** Whether it led already when this page began to listen. */
  readonly isOlder: boolean;
  /** Since when nobody reaches it, though it holds the lease. */
  readonly unreachable: number | null;
  readonly to: number | null;
  /** How it ended, in a few words. */
  readonly end: string;
}

export interface Happening {
  /** Counts up, so that lists keep their rows. */
  readonly number: number;
  readonly at: number;
  readonly text: string;
  readonly kind: "term" | "trouble" | "member" | "other";
}

export interface Story {
  readonly reigns: readonly Reign[];
  readonly happenings: readonly Happening[];
  readonly told: number;
}

export const nothingYet: Story = { reigns: [], happenings: [], told: 0 };

const MOST_REIGNS = 400;
const MOST_HAPPENINGS = 200;

const At = v.union([v.pipe(v.number(), v.finite()), v.pipe(v.string(), v.isoTimestamp(), v.transform(Date.parse))]);

/** One event of the group, as far as this page uses it. */
export const Told = v.object({
  at: At,
  member: or(name, ""),
  members: or(count, null),
  office: or(name, ""),
  term: or(count, 0),
  token: or(name, null),
  leader: or(name, null),
  engine: or(name, ""),
  why: or(words, ""),
  ms: or(count, 0),
});
export type ToldEvent = v.InferOutput<typeof Told>;

/** One more event, by the name that it came under. */
export function tell(story: Story, event: string, told: ToldEvent): Story {
  const text = sentenceOf(event, told);
  const reigns = reignsAfter(story.reigns, event, told);
  if (text === null) return reigns === story.reigns ? story : { ...story, reigns };
  const happening: Happening = { number: story.told, at: told.at, text, kind: kindOf(event) };
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
    const open = reigns.findLast((one) => one.office === office && one.to === null);
    // A lease can last through terms in which nobody else got it: its token says whether it is the same.
    const isSame =
      open !== undefined &&
      open.leader === leader?.name &&
      (token === null ? open.term === term : open.token === token);
    const unreachable = leader?.state === "unreachable" ? at : null;
    if (isSame) {
      if (open.unreachable === null && unreachable !== null)
        reigns = reigns.map((one) => (one === open ? { ...one, unreachable } : one));
      continue;
    }
    if (open !== undefined) reigns = closed(reigns, office, open.unreachable ?? at, "ended while nothing was heard");
    if (leader !== null && leader.state !== "stale") {
      const isOlder = !reigns.some((one) => one.office === office);
      reigns = [
        ...reigns,
        { ...{ office, leader: leader.name, term, token, from: at, isOlder, to: null, end: "" }, unreachable },
      ];
    }
  }
  return { ...story, reigns };
}

function reignsAfter(reigns: readonly Reign[], event: string, told: ToldEvent): readonly Reign[] {
  const { office, leader, term, token, at, why, member } = told;
  const open = reigns.findLast((one) => one.office === office && one.to === null);
  switch (event) {
    case "leader":
    case "leads": {
      if (leader === null) return reigns;
      if (open?.leader === leader && open.term === term) {
        if (open.token === token && open.unreachable === null) return reigns;
        return reigns.map((one) => (one === open ? { ...one, token: token ?? one.token, unreachable: null } : one));
      }
      // What is told twice, by two agents or after a connection was lost, is known already.
      if (reigns.some((one) => one.office === office && one.term === term && one.leader === leader)) return reigns;
      const last = reigns.findLast((one) => one.office === office);
      // The same lease, by its token: it led all the while, and only was not reached.
      const isBack = open === undefined && last?.leader === leader && token !== null && last.token === token;
      const before = isBack
        ? reigns.map((one) => (one === last ? { ...one, end: "was not reached for a while" } : one))
        : open === undefined
          ? reigns
          : closed(reigns, office, open.unreachable ?? at, "was followed");
      return [
        ...before,
        { office, leader, term, token, from: at, isOlder: false, unreachable: null, to: null, end: "" },
      ];
    }
    case "none":
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

const KINDS: Readonly<Record<string, Happening["kind"]>> = {
  ...{ leader: "term", leads: "term", none: "trouble", resigned: "term", conflict: "trouble", unreachable: "trouble" },
  ...{ lapsed: "trouble", failed: "trouble", suspected: "trouble", faulty: "trouble", denied: "trouble" },
  ...{ stalled: "trouble", end: "trouble", threw: "trouble", unsettled: "trouble", joined: "member", left: "member" },
  ...{ refuted: "member", view: "member" },
};
const kindOf = (event: string): Happening["kind"] => KINDS[event] ?? "other";

const grouped = (text: string): string => text.replace(/\B(?=(\d{3})+$)/g, ",");
export const tokenText = (token: string | null): string => (token === null ? "" : `, token ${grouped(token)}`);

/** What happened, in a sentence; null for what needs none. */
export function sentenceOf(event: string, told: ToldEvent): string | null {
  const { member, office, term, token, leader, why, engine, ms, members } = told;
  const now = members === null ? "" : `; ${members.toLocaleString("en")} are in the group now`;
  const because = why === "" ? "" : `: ${why}`;
  switch (event) {
    case "leader":
      return leader === null ? null : `${leader} leads "${office}" in term ${term}${tokenText(token)}.`;
    case "none":
      return `Nobody leads "${office}" (term ${term}).`;
    case "resigned":
      return `This member leads "${office}" no longer (term ${term}${tokenText(token)}).`;
    case "conflict":
      return `Two had won term ${term} of "${office}"; a new term decides.`;
    case "unreachable":
      return `${leader ?? "The leader"} holds the lease of "${office}", but nobody reaches it.`;
    case "lapsed":
      return `The lease of "${office}" has run out (term ${term}${tokenText(token)})${because}.`;
    case "awaits":
      return `This member has won term ${term} of "${office}" and asks the engine for the lease.`;
    case "denied":
      return `The engine has denied the lease of "${office}" (term ${term})${because}.`;
    case "settling":
      return `The work that leads "${office}" is told to stop; the lease is kept until it has.`;
    case "seated":
      return `This member has a seat in the council of "${office}".`;
    case "unseated":
      return `This member has lost its seat in the council of "${office}".`;
    case "faulty":
      return `The election of "${office}" has failed (term ${term})${because}.`;
    case "joined":
      return `${member} has joined${now}.`;
    case "suspected":
      return `${member} does not answer.`;
    case "refuted":
      return `${member} answers again.`;
    case "failed":
      return `${member} is taken for dead${now}.`;
    case "left":
      return `${member} has left${now}.`;
    case "engine":
      return engine === "silent" ? `The engine does not answer this member${because}.` : "The engine answers.";
    case "stalled":
      return `This member stood still for ${ms.toLocaleString("en")} ms.`;
    case "dropped":
      return `Datagrams were not acted on${because}.`;
    case "threw":
    case "unsettled":
      return `The work that leads "${office}" ${event === "threw" ? "has thrown an error" : "has not stopped"}${because}.`;
    case "end":
      return `The agent is about to end${because}.`;
    case "alone":
      return `Nobody has answered yet${because}.`;
    default:
      return null;
  }
}
