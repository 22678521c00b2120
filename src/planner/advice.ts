/** What an expert would say of the candidates, in a few sentences. */
import type { PlanSetting } from "../registry/planning.ts";
import { type Candidate, splits } from "./candidate.ts";

/** Which candidate to take, and what to know about it. */
export interface Advice {
  /** The place of the one to take among the candidates; null if there is none. */
  readonly take: number | null;
  /** The first says what to do; the others, what else there is and what to look out for. */
  readonly sentences: readonly string[];
}

/** What is worth a word: half the time, or half the datagrams. */
const BETTER = 0.5;

/** Rarer than this is as good as never. */
const NEVER = 1e-12;

/** What one leader in either half of a network is worth: so many times the cost. */
const SAFETY = 4;

/** What an election that never fails is worth: so many times the datagrams of one that fails now and then. */
const CERTAINTY = 1.5;

/** What acknowledged links, which nobody has allowed, would do: the cheapest protocol over them. */
export interface Acknowledged {
  readonly protocol: string;
  readonly datagrams: number;
}

export function adviceOn(
  setting: PlanSetting,
  candidates: readonly Candidate[],
  acknowledged: Acknowledged | null = null,
): Advice {
  const idealised = assumed(setting);
  if (candidates.length === 0) {
    return {
      take: null,
      sentences: [
        "No protocol here meets this: the reasons below say what each of them can do.",
        ...allowed(acknowledged, Number.POSITIVE_INFINITY),
        ...idealised,
      ],
    };
  }
  const taken = chosen(setting, candidates);
  const council = setting.council !== null;
  return {
    take: candidates.indexOf(taken),
    sentences: [
      `Take ${named(taken, candidates)}: about ${datagrams(taken)} an election, ${time(taken)}; ${risks(taken, council)}.`,
      ...trade(taken, candidates),
      ...quicker(taken, candidates),
      ...cheaper(taken, candidates),
      ...safer(taken, candidates),
      ...allowed(acknowledged, taken.datagrams),
      ...idealised,
    ],
  };
}

/**
 * The fewest datagrams within the time that was given; where none was, the fewest datagrams times delays. One that gives a
 * leader to either half of a partitioned network must be much cheaper than those that do not, and one that fails now and then must
 * be cheaper than one that never fails.
 */
function chosen({ within, latency }: PlanSetting, candidates: readonly Candidate[]): Candidate {
  const timed = within < Infinity || latency < Infinity;
  const cost = ({ datagrams, time }: Candidate): number => datagrams * (timed ? 1 : time);
  const best = (all: readonly Candidate[]): Candidate | undefined =>
    all.reduce<Candidate | undefined>((a, b) => (a !== undefined && cost(a) <= cost(b) ? a : b), undefined);
  const any = best(candidates)!;
  const safe = best(candidates.filter((candidate) => !splits(candidate)));
  const taken = safe !== undefined && cost(safe) <= SAFETY * cost(any) ? safe : any;
  if (!mayFail(taken)) return taken;
  const certain = candidates.filter(
    (one) => !mayFail(one) && (splits(taken) || !splits(one)) && one.datagrams <= CERTAINTY * taken.datagrams,
  );
  return best(certain) ?? taken;
}

const mayFail = ({ pNone, pMany }: Candidate): boolean => pNone + pMany >= NEVER;

const failures = ({ pNone, pMany }: Candidate): string => `fails once in ${rounded(1 / (pNone + pMany))} elections`;

/** What a certain election costs more than one that may fail, or what one that may fail saves. */
function trade(taken: Candidate, all: readonly Candidate[]): string[] {
  const [least] = all.filter((one) => mayFail(one) !== mayFail(taken));
  if (least === undefined) return [];
  const both = `${datagrams(least)}, ${time(least)}`;
  if (mayFail(taken))
    return [`The trade: ${named(taken, all)} ${failures(taken)}; ${named(least, all)} never does, for ${both}.`];
  return [`The trade: ${named(least, all)} would do with ${both}, but it ${failures(least)}.`];
}

