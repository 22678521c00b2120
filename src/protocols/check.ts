/**
 * A protocol that somebody hands in, checked and completed. What a machine cannot do without is asked for in words; what
 * only studies need has a default. The same object always gives the same answer, so that it can be known by identity.
 */
import { distance } from "fastest-levenshtein";
import { didYouMean, InputError } from "../errors.ts";
import type { AnyProtocol, Assumptions, Experiment, Machine, Protocol } from "../protocol.ts";
import { encodedBits, guarded } from "./guarded.ts";

/** What a protocol assumes: the topology must be said, the rest has defaults. */
export type GivenAssumptions = Pick<Assumptions, "topology"> & Partial<Assumptions>;

/** What a user has to write: a machine, and of the rest as much as is wanted. */
export type GivenProtocol<P, S, M, T extends string = never, Saved = null, Report = unknown> = Omit<
  Machine<P, S, M, T, Saved, Report>,
  "bits" | "assumes"
> &
  Partial<Pick<Machine<P, S, M, T, Saved, Report>, "bits">> & { readonly assumes: GivenAssumptions } & Partial<
    Experiment<P, M>
  >;

/** A protocol that a user wrote, of whatever types: what every entry point accepts. */
// biome-ignore lint/suspicious/noExplicitAny: as AnyProtocol
export type AnyGivenProtocol = GivenProtocol<any, any, any, any, any, any>;

/**
 * A custom protocol with everything that it left out filled in; what is missing throws an `InputError`.
 *
 * @example
 * ```ts
 * import { simulate } from "sortition/simulate";
 * import { defineProtocol } from "sortition/protocol";
 *
 * const largestId = defineProtocol<object, { id: number; leader: number | null }, number>({
 *   name: "largest-id",
 *   assumes: { topology: "ring", direction: "unidirectional" },
 *   init(_params, self, _saved, ctx) {
 *     ctx.send(0, self.id!);
 *     return { id: self.id!, leader: null };
 *   },
 *   receive(state, _port, id, ctx) {
 *     if (id > state.id) ctx.send(0, id);
 *     else if (id === state.id) state.leader = id;
 *   },
 *   verdict: ({ id, leader }) => ({ status: id === leader ? "elected" : "undecided", leader, term: 0 }),
 * });
 * const { success } = await simulate({ protocol: largestId, n: 10 });
 * ```
 */
export function defineProtocol<P, S, M, T extends string = never, Saved = null, Report = unknown>(
  given: GivenProtocol<P, S, M, T, Saved, Report>,
): Protocol<P, S, M, T, Saved, Report> {
  return checkProtocol(given);
}

/** For wrappers: a protocol that lacks nothing as it is, another one checked and completed. */
export function completeProtocol<P, S, M, T extends string, Saved, Report>(
  given: GivenProtocol<P, S, M, T, Saved, Report>,
): Protocol<P, S, M, T, Saved, Report> {
  const { bits, parameters, measures, assumes } = given ?? {};
  const lacks = [bits, parameters, measures, assumes?.tolerates, assumes?.knows].includes(undefined);
  return lacks ? checkProtocol(given) : (given as Protocol<P, S, M, T, Saved, Report>);
}

const checked = new WeakMap<object, AnyProtocol>();

/** Ours need no check, and stay the very objects that they are. */
export function trust(protocol: AnyProtocol): void {
  checked.set(protocol, protocol);
}

export function checkProtocol(given: unknown): AnyProtocol {
  if (typeof given !== "object" || given === null) {
    throw new InputError(`a protocol must be its name or an object, not ${given === null ? "null" : typeof given}`);
  }
  const known = checked.get(given);
  if (known !== undefined) return known;
  const protocol = guarded(complete(given as Record<string, unknown>));
  checked.set(given, protocol);
  checked.set(protocol, protocol);
  texts.set(protocol, Object.values(given).map(shown).join("\n"));
  return protocol;
}

const shown = (value: unknown): string => (typeof value === "function" ? String(value) : (JSON.stringify(value) ?? ""));

const texts = new WeakMap<AnyProtocol, string>();

/** The code of a protocol as it was handed in, as far as its own functions show it. */
export const textOf = (protocol: AnyProtocol): string => texts.get(protocol) ?? protocol.name;

const NEEDED = { init: "init", receive: "receive handler", verdict: "verdict" } as const;
const OPTIONAL = [
  ...["timing", "endRound", "expire", "leave", "report", "saved", "accepts", "bits"],
  ...["counts", "judge", "summarise", "refuse", "adapt", "wakes", "candidacy", "narrate"],
];
const FUNCTIONS = [...Object.keys(NEEDED), ...OPTIONAL];
const DATA = [
  "name",
  "assumes",
  "roles",
  "ordered",
  "ignoresOlder",
  "title",
  "citation",
  "cost",
  "parameters",
  "measures",
];
const FIELDS = [...FUNCTIONS, ...DATA, "rounds", "crash", "initiators"];

