/**
 * Who should lead: the order of the members for one term of one office. Members with the same view compute the same order, without a
 * message. Priority comes first, then the preferred zone, then a weighted lot: u^(1/w), with u uniform in (0, 1) from a
 * digest of (office, term, name). So weight 2 comes first twice as often as weight 1, and offices spread over the members
 * (P. S. Efraimidis, P. G. Spirakis, Information Processing Letters 97, 2006).
 */

import { isCount } from "../../protocols/shape.ts";
import { ln } from "../../random/ln.ts";
import { threefry } from "../../random/threefry.ts";
import { type Attributes, DEFAULT_ATTRIBUTES } from "../params.ts";

export interface Eligible {
  readonly name: string;
  /** What the member says about itself. Invalid fields count as missing. */
  readonly meta: unknown;
}

/** The office and term to fill. */
export interface Vacancy {
  readonly office: string;
  readonly term: number;
  /** The zone that comes first among equal priorities; null: none. */
  readonly zone: string | null;
  /** Members that come only if no other is left: the last holder, and holders of the office's other seats. */
  readonly without?: ReadonlySet<string>;
  /** The heir that the last holder has named; comes before all others. */
  readonly heir?: string | null;
}

/** A member with its lot for one vacancy. `first` compares two; the lot of a higher weight is smaller on average. */
interface Weighed<M> {
  readonly member: M;
  readonly tier: number;
  readonly priority: number;
  readonly near: boolean;
  readonly lot: number;
}

const isNumber = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value);

export function attributesIn(meta: unknown): Attributes {
  const { priority, weight, zone } = (typeof meta === "object" && meta !== null ? meta : {}) as Partial<Attributes>;
  return {
    priority: isNumber(priority) ? priority : DEFAULT_ATTRIBUTES.priority,
    weight: isNumber(weight) && weight >= 0 ? weight : DEFAULT_ATTRIBUTES.weight,
    zone: typeof zone === "string" ? zone : DEFAULT_ATTRIBUTES.zone,
  };
}

/** Attributes as a member's record has them. Usual values are left out, because records are sent often. */
export function metaOf(
  attributes: Attributes,
  keys: readonly number[] | null,
  rules: object = {},
): (Partial<Attributes> & ToldKeys) | null {
  const said: Record<string, unknown> = Object.fromEntries(
    Object.entries(attributes).filter(([key, value]) => value !== DEFAULT_ATTRIBUTES[key as keyof Attributes]),
  );
  if (keys !== null) said.keys = keys.slice(0, MOST_TOLD);
  if (Object.keys(rules).length > 0) said.rules = rules;
  return Object.keys(said).length === 0 ? null : said;
}

/** From this count on, a sort is quicker than one pass. */
const MANY = 16;

/** The first `count` in the order, the best first. */
export function firstOf<M extends Eligible>(members: Iterable<M>, vacancy: Vacancy, count: number): readonly M[] {
  const best = (count > MANY ? sorted : selected)(members, scales<M>(vacancy), count);
  // Members that come only if no other is left are not listed beside others.
  return best
    .filter(({ tier }) => tier === best[0].tier || (tier <= WILLING && best[0].tier <= WILLING))
    .map(({ member }) => member);
}

/** In one pass. */
function selected<M extends Eligible>(members: Iterable<M>, weigh: (member: M) => Weighed<M>, count: number) {
  const best: Weighed<M>[] = [];
  for (const member of members) {
    const weighed = weigh(member);
    let place = best.length;
    while (place > 0 && comesBefore(weighed, best[place - 1])) place--;
    if (place === count) continue;
    best.splice(place, 0, weighed);
    if (best.length > count) best.pop();
  }
  return best;
}

function sorted<M extends Eligible>(members: Iterable<M>, weigh: (member: M) => Weighed<M>, count: number) {
  return Array.from(members, weigh)
    .sort((a, b) => (comesBefore(a, b) ? -1 : 1))
    .slice(0, count);
}

/** The heir, ordinary members, members that come only if no other is left, and members of weight 0. */
const [HEIR, WILLING, SPARED, UNWILLING] = [0, 1, 2, 3];

function scales<M extends Eligible>({ office, term, zone, without, heir = null }: Vacancy): (member: M) => Weighed<M> {
  const uniform = lots(office, term);
  return (member) => {
    const { name, meta } = member;
    const { priority, weight, zone: place } = attributesIn(meta);
    const tier = name === heir ? HEIR : weight === 0 ? UNWILLING : without?.has(name) ? SPARED : WILLING;
    return { member, tier, priority, near: zone !== null && place === zone, lot: lotOf(uniform(name), weight) };
  };
}

