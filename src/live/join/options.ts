/** The options of `join`: one schema, every default with what follows from it. */
import * as v from "valibot";
import { runsInGroups } from "../../elector/children.ts";
import { readOffice } from "../../elector/offices.ts";
import { didYouMean } from "../../errors.ts";
import { LEAST_TTL } from "../../protocols/lease/params.ts";
import { findProtocol } from "../../protocols/registry.ts";
import { utf8Length } from "../../wire/bytes.ts";
import type { MemberEvent } from "../group/events.ts";
import { readPlace } from "../net/address.ts";
import { GroupError, groupError, meant } from "./errors.ts";

/** How this process is a member of a group. Everything but `name` and a key has a default. */
export interface JoinOptions {
  /** Unique in the group, and the same after a restart; up to 64 bytes. A second live process of that name is refused. */
  readonly name: string;
  /** The same at all members (default "sortition"): groups of other names are not heard, also with the same key. */
  readonly group?: string;
  /**
   * Where to listen (default "127.0.0.1:0", a free port of this machine: only its own processes can be members then). With
   * "0.0.0.0:7001" give `advertise` too.
   */
  readonly bind?: string;
  /** Where others reach this member (default: as `bind`). Wrong: it hears nobody, and is taken for dead. */
  readonly advertise?: string;
  /** Where other members may be; its own address may be among them (default none: it is alone until somebody joins it). */
  readonly seeds?: readonly string[];
  /** The group's keys as text, a key a line (default: `keyFile`, then SORTITION_KEY and SORTITION_KEY_FILE of the environment). */
  readonly key?: string;
  /** A file of the group's keys, which only its owner may read; `rekey()` reads it again. */
  readonly keyFile?: string;
  /** A key that everybody knows, on loopback only (default false): whoever reaches the port can be a member. */
  readonly insecure?: boolean;
  /** What there is to lead: "leader", "shards:3" with three seats, "audit:3..5" with a council (default one office, "leader"). */
  readonly offices?: readonly string[];
  /** `available` (default): each side of a parted group may have a leader. `majority`: the smaller side has none, best effort. */
  readonly policy?: "available" | "majority";
  /** For `majority`: half of how many (default: of the most ever seen, which a restarted member has forgotten). */
  readonly expected?: number;
  /** Times that fit the network (default "lan"). `local` notices a death sooner; in `lan` a slow network looks dead, `wan` waits for it. */
  readonly profile?: "local" | "lan" | "wan";
  /** Members of a higher one are elected first (default 0: all alike). Who leads already stays. */
  readonly priority?: number;
  /** How often this member is chosen among its equals (default 1); with 0 it never stands while others do. */
  readonly weight?: number;
  /** Where this member runs (default nowhere in particular). */
  readonly zone?: string;
  /** Members of this zone lead, among equals (default: no zone comes first). */
  readonly preferZone?: string;
  /** The protocol of elections (default "auto": it follows from the group's size and losses). */
  readonly protocol?: string;
  /** The folder that keeps terms and tokens (default none: a restarted member may take part in a term again, so two leaders are likelier). */
  readonly state?: string;
  /**
   * Strict mode: where leases are kept, "sqlite:FILE" or "postgres://ROLE@HOST/DATABASE", the same at all members (default: `leaseFile`,
   * then SORTITION_LEASE of the environment; without any there is no token, and two can lead for a while).
   */
  readonly lease?: string;
  /** A file with that address, which only its owner may read. */
  readonly leaseFile?: string;
  /** Milliseconds that a lease lasts without being renewed (default 5000): how long nobody leads after a crash. At least 500. */
  readonly leaseTtl?: number;
  /** Whether the lease of a leader whom nobody reaches is cut short (default false: it is waited for as long as it is renewed). */
  readonly preemptible?: boolean;
  /** Whether missing tables or files for leases are made (default true); false: their absence is an error that says what to run. */
  readonly migrate?: boolean;
  /** Standstills of this process of more milliseconds than this are told as `stalled` (default 200; 0: not measured, and no timer for it). */
  readonly stallMs?: number;
  /** Leaves the group when it fires (default never). */
  readonly signal?: AbortSignal;
  /** Told of every event, also of those before `join` has come true (default nobody: use `on`). */
  onEvent?(event: MemberEvent): void;
}

export const text = (what: string) => v.pipe(v.string(`must be ${what}`), v.minLength(1, `must be ${what}`));
const short = v.pipe(
  text("a text of 1 to 64 bytes"),
  v.check((given) => utf8Length(given) <= 64, "must be a text of 1 to 64 bytes"),
);
export const place = v.pipe(
  text("an address"),
  v.check(
    (given) => readPlace(given) !== null,
    "must be an address, HOST:PORT, such as 10.0.0.7:7001, [::1]:7001 or db-1.example:7001",
  ),
);
const yesOrNo = v.boolean("must be true or false");
const wholeFrom = (least: number, what = `must be a whole number of at least ${least}`) =>
  v.pipe(v.number(what), v.safeInteger(what), v.minValue(least, what));
const number = (what: string) => v.pipe(v.number(what), v.finite(what));
export const oneOf = <const T extends readonly string[]>(names: T) =>
  v.picklist(
    names,
    ({ received }) => `must be ${names.join(" or ")}${didYouMean(received.replaceAll('"', ""), names)}`,
  );

