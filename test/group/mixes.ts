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
  "hand-over",
  "bounce",
  "drift",
] as const;

export type Kind = (typeof KINDS)[number];

/** `least` and `most`: of how many kinds a run is made (a swarm: few kinds at once find what all at once would drown). */
export interface Mix {
  readonly name: string;
  readonly about: string;
  readonly kinds: readonly Kind[];
  readonly least: number;
  readonly most: number;
}

const mix = (name: string, about: string, kinds: readonly Kind[], least = kinds.length, most = kinds.length): Mix => ({
  ...{ name, about, kinds, least, most },
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

/** By its name, or as kinds: "loss+crash". */
export function mixNamed(name: string): Mix {
  if (Object.hasOwn(MIXES, name)) return MIXES[name as MixName];
  const kinds = name.split("+");
  const unknown = kinds.find((kind) => !KINDS.includes(kind as Kind));
  if (unknown === undefined) return mix(name, "exactly these", kinds as Kind[]);
  throw new Error(
    `there is no mix "${name}": choose one of ${Object.keys(MIXES).join(", ")}, or kinds such as loss+crash`,
  );
}
