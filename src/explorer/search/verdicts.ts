/**
 * What a search says of each promise, and of all of them: the only place that decides what earns a tick. A promise holds
 * only where everything that could break it was visited; whatever was stopped or cut leaves it open, with the reason.
 */
import { type Property, termination } from "../../properties/properties.ts";
import type { SearchCounts, Violation } from "./search-terms.ts";

/** What an exploration says of one promise. */
export type PromiseStanding = "holds" | "broken" | "not evaluated";

/** One promise: its name, what was found of it, and why. */
export interface PromiseVerdict {
  readonly promise: string;
  readonly standing: PromiseStanding;
  /** What is wrong, or why the promise was not evaluated; null where it holds. */
  readonly reason: string | null;
  /** Whether the caller expects that it is broken (`expect`). */
  readonly expected: boolean;
}

/** Whether a property needs a search of its own: so all that speak of runs without end, but that there is none. */
export const standsAlone = (property: Property): boolean =>
  property.when === "eventually" ||
  property.counts === "time" ||
  (property.when === "forever" && property !== termination);

/** Promises that are expected to be broken: the first breach of each is kept, and the search goes on without it. */
export class Expectations {
  readonly names: ReadonlySet<string>;
  readonly met: Violation[] = [];

  constructor(names: readonly string[] = []) {
    this.names = new Set(names);
  }

  isMet(name: string): boolean {
    return this.met.some(({ property }) => property === name);
  }

  /** Null where the breach was expected, which is then noted. */
  unexpected(violation: Violation | null): Violation | null {
    if (violation === null || !this.names.has(violation.property)) return violation;
    if (!this.isMet(violation.property)) this.met.push(violation);
    return null;
  }
}

/** What verdicts follow from. */
interface Evidence {
  readonly properties: readonly Property[];
  /** Of each case: what was visited, and the promises whose own search was cut by a limit. */
  readonly cases: readonly (Pick<SearchCounts, "ends" | "cut" | "loops"> & {
    readonly undecided: readonly string[];
    readonly doubtful: readonly string[];
  })[];
  readonly complete: boolean;
  readonly limits: Readonly<Record<string, number>>;
  readonly anonymous: boolean;
  /** Only random walks were taken. */
  readonly walked: boolean;
  readonly violation: Violation | null;
  readonly expectations: Expectations;
}

export const verdictsOf = (evidence: Evidence): readonly PromiseVerdict[] =>
  evidence.properties.map((property) => {
    const { name: promise } = property;
    const expected = evidence.expectations.names.has(promise);
    const broken = [evidence.violation, ...evidence.expectations.met].find((found) => found?.property === promise);
    if (broken) return { promise, standing: "broken", reason: broken.what, expected };
    const reason = whyOpen(property, evidence);
    return { promise, standing: reason === null ? "holds" : "not evaluated", reason, expected };
  });

/** Why nothing is known of a promise of which no breach was found; null where it holds. */
function whyOpen(property: Property, evidence: Evidence): string | null {
  const { cases, limits, expectations } = evidence;
  if (evidence.violation !== null) return "the search ended when another promise was broken";
  if (evidence.walked) return "random walks visit only some of the runs";
  if (!evidence.complete) return "the search stopped before everything was visited";
  if (property.needs === "ids" && evidence.anonymous) return "it speaks of ids, and these nodes have none";
  const within = Object.entries(limits).map(([name, most]) => `${name}=${most}`);
  const cut = `nothing is wrong up to ${within.join(", ")}, and what lies beyond was not visited`;
  if (cases.some(({ doubtful }) => doubtful.includes(property.name))) {
    return property.when === "forever"
      ? "runs go on for ever, and whether fairly cannot be told where numbers are kept by order"
      : "a run breaks it where numbers are kept by order, and cannot be followed with the numbers themselves";
  }
  if (standsAlone(property)) return cases.some(({ undecided }) => undecided.includes(property.name)) ? cut : null;
  if (property.when === "end" && cases.some(({ ends }) => ends === 0)) {
    return cases.some((each) => each.cut > 0) ? `no run ends within ${within.join(", ")}` : "no run comes to an end";
  }
  if (cases.some((each) => each.cut > 0)) return cut;
  const asked = evidence.properties.includes(termination) || expectations.names.has(termination.name);
  if (property.when === "end" && cases.some(({ loops }) => loops) && !asked) {
    return "runs can turn in circles, and whether each comes to an end was not asked: add termination";
  }
  return null;
}

/** Of all promises together. A breach that was expected counts for neither side. */
export function overall(verdicts: readonly PromiseVerdict[]): PromiseStanding {
  if (verdicts.some(({ standing, expected }) => standing === "broken" && !expected)) return "broken";
  const open = verdicts.length === 0 || verdicts.some(({ standing }) => standing === "not evaluated");
  return open ? "not evaluated" : "holds";
}

/** A promise that holds in what was searched, where a search of more had to stop. */
export const leftOpen = (verdicts: readonly PromiseVerdict[], searched: string): readonly PromiseVerdict[] =>
  verdicts.map((each) =>
    each.standing === "holds"
      ? { ...each, standing: "not evaluated", reason: `${searched}, and a search of more had to stop` }
      : each,
  );
