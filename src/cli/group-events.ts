/** What happens in a group, as lines for people. */
import { epsilonInWords, lossInWords } from "../elector/setting/words.ts";
import type { MemberEvent } from "../live/group/events.ts";
import { plural } from "./figures.ts";

type Words = (event: MemberEvent) => string;

const count = ({ members }: MemberEvent) => (members === undefined ? "" : `; ${plural(members, "member")}`);
const under = ({ token }: MemberEvent) => (token === undefined ? "" : `, token ${token}`);
const why = (event: MemberEvent) => event.why ?? "";

const WORDS: Readonly<Record<MemberEvent["event"], Words>> = {
  started: ({ member, address, why }) =>
    `${member} listens; others reach it at ${address}${why === undefined ? "" : `; ${why}`}`,
  new: (event) => `a new member: ${why(event)}`,
  alone: why,
  unresolved: (event) => `${event.address}: ${why(event)}`,
  dropped: why,
  threw: ({ office, why }) => `${office}: the work of this member has thrown an error: ${why}`,
  unsettled: ({ office, why }) => `${office}: ${why}`,
  stalled: why,
  refused: why,
  joined: (event) => `${event.member} has joined${count(event)}`,
  suspected: ({ member }) => `${member} does not answer`,
  refuted: ({ member }) => `${member} answers again`,
  failed: (event) => `${event.member} is taken for dead${count(event)}`,
  left: (event) => `${event.member} has left${count(event)}`,
  view: ({ members = 0 }) => plural(members, "member"),
  term: ({ office, term }) => `${office}: term ${term}`,
  leader: (event) => `${event.office}: ${event.leader} leads in term ${event.term}${under(event)}`,
  none: ({ office, term }) => `${office}: nobody leads in term ${term}`,
  leads: (event) => `${event.office}: THIS MEMBER LEADS in term ${event.term}${under(event)}`,
  resigned: ({ office, term }) => `${office}: this member leads no longer (term ${term})`,
  seated: ({ office }) => `${office}: this member has a seat`,
  unseated: ({ office }) => `${office}: this member has no seat any more`,
  faulty: ({ office, term, why }) => `${office}: the election of term ${term} has ended: ${why}`,
  conflict: ({ office, term }) => `${office}: two had won term ${term}; the next one decides`,
  awaits: ({ office, term }) => `${office}: this member has won term ${term} and asks the engine for the lease`,
  denied: ({ office, why }) => `${office}: the engine has denied the lease: ${why}`,
  unreachable: ({ office, leader }) =>
    `${office}: ${leader} has the lease but cannot be reached; waiting until it runs out`,
  settling: ({ office, leaseMs }) =>
    leaseMs === undefined
      ? `${office}: this member does not stand for it before its work has ended`
      : `${office}: the lease is kept until the work of this member has ended`,
  lapsed: ({ office, why }) => `${office}: the lease of this member is over: ${why}`,
  engine: ({ engine, why }) =>
    engine === "silent"
      ? `the engine grants and renews nothing: ${why}; it is asked again`
      : "the engine answers again",
};

/** Says nothing twice in a row: not how many members there are, nor how sure elections are, nor a term that was just won. */
export function narrator(): (at: number, event: MemberEvent) => string[] {
  let shown: number | undefined;
  let sure = "";
  let won = "";
  return (at, event) => {
    // The error that ends the process says it.
    if (event.event === "refused") return [];
    const isWon = event.event === "term" && `${event.office} ${event.term}` === won;
    const isKnown = isWon || (event.event === "view" && event.members === shown);
    if (event.event === "awaits") won = `${event.office} ${event.term}`;
    shown = event.members ?? shown;
    const lines = isKnown ? [] : [WORDS[event.event](event)];
    const odds = oddsInWords(event);
    if (odds !== "" && odds !== sure) {
      sure = odds;
      lines.push(odds);
    }
    const time = new Date(at).toISOString().slice(11, 23);
    return lines.map((line) => `${time}  ${line}`);
  };
}

function oddsInWords({ odds }: MemberEvent): string {
  if (odds === undefined) return "";
  const { epsilon, loss, lossLow, lossFrom, protocol } = odds;
  if (loss === null || lossLow === null || lossFrom === null || protocol === null) return "";
  return `elections by ${protocol}; ${epsilonInWords({ epsilon, protocol })}; ${lossInWords({ loss, lossLow, lossFrom })}`;
}