/** A protocol can be a candidate more than once, with parameters that tell them apart. */
function named({ protocol, parameters, acknowledged }: Candidate, all: readonly Candidate[]): string {
  const same = all.filter((other) => other.protocol === protocol);
  const different = Object.entries(parameters).filter(([name, value]) =>
    same.some((other) => other.parameters[name] !== value),
  );
  const apart = different.slice(0, 2).map(([name, value]) => `${name}=${value}`);
  return [
    protocol,
    ...(apart.length > 0 ? [`with ${apart.join(" and ")}`] : []),
    ...(acknowledged ? [LINKS] : []),
  ].join(" ");
}

const LINKS = "over acknowledged links";

const datagrams = ({ datagrams }: Pick<Candidate, "datagrams">): string => `${rounded(datagrams)} datagrams`;

function time({ time, milliseconds }: Candidate): string {
  const delays = `${rounded(time)} message delays`;
  return milliseconds === null ? `done within ${delays}` : `done within ${rounded(milliseconds.time)} ms (${delays})`;
}

function risks({ pNone, pMany }: Candidate, council: boolean): string {
  const [few, many] = council ? ["too few serve", "too many"] : ["nobody leads", "two lead"];
  const none =
    pNone < NEVER
      ? `it ends with ${council ? "enough members" : "a leader"} every time`
      : `${few} in one of ${rounded(1 / pNone)}${council ? "" : ", which is then held again"}`;
  const often = pMany === 0 ? "never" : pMany < NEVER ? "as good as never" : `in one of ${rounded(1 / pMany)}`;
  return `${none}; ${many} ${often}`;
}

function quicker(taken: Candidate, all: readonly Candidate[]): string[] {
  const others = all.filter((other) => splits(taken) || !splits(other));
  const best = others.reduce((a, b) => (b.time < a.time ? b : a), taken);
  // A trade between what may fail and what may not has been told.
  if (best === taken || best.time > BETTER * taken.time || mayFail(best) !== mayFail(taken)) return [];
  const ratio = rounded(best.datagrams / taken.datagrams);
  return [`Quicker: ${named(best, all)}, ${time(best)}, with ${ratio} times the datagrams.`];
}

/** All are in the order of their datagrams. */
function cheaper(taken: Candidate, all: readonly Candidate[]): string[] {
  const [best] = all;
  if (best === taken || best.datagrams > BETTER * taken.datagrams) return [];
  const but =
    splits(best) && !splits(taken) ? "; but where the network falls in two, each half may elect a leader" : "";
  return [`Cheaper: ${named(best, all)}, about ${datagrams(best)}, ${time(best)}${but}.`];
}

function allowed(acknowledged: Acknowledged | null, most: number): string[] {
  if (acknowledged === null || acknowledged.datagrams > BETTER * most) return [];
  return [
    `If messages may be acknowledged and sent again (--reliable), ${acknowledged.protocol} would do with about ${datagrams(acknowledged)}.`,
  ];
}

function safer(taken: Candidate, all: readonly Candidate[]): string[] {
  if (!splits(taken))
    return taken.pMany < NEVER
      ? []
      : ["Where two leaders do harm, however rarely, let the leader hold a lease (docs/leases.md)."];
  const safe = all.find((other) => !splits(other));
  const other =
    safe === undefined
      ? ""
      : `${named(safe, all)} would not, with ${rounded(safe.datagrams / taken.datagrams)} times the datagrams; or `;
  return [
    `Look out: where the network falls in two, each half may elect a leader. ${capital(`${other}let the leader hold a lease (docs/leases.md).`)}`,
  ];
}

const capital = (text: string): string => text[0].toUpperCase() + text.slice(1);

const assumed = ({ loss, crash }: PlanSetting): string[] =>
  loss === 0 && crash === 0
    ? ["This holds where nothing is lost and nobody crashes: say with --loss and --crash what can happen."]
    : [];

/** Two digits of what is small, whole numbers of what is not, with commas. */
const rounded = (value: number): string =>
  (value < 10 ? Number(value.toPrecision(2)) : Math.round(Number(value.toPrecision(3)))).toLocaleString("en");
