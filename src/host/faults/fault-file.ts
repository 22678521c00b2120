/** A fault plan as people write it: JSON in which every field is optional. It is checked before anything runs. */
import * as v from "valibot";
import { didYouMean, InputError } from "../../errors.ts";
import { isPercentage, shareOf } from "../../values.ts";
import type { FaultPlan } from "./faults.ts";

const A_PROBABILITY = "must be a probability from 0 to 1";
const A_NODE = "must be a node: a whole number of at least 0";
const TWO_NODES = "must be two nodes, [from, to]";
const A_TIME = "must be a time: a number of at least 0";
const A_COUNT = "must be how many messages still leave: a whole number of at least 0";
const A_RATE = "must be a number above 0";

/** 0.02, or "2%". */
const probability = v.pipe(
  v.unknown(),
  v.transform((given) => (typeof given === "string" && isPercentage(given) ? shareOf(given) : given)),
  v.number(A_PROBABILITY),
  v.minValue(0, A_PROBABILITY),
  v.maxValue(1, A_PROBABILITY),
);
const node = v.pipe(v.number(A_NODE), v.safeInteger(A_NODE), v.minValue(0, A_NODE));
const time = v.pipe(v.number(A_TIME), v.finite(A_TIME), v.minValue(0, A_TIME));

/** [from, to); without an end, or with null for one, it lasts for ever. */
const span = {
  from: v.optional(time, 0),
  to: v.nullish(v.number("must be a time, or null for ever"), null),
};

/** An object with these fields and no others. */
function record<E extends v.ObjectEntries>(entries: E) {
  return v.strictObject(entries, ({ expected, path }) => {
    if (path === undefined) return "must be an object";
    if (expected !== "never") return "is missing";
    const known = Object.keys(entries);
    const near = didYouMean(String(path[0].key), known);
    return `is not a known field${near || `; there are ${known.join(", ")}`}`;
  });
}

/** As a function, so that each use of it takes the type of its object. */
const inOrder = <T extends { from: number; to: number | null }>() =>
  v.check<T, string>(({ from, to }) => to === null || from < to, 'must have "from" earlier than "to"');

/** A list that may be missing. */
const list = <S extends v.GenericSchema>(item: S) => v.optional(v.array(item, "must be a list"));

const groups = v.pipe(
  v.array(v.array(node, "must be a list of nodes"), "must be a list of groups, each a list of nodes"),
  v.check((all) => new Set(all.flat()).size === all.flat().length, "must name each node once"),
);

const yesOrNo = v.boolean("must be true or false");
const sends = v.optional(v.pipe(v.number(A_COUNT), v.safeInteger(A_COUNT), v.minValue(0, A_COUNT)));
const at = v.optional(time, 0);
const link = v.nullish(v.pipe(v.array(node, TWO_NODES), v.length(2, TWO_NODES)), null);
const kind = v.optional(v.picklist(["unicast", "multicast", "both"], "must be unicast, multicast or both"), "both");
const chance = v.pipe(record({ rate: probability, kind, link, ...span }), inOrder());
const clockRate = v.pipe(v.number(A_RATE), v.finite(A_RATE), v.gtValue(0, A_RATE));

/** The oldest fields have defaults. The others stay missing if a plan does not have them. */
const schema = record({
  loss: v.optional(probability, 0),
  multicastLoss: v.optional(probability, 0),
  crash: v.optional(probability, 0),
  losses: v.optional(list(chance), []),
  crashes: v.optional(list(record({ node, at, sends })), []),
  pauses: v.optional(list(v.pipe(record({ node, from: v.optional(time, 0), to: time, sends }), inOrder())), []),
  partitions: v.optional(list(v.pipe(record({ groups, oneWay: v.optional(yesOrNo), ...span }), inOrder())), []),
  restarts: list(record({ node, at: time, saved: v.optional(yesOrNo, true) })),
  joins: list(record({ node, at: time })),
  leaves: list(record({ node, at: time })),
  commands: list(record({ node, at: time, message: v.unknown() })),
  duplicate: v.optional(probability),
  duplicates: list(chance),
  reorder: v.optional(probability),
  spikes: list(v.pipe(record({ rate: probability, delay: time, link, ...span }), inOrder())),
  clocks: list(record({ node, rate: clockRate })),
  drift: v.optional(probability),
});

/** Reads a plan from the text of a file; `file` is what an error calls it. */
export function parseFaultFile(text: string, file: string): FaultPlan {
  const plan = parseJson(text, file);
  if (Array.isArray(plan)) throw new InputError(`fault file ${file}: the plan must be an object`);
  return readPlan(plan, `fault file ${file}`);
}

/** Checks a plan and adds defaults; `called` is what an error calls the plan. */
export function readPlan(plan: unknown, called: string): FaultPlan {
  const result = v.safeParse(schema, plan);
  if (result.success) return result.output as FaultPlan;
  // A misspelt field is also a missing one; its own name helps more.
  const issue = result.issues.find(({ expected }) => expected === "never") ?? result.issues[0];
  throw new InputError(`${called}: ${describe(issue)}`);
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`fault file ${file} is not JSON: ${(error as Error).message.replace(/\s+/g, " ")}`);
  }
}

function describe({ path, message, received, type }: v.BaseIssue<unknown>): string {
  const field = (path ?? []).reduce(
    (name, { key }) => (typeof key === "number" ? `${name}[${key}]` : name === "" ? String(key) : `${name}.${key}`),
    "",
  );
  const wrong =
    message.startsWith("must be") && type !== "length" && !["Object", "Array"].includes(received ?? "Object");
  return `${field || "the plan"} ${message}${wrong ? `, not ${received}` : ""}`;
}

// Whether a plan of faults makes sense: checked before anything runs.

/** Checks a plan for the nodes 0 .. nodes-1 and adds defaults. */
export function checkFaultPlan(given: FaultPlan, nodes: number, host: "lockstep" | "events"): FaultPlan {
  const plan = readPlan(given, "faults");
  if (host === "lockstep") refuseInRounds(plan);
  const { drift = 0 } = plan;
  if (drift === 1) throw new InputError(`drift must be a share from 0 to below 1, not ${drift}`);
  const outside = named(plan).find((node) => node >= nodes);
  if (outside !== undefined) {
    throw new InputError(`the fault plan names node ${outside}, but nodes are 0 to ${nodes - 1}`);
  }
  return plan;
}

/** Every node that a plan names. */
function named(plan: FaultPlan): number[] {
  const { restarts = [], joins = [], leaves = [], commands = [], clocks = [] } = plan;
  const links = [...plan.losses, ...(plan.duplicates ?? []), ...(plan.spikes ?? [])];
  return [
    ...links.flatMap(({ link }) => link ?? []),
    ...[plan.crashes, plan.pauses, restarts, joins, leaves, commands, clocks].flat().map(({ node }) => node),
    ...plan.partitions.flatMap(({ groups }) => groups.flat()),
  ];
}

/** In rounds every message takes one, and all clocks are the round's. */
export function refuseInRounds({ reorder = 0, drift = 0, spikes = [], clocks = [] }: FaultPlan): void {
  const meaningless = Object.entries({ reorder, drift, spikes: spikes.length, clocks: clocks.length });
  const [name] = meaningless.find(([, size]) => size > 0) ?? [];
  if (name === undefined) return;
  throw new InputError((field) => {
    // Lists are fields of a plan only; the others are also settings.
    const called = name in { reorder, drift } ? field(name) : `"${name}" in a fault plan`;
    return `${called} means nothing in rounds, which all messages and clocks keep: set ${field("host")} to events`;
  });
}