function complete(given: Record<string, unknown>): AnyProtocol {
  const { name } = given;
  if (typeof name !== "string" || !/^[^\s,#]+$/.test(name)) {
    throw new InputError(`a protocol needs a name in one word, such as my-ring, not "${String(name)}"`);
  }
  const refuse = (what: string) => new InputError(`protocol ${name} ${what}`);
  for (const [field, what] of Object.entries(NEEDED)) {
    if (given[field] === undefined) throw refuse(`has no ${what}${misspelt(given, field)}`);
  }
  for (const field of FUNCTIONS) {
    const value = given[field];
    if (value !== undefined && typeof value !== "function") throw refuse(`has a ${field} that is not a function`);
    const near = value === undefined ? nearly(given, field) : undefined;
    if (near !== undefined) throw refuse(`has "${near}", which no host knows; did you mean "${field}"?`);
  }
  const protocol: Record<string, unknown> = {
    title: name,
    citation: "",
    cost: "",
    parameters: [],
    measures: {},
    bits: encodedBits,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
  // The methods of a class are no fields of its object, and all find that object.
  for (const field of FUNCTIONS) {
    if (given[field] !== undefined) protocol[field] = (given[field] as (...args: unknown[]) => unknown).bind(given);
  }
  protocol.assumes = assumptions(given.assumes, refuse);
  return checkExperiment(protocol as unknown as AnyProtocol, refuse);
}

type Refuse = (what: string) => InputError;

/** A field that nobody knows and that looks like one that is missing. */
function misspelt(given: object, missing: string): string {
  const near = Object.keys(given).find((field) => !FIELDS.includes(field) && didYouMean(field, [missing]) !== "");
  return near === undefined ? "" : `; did you mean "${missing}" where it says "${near}"?`;
}

/** As `misspelt`, for what may be missing: only what can hardly be anything else, for helpers have names too. */
function nearly(given: object, missing: string): string | undefined {
  const one = (field: string) =>
    missing.length >= 7 && Math.abs(field.length - missing.length) <= 1 && distance(field, missing) === 1;
  return Object.keys(given).find(
    (field) => !FIELDS.includes(field) && (field.toLowerCase() === missing.toLowerCase() || one(field)),
  );
}

const WORDS: Readonly<Partial<Record<keyof Assumptions, readonly string[]>>> = {
  topology: ["ring", "complete", "connected", "star", "open"],
  direction: ["unidirectional", "bidirectional"],
  identity: ["ids", "anonymous"],
  timing: ["asynchronous", "partial", "synchronous"],
  start: ["any", "common"],
};
const LISTS: Readonly<Partial<Record<keyof Assumptions, readonly string[]>>> = {
  knows: ["n", "highest", "election"],
  tolerates: ["loss", "crash", "pause", "partition"],
};
const DEFAULTS: Omit<Assumptions, "topology"> = {
  identity: "ids",
  timing: "asynchronous",
  start: "any",
  knows: [],
  fifo: true,
  multicast: false,
  tolerates: [],
};

function assumptions(given: unknown, refuse: Refuse): Assumptions {
  if (typeof given !== "object" || given === null) {
    throw refuse('does not say what it assumes: give it assumes: { topology: "ring" } or another');
  }
  const assumes = { ...DEFAULTS, ...given } as Assumptions;
  const check = (field: string, value: unknown, words: readonly string[]) => {
    if (words.includes(value as string)) return;
    const advice = typeof value === "string" ? didYouMean(value, words) : "";
    throw refuse(`assumes ${field} "${String(value)}"${advice || `; choose one of ${words.join(", ")}`}`);
  };
  for (const field of Object.keys(assumes) as (keyof Assumptions)[]) {
    const value: unknown = assumes[field];
    const words = WORDS[field];
    const items = LISTS[field];
    if (words !== undefined && value !== undefined) check(field, value, words);
    else if (items !== undefined) {
      if (!Array.isArray(value)) throw refuse(`assumes ${field} "${String(value)}", which must be a list`);
      for (const item of value) check(field, item, items);
    }
  }
  if (assumes.topology === undefined)
    throw refuse('assumes no topology: give it assumes: { topology: "ring" } or another');
  return assumes;
}

const TYPES = ["number", "share", "integer", "boolean", "text"];
const KINDS = ["sum", "max"];
const ROUNDS = ["steps", "exchanges", "reported"];
const CRASHES = ["start", "round"];

function checkExperiment(protocol: AnyProtocol, refuse: Refuse): AnyProtocol {
  if (!Array.isArray(protocol.parameters)) throw refuse("has parameters that are not a list");
  const names = new Set<string>();
  for (const parameter of protocol.parameters) {
    const { name, type, default: value } = parameter ?? {};
    if (typeof name !== "string") throw refuse("has a parameter without a name");
    if (names.has(name)) throw refuse(`has two parameters ${name}: give each a name of its own`);
    names.add(name);
    if (!Array.isArray(type) && !TYPES.includes(type as string)) {
      throw refuse(`has a parameter ${name} of type "${type}"; choose one of ${TYPES.join(", ")}, or a list of words`);
    }
    if (value === undefined) throw refuse(`has a parameter ${name} without a default`);
  }
  const { measures, roles, ordered, rounds, crash, initiators } = protocol;
  if (typeof measures !== "object" || measures === null)
    throw refuse('has measures that are no object, such as { walks: "sum" }');
  for (const [name, kind] of Object.entries(measures)) {
    if (!KINDS.includes(kind)) throw refuse(`has a measure ${name} that is "${kind}"; choose sum or max`);
  }
  const isTexts = (list: unknown) =>
    Array.isArray(list) && list.length > 0 && list.every((text) => typeof text === "string");
  if (roles !== undefined && !isTexts(roles))
    throw refuse('has roles that are no list of names, such as ["member", "engine"]');
  if (ordered !== undefined && !(Array.isArray(ordered) && ordered.every((field) => typeof field === "string")))
    throw refuse('has ordered that is no list of fields, such as ["term"]');
  if (rounds !== undefined && !ROUNDS.includes(rounds)) {
    throw refuse(`counts rounds in "${rounds}"; choose one of ${ROUNDS.join(", ")}`);
  }
  if (crash !== undefined && !CRASHES.includes(crash)) throw refuse(`has crash "${crash}"; choose start or round`);
  if (initiators !== undefined && !(Number.isInteger(initiators) && initiators >= 1)) {
    throw refuse(`has ${initiators} initiators, which must be a whole number of at least 1`);
  }
  return protocol;
}