/** A day: who dies with such a lease leaves its office empty for as long. */
const LONGEST_TTL = 86_400_000;
const TTL = `must be a whole number of milliseconds, at least ${LEAST_TTL} and at most a day`;

/** What a file, the environment and flags can say too. */
export const MEMBER_ENTRIES = {
  name: short,
  group: v.optional(short, "sortition"),
  bind: v.optional(place, "127.0.0.1:0"),
  advertise: v.optional(place),
  seeds: v.optional(v.array(place, "must be a list of addresses"), []),
  key: v.optional(text("the text of a key")),
  keyFile: v.optional(text("the name of a file")),
  insecure: v.optional(yesOrNo, false),
  offices: v.optional(
    v.pipe(v.array(text("an office"), "must be a list of offices"), v.minLength(1, "must name an office")),
    ["leader"],
  ),
  policy: v.optional(oneOf(["available", "majority"]), "available"),
  expected: v.optional(wholeFrom(1)),
  profile: v.optional(oneOf(["local", "lan", "wan"]), "lan"),
  priority: v.optional(number("must be a number"), 0),
  weight: v.optional(
    v.pipe(number("must be a number of at least 0"), v.minValue(0, "must be a number of at least 0")),
    1,
  ),
  zone: v.optional(short),
  preferZone: v.optional(short),
  protocol: v.optional(text("the name of a protocol"), "auto"),
  state: v.optional(text("the name of a folder")),
  lease: v.optional(text("an address, sqlite:FILE or postgres://ROLE@HOST/DATABASE")),
  leaseFile: v.optional(text("the name of a file")),
  leaseTtl: v.optional(v.pipe(wholeFrom(LEAST_TTL, TTL), v.maxValue(LONGEST_TTL, TTL))),
  preemptible: v.optional(yesOrNo, false),
  migrate: v.optional(yesOrNo, true),
  stallMs: v.optional(
    v.union([v.literal(0), wholeFrom(10)], "must be 0, or a whole number of milliseconds from 10 on"),
    200,
  ),
};

const ENTRIES = {
  ...MEMBER_ENTRIES,
  signal: v.optional(v.instance(AbortSignal, "must be an AbortSignal")),
  onEvent: v.optional(v.function("must be a function")),
};

const SCHEMA = v.object(ENTRIES, "must be an object");

/** As commands call them. */
export const OTHER_NAMES: ReadonlyMap<string, keyof typeof MEMBER_ENTRIES> = new Map(
  Object.entries({
    self: "name",
    join: "seeds",
    office: "offices",
    ttl: "leaseTtl",
    keys: "keyFile",
    members: "seeds",
  } as const),
);

/** With every default in its place. */
export type JoinSettings = v.InferOutput<typeof SCHEMA>;
/** Those of them that are no part of a program. */
export type MemberSettings = Omit<JoinSettings, "signal" | "onEvent">;

const bad = (what: string, advice: string) => new GroupError("BAD_OPTION", what, advice);

/** Checks what a program has given, before anything is opened. */
export function readOptions(given: unknown): JoinSettings {
  if (typeof given !== "object" || given === null) {
    throw bad("join takes an object of options", 'give at least { name: "a", keyFile: "group.key" }');
  }
  const known = Object.keys(ENTRIES);
  for (const option of Object.keys(given)) {
    if (known.includes(option)) continue;
    const other = OTHER_NAMES.get(option);
    const advice = meant(other ?? option, known, `there are ${known.join(", ")}`);
    throw bad(`join has no option "${option}"`, advice);
  }
  const result = v.safeParse(SCHEMA, given);
  if (result.success) {
    checkTogether(result.output);
    return result.output;
  }
  const [{ path, message, input }] = result.issues;
  const [option, ...within] = (path ?? []).map(({ key }) => String(key));
  if (input === undefined) throw bad(`join needs the option "${option}"`, `give it; docs/library.md says what it is`);
  throw bad(`the option "${[option, ...within].join(".")}" of join ${message}`, `it is ${shown(option, input)}`);
}

const SECRET: ReadonlySet<string> = new Set(["key", "lease", "httpToken"]);

/** Passwords and keys are not shown. */
export const shown = (option: string, input: unknown): string =>
  SECRET.has(option) ? "something else" : (JSON.stringify(input) ?? String(input)).slice(0, 100);

/** What depends on more than one of them. */
export function checkTogether(settings: MemberSettings): void {
  const { offices, policy, expected, protocol, lease, leaseFile, key, keyFile, insecure } = settings;
  if (expected !== undefined && policy !== "majority") {
    throw bad('"expected" is for the policy "majority"', "give both, or neither");
  }
  if (lease !== undefined && leaseFile !== undefined) {
    throw bad('"lease" and "leaseFile" both say where leases are kept', "give one of them");
  }
  if ([key, keyFile, insecure || undefined].filter((each) => each !== undefined).length > 1) {
    throw bad('"key", "keyFile" and "insecure" all say which key is used', "give one of them");
  }
  try {
    const names = offices.map((office) => readOffice(office).name);
    const twice = names.find((name, i) => names.indexOf(name) !== i);
    if (twice !== undefined) throw bad(`the option "offices" names "${twice}" twice`, "name each office once");
    if (protocol !== "auto" && !runsInGroups(findProtocol(protocol).protocol)) {
      throw bad(`"${protocol}" does not elect a leader in a group`, "choose auto, or one for complete graphs");
    }
  } catch (error) {
    throw groupError("BAD_OPTION", error);
  }
}
