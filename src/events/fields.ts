/** Every field that an event of a group can have: its type, how JSON writes it, and what it says. */

/** How sure an election is to have one leader, and by which loss (`EPSILON_CAVEAT` says what is left out). */
interface ElectionOdds {
  readonly epsilon: number | null;
  readonly loss: number | null;
  readonly lossLow: number | null;
  readonly lossFrom: "measured" | "configured" | null;
  readonly protocol: string | null;
}

/** What a field can hold, for programs. JSON writes a token as text, because tokens outgrow the whole numbers of its readers. */
interface FieldKinds {
  name: string;
  words: string;
  count: number;
  token: bigint | null;
  /** Is never logged and never sent to readers of the event stream. */
  secret: string | null;
  answering: "answers" | "silent";
  odds: ElectionOdds;
}

export type FieldKind = keyof FieldKinds;

interface Field {
  readonly kind: FieldKind;
  readonly about: string;
}

/** In the order in which `sortition group --json` writes them. */
export const FIELDS = {
  member: { kind: "name", about: "The member that the event is about." },
  office: { kind: "name", about: "The office, or which of its seats, such as shards#2." },
  term: { kind: "count", about: "The term of the office. It names an election and fences nothing." },
  leader: { kind: "name", about: "The member that leads the office." },
  token: { kind: "token", about: "The fencing token, larger than that of any leader before; null without leases." },
  leaseMs: { kind: "count", about: "What is left of this member's own lease, in milliseconds." },
  fence: { kind: "secret", about: "What guards verify; null without leases. A secret while the lease lasts." },
  members: { kind: "count", about: "How many members there are now." },
  address: { kind: "name", about: "A network address." },
  engine: { kind: "answering", about: "Whether the lease store answers this member." },
  why: { kind: "words", about: "The reason, in words." },
  odds: { kind: "odds", about: "How sure an election is to have one leader; missing with leases." },
  cause: {
    kind: "words",
    about: "Why the leader changed, such as failed, left, lease expired or handed over.",
  },
  former: { kind: "name", about: "The member that led before; missing where this member knows of none." },
  key: { kind: "name", about: "The key of a job." },
  failures: {
    kind: "count",
    about: "Failures in a row of this member's work; 0 after it was told to stop.",
  },
  ms: { kind: "count", about: "Milliseconds." },
} as const satisfies Readonly<Record<string, Field>>;

export type FieldName = keyof typeof FIELDS;

export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

/** The type of a field for programs. */
export type FieldType<F extends FieldName> = FieldKinds[(typeof FIELDS)[F]["kind"]];

/** A field of an event: `leaseMs?` may be missing, and `leader=null` is always null. */
export type FieldSpec = FieldName | `${FieldName}?` | `${FieldName}=null`;

type Flat<T> = { [F in keyof T]: T[F] };

/** The fields of an event as an object. */
export type FieldsIn<S extends FieldSpec> = Flat<
  { readonly [F in Extract<S, FieldName>]: FieldType<F> } & {
    readonly [F in FieldName as `${F}?` extends S ? F : never]?: FieldType<F>;
  } & { readonly [F in FieldName as `${F}=null` extends S ? F : never]: null }
>;

export interface FieldUse {
  readonly name: FieldName;
  readonly use: "always" | "optional" | "null";
}

export function readSpec(spec: FieldSpec): FieldUse {
  const [, name, mark] = /^(\w+)(\?|=null)?$/.exec(spec)!;
  return { name: name as FieldName, use: mark === "?" ? "optional" : mark === "=null" ? "null" : "always" };
}

/** Tokens are whole numbers of any size, which outgrow the numbers of most readers of JSON: they are written as texts. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each) => (typeof each === "bigint" ? String(each) : each));
