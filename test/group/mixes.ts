/** Named mixes of faults: which kinds a run may draw from, and how many of them at once. */

/** Everything that can go wrong in a run of a group, in the order in which it is drawn. */
export const KINDS = [
  "succession",
  "join",
  "loss",
  "duplicate",
  "spike",
  "crash",
  "amnesia",
  "pause",
  "freeze",
  "strike",
  "partition",
  "one-way",
  "leave",
  "resign",
  "transfer",
  "bounce",
  "drift",
] as const;

/** What can go wrong with the engine that grants leases; drawn after all others, so that these stay what they are without it. */
export const ENGINE_KINDS = [
  "engine-crash",
  "engine-pause",
  "engine-cut",
  "engine-one-way",
  "engine-lossy",
  "engine-twice",
  "engine-slow",
  "engine-late",
  "engine-fail",
  "engine-restore",
  "engine-rewind",
  "engine-back",
  "engine-forward",
  "preempt",
  "reshuffle",
] as const;

export const ALL_KINDS = [...KINDS, ...ENGINE_KINDS] as const;

export type MemberKind = (typeof KINDS)[number];
export type EngineKind = (typeof ENGINE_KINDS)[number];
export type Kind = MemberKind | EngineKind;

export const isEngineKind = (kind: Kind): kind is EngineKind => ENGINE_KINDS.includes(kind as EngineKind);

/** An engine's clock that steps forward, and a restore that nobody notices, are assumptions: what they break is said in docs/testing-groups.md. */
const ASSUMED: readonly Kind[] = ["engine-forward", "engine-rewind"];
const STRICT_KINDS = ALL_KINDS.filter((kind) => !ASSUMED.includes(kind));

/** `least` and `most`: of how many kinds a run is made (a swarm: few kinds at once find what all at once would drown). */
export interface Mix {
  readonly name: string;
  readonly about: string;
  readonly kinds: readonly Kind[];
  readonly least: number;
  readonly most: number;
}

const mix = (name: string, about: string, kinds: readonly Kind[], least = kinds.length, most = kinds.length): Mix => ({
  name,
  about,
  kinds,
  least,
  most,
});

export const MIXES = {
  calm: mix("calm", "nothing goes wrong", []),
  all: mix("all", "two to five kinds of fault, drawn for each run", KINDS, 2, 5),
  storm: mix("storm", "everything at once", KINDS),
  restarts: mix("restarts", "crashes, restarts with saved state, faults between saving and sending", [
    "crash",
    "strike",
  ]),
  amnesia: mix("amnesia", "restarts without saved state", ["crash", "amnesia", "loss"]),
  pauses: mix("pauses", "processes that stop and resume without noticing", ["pause", "freeze"], 1),
  partitions: mix("partitions", "one-way and full partitions", ["partition", "one-way"], 1, 2),
  lossy: mix("lossy", "loss, repetition, reordering and spikes of delay", ["loss", "duplicate", "spike"]),
  churn: mix("churn", "members that join, leave, crash and come back", ["join", "leave", "crash"]),
  elections: mix("elections", "holders that resign, and members that start again while the next is elected", [
    "resign",
    "bounce",
  ]),
  succession: mix("succession", "the first members leave for good, one after the other, after the last have joined", [
    "succession",
  ]),
  offices: mix("offices", "holders that resign, leave and crash", ["resign", "leave", "crash"]),
} satisfies Record<string, Mix>;

export type MixName = keyof typeof MIXES;

/** For groups in strict mode, which have an engine besides. */
export const STRICT_MIXES = {
  calm: MIXES.calm,
  all: mix("all", "two to six kinds of fault, drawn for each run", STRICT_KINDS, 2, 6),
  storm: mix("storm", "everything at once", STRICT_KINDS),
  engine: mix(
    "engine",
    "an engine that ends, stands still or cannot be reached",
    ["engine-crash", "engine-pause", "engine-cut", "engine-one-way", "engine-fail", "crash"],
    1,
    3,
  ),
  answers: mix(
    "answers",
    "requests and answers that are lost, come twice, or when nobody waits for them",
    ["engine-late", "engine-slow", "engine-lossy", "engine-twice", "engine-one-way", "resign", "crash"],
    2,
    4,
  ),
  restored: mix(
    "restored",
    "an engine put back to an old copy, which it notices",
    ["engine-restore", "engine-crash", "crash", "amnesia", "resign"],
    2,
    4,
  ),
  clocks: mix(
    "clocks",
    "clocks that drift, steps back of the engine's, and processes that stand still",
    ["engine-back", "drift", "pause", "freeze", "engine-pause"],
    2,
    4,
  ),
  pauses: mix(
    "pauses",
    "members and engine that stop and resume without noticing",
    ["pause", "freeze", "engine-pause"],
    1,
  ),
  partitions: mix(
    "partitions",
    "members that reach the engine but not each other, and the other way round",
    ["partition", "one-way", "engine-cut", "engine-one-way"],
    1,
    3,
  ),
  restarts: mix(
    "restarts",
    "crashes, restarts, faults between saving and sending",
    ["crash", "strike", "amnesia", "engine-crash"],
    2,
  ),
  offices: mix(
    "offices",
    "holders that resign, hand over, leave, crash and are pre-empted",
    ["resign", "transfer", "leave", "crash", "preempt", "reshuffle", "spike"],
    2,
    4,
  ),
  assumptions: mix(
    "assumptions",
    "what strict mode assumes not to happen: the engine's clock steps forward, or an old copy is put back unnoticed",
    [...ASSUMED, "crash", "amnesia", "resign", "pause", "engine-cut", "spike"],
    2,
    4,
  ),
} satisfies Record<string, Mix>;

export type StrictMixName = keyof typeof STRICT_MIXES;

export const mixesOf = (strict: boolean): Readonly<Record<string, Mix>> => (strict ? STRICT_MIXES : MIXES);

/** By its name, or as kinds: "loss+crash". */
export function mixNamed(name: string, strict = false): Mix {
  const mixes = mixesOf(strict);
  if (Object.hasOwn(mixes, name)) return mixes[name];
  const kinds = name.split("+");
  const known: readonly string[] = strict ? ALL_KINDS : KINDS;
  if (kinds.every((kind) => known.includes(kind))) return mix(name, "exactly these", kinds as Kind[]);
  throw new Error(
    `there is no mix "${name}": choose one of ${Object.keys(mixes).join(", ")}, or kinds such as loss+crash`,
  );
}