/** -ln(u)/w, an exponential variable of rate w. The smallest comes first; it has the largest u^(1/w). */
const lotOf = (u: number, weight: number): number => -ln(u) / (weight === 0 ? 1 : weight);

function comesBefore(a: Weighed<Eligible>, b: Weighed<Eligible>): boolean {
  if (a.tier !== b.tier) return a.tier < b.tier;
  if (a.priority !== b.priority) return a.priority > b.priority;
  if (a.near !== b.near) return a.near;
  if (a.lot !== b.lot) return a.lot < b.lot;
  return a.member.name < b.member.name;
}

/** Digests of names, kept because every term needs them; cleared when there are too many. */
const digests = new Map<string, number>();
const MOST_DIGESTS = 20_000;

function nameDigest(name: string): number {
  let digest = digests.get(name);
  if (digest === undefined) {
    if (digests.size >= MOST_DIGESTS) digests.clear();
    digest = digestOf(name);
    digests.set(name, digest);
  }
  return digest;
}

const block = new Uint32Array(4);
const high = (value: number): number => Math.floor(value / 0x100000000);

/** u in (0, 1) for each name: one block of the cipher, under a key that follows from office and term. */
function lots(office: string, term: number): (name: string) => number {
  const key = digestOf(`${office} ${term}`);
  return (name) => {
    const digest = nameDigest(name);
    threefry(block, key >>> 0, high(key), 0, 2, digest >>> 0, high(digest), 0, 0);
    return ((block[0] >>> 5) * 0x4000000 + (block[1] >>> 6) + 0.5) / 0x20000000000000;
  };
}

const PRIORITIES = 256;
const LOTS = 2 ** 44;

/**
 * Ids for a child protocol that elects by id: higher ones come first in the same order, whatever a member's view is. Priorities
 * are rounded and kept within -128 .. 127 here, and two of a thousand members share an id once in 30 million elections.
 */
export function idsFor({
  office,
  term,
  zone,
}: Pick<Vacancy, "office" | "term" | "zone">): (member: Eligible) => number {
  const uniform = lots(office, term);
  return ({ name, meta }) => {
    const { priority, weight, zone: place } = attributesIn(meta);
    const lot = Math.floor((LOTS - 1) / (1 + lotOf(uniform(name), weight)));
    if (weight === 0) return lot;
    const step = Math.max(0, Math.min(PRIORITIES - 1, Math.round(priority) + PRIORITIES / 2));
    return (2 * step + (zone !== null && place === zone ? 1 : 0)) * LOTS + lot;
  };
}

// Digests that are the same at every member: of names, and of what an election is about.

const TWO_21 = 2 ** 21;

/** Two code units as one word; past the end of the text there are zeros, and its length is in the digest too. */
const pair = (text: string, i: number): number =>
  i >= text.length ? 0 : text.charCodeAt(i) + (i + 1 < text.length ? text.charCodeAt(i + 1) * 0x10000 : 0);

/** Two words from a text: four code units to a block of the cipher, chained. */
function words(text: string): readonly [number, number] {
  let a = text.length;
  let b = 0;
  for (let i = 0; i < text.length; i += 4) {
    threefry(block, a, b, pair(text, i), pair(text, i + 2), i, 0, 0, 0);
    a = block[0];
    b = block[1];
  }
  return [a, b];
}

/** A safe integer, from 53 bits: among a thousand names two are alike once in 10^10 groups. */
export function digestOf(text: string): number {
  const [a, b] = words(text);
  threefry(block, a, b, 0, 0, text.length, 1, 0, 0);
  return block[0] * TWO_21 + (block[1] >>> 11);
}

/** Plain data in one form, whatever the order of its fields. */
export function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`;
}

// The ids of a member's keys, in its record. So a person who replaces the group's keys knows which member opens and seals with which key,
// also if the member has failed since. Members of earlier versions do not tell their keys, and skip the field in other records.

/** The most ids in a record, which has room for 256 bytes in all. */
export const MOST_TOLD = 16;

/** The field in a record: the key that the member seals with comes first. */
interface ToldKeys {
  readonly keys?: readonly number[];
}

/** The ids of a member's keys; null if it does not tell them, or if the field is invalid. */
export function keysIn(meta: unknown): readonly number[] | null {
  const { keys } = (typeof meta === "object" && meta !== null ? meta : {}) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MOST_TOLD) return null;
  return keys.every((id) => isCount(id) && id < 2 ** 32) ? keys : null;
}
