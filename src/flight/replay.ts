/** Flight records as one run: whether the machine makes it, what happened in it, and what should not have happened. */
import type { OfficeReport } from "../elector/report.ts";
import { version } from "../version.ts";
import { type FlightFile, type LivingOptions, liveAgain, type Relived } from "./lives.ts";
import type { FlightDifference, RunAgain } from "./run-again.ts";
import { type FlightStory, type PlacedStep, storyOf } from "./story.ts";

/** One start of a process, as its record has it. */
export interface FlightLife {
  readonly file: string;
  readonly member: string;
  readonly group: string;
  readonly address: string;
  readonly life: number;
  /** The version of the program that recorded it. */
  readonly version: string;
  /** Milliseconds since 1970, by the clock that the story is told by. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Steps that the record does not have, between its parts. */
  readonly missing: number;
  /** Null: this run is one that the machine makes. */
  readonly difference: FlightDifference | null;
  readonly threw: RunAgain["threw"];
  /** By this many milliseconds its clock may be wrong against that of the story; null: nobody can say. */
  readonly clockWithin: number | null;
  /** How many messages its clock was set by. */
  readonly clockMessages: number;
}

/** What `replayFlight` found in the records of one or several members. */
export interface FlightReplay {
  readonly lives: readonly FlightLife[];
  readonly story: FlightStory;
  /** What could not be read, a sentence each. */
  readonly notes: readonly string[];
  /** What should not have happened in it, a sentence each. */
  readonly incidents: readonly string[];
}

/**
 * Runs flight records of one or more members again, step by step, and puts them together by what they exchanged. Throws an InputError
 * where a file is no flight record.
 *
 * @example
 * ```ts
 * import { diagram, replayFlight } from "sortition/trace";
 *
 * export function draw(name: string, bytes: Uint8Array): string {
 *   return diagram(replayFlight([{ name, bytes }]).story, { title: name });
 * }
 * ```
 */
export function replayFlight(files: readonly FlightFile[], options: LivingOptions = {}): FlightReplay {
  const { lives, notes } = liveAgain(files, options);
  const story = storyOf(lives);
  return {
    lives: lives.map((life, i) => summaryOf(life, i, story)),
    story,
    notes,
    incidents: incidentsIn(lives, story),
  };
}

function summaryOf({ file, head, steps, result }: Relived, place: number, { clocks }: FlightStory): FlightLife {
  const { add, within, messages } = clocks[place];
  const { member, group, address, life } = head;
  return {
    file,
    member,
    group,
    address,
    life,
    version: head.sortition,
    from: (steps[0]?.at ?? head.now) + add,
    to: (steps.at(-1)?.at ?? head.now) + add,
    steps: result.steps,
    missing: result.missing,
    difference: result.difference,
    threw: result.threw,
    clockWithin: within,
    clockMessages: messages,
  };
}

/** "this run is one that the machine makes", or the first step that is not, and why. */
export function conformanceText({ member, difference, version: recordedBy }: FlightLife): string {
  if (difference === null) return `the run of ${member} is one that the machine makes`;
  const { step, recorded, now } = difference;
  const why =
    recordedBy === version
      ? "the file was changed, or this is another build of the same version"
      : `version ${recordedBy} recorded it, and this is version ${version}`;
  return `the run of ${member} is not one that this machine makes: at step ${step} the record says: ${recorded}; the machine: ${now} (${why})`;
}

// Incidents: a handler fails; a member acts under an old token although a newer one leads; without leases, two members lead in one
// term (which a partition can bring about, and chance with probability epsilon).

interface Leader {
  readonly life: number;
  readonly office: OfficeReport;
  /** Since when it leads under this token, or in this term. */
  readonly since: number;
}

function incidentsIn(lives: readonly Relived[], { order, clocks }: FlightStory): string[] {
  const incidents = lives.flatMap(({ head, result: { threw } }) =>
    threw === null ? [] : [`a handler of ${head.member} fails in step ${threw.step}: ${threw.why}`],
  );
  /** By seat: those that lead, as far as they know. */
  const leading = new Map<string, Leader[]>();
  const said = new Set<string>();
  for (const placed of order) {
    for (const [seat, leaders] of nowLeading(leading, placed)) {
      const mine = leaders.find(({ life }) => life === placed.life);
      if (mine === undefined) continue;
      for (const other of leaders) {
        if (other === mine || !isBreach(mine, other, placed.at, clocks)) continue;
        const names = [mine, other].map(({ life }) => lives[life].head.member);
        const what =
          mine.office.token === null
            ? `${names[0]} and ${names[1]} both lead ${seat} in term ${mine.office.term}`
            : `${names[0]} still leads ${seat} with token ${mine.office.token}, although ${names[1]} leads it with token ${other.office.token}`;
        if (said.has(what)) continue;
        said.add(what);
        incidents.push(`${what}, ${Math.round(placed.at)} ms after the beginning`);
      }
    }
  }
  return incidents;
}

/** The seats of a step's member, with all that lead them after it. */
function nowLeading(leading: Map<string, Leader[]>, { life, lived, at }: PlacedStep): [string, Leader[]][] {
  const isOver = lived.step.do === "leave" || lived.step.threw !== null;
  const offices = isOver ? {} : (lived.report?.offices ?? {});
  for (const [seat, leaders] of leading) {
    if (offices[seat]?.mine !== true)
      leading.set(
        seat,
        leaders.filter((leader) => leader.life !== life),
      );
  }
  const mine = Object.entries(offices).filter(([, office]) => office.mine);
  return mine.map(([seat, office]) => {
    const before = leading.get(seat) ?? [];
    const own = before.find((leader) => leader.life === life);
    const isSame = own !== undefined && own.office.token === office.token && own.office.term === office.term;
    const leaders = [...before.filter((leader) => leader !== own), { life, office, since: isSame ? own.since : at }];
    leading.set(seat, leaders);
    return [seat, leaders];
  });
}

/** Milliseconds beyond what the clocks may be wrong. */
const SLACK = 1;

/** `mine` has just acted. A leader that was paused has not: what it does first when it goes on is to look at its deadline. */
function isBreach(mine: Leader, other: Leader, at: number, clocks: FlightStory["clocks"]): boolean {
  const [a, b] = [mine.office, other.office];
  if (a.token === null || b.token === null) return a.token === b.token && a.term === b.term;
  if (a.token === b.token) return true;
  const within = (clocks[mine.life].within ?? Infinity) + (clocks[other.life].within ?? Infinity) + SLACK;
  return a.token < b.token && at > other.since + within;
}
