/** A fault plan as people write it: JSON in which every field is optional, checked before anything runs. */
import * as v from "valibot";
import { didYouMean, InputError } from "../errors.ts";
import { isPercentage, shareOf } from "../values.ts";
import type { FaultPlan } from "./faults.ts";

const A_PROBABILITY = "must be a probability from 0 to 1";
const A_NODE = "must be a node: a whole number of at least 0";
const TWO_NODES = "must be two nodes, [from, to]";
const A_TIME = "must be a time: a number of at least 0";

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
  v.check<T, string>(({ from, to }) => to === null || from < to, "must have «from» earlier than «to»");

const list = <S extends v.GenericSchema>(item: S) => v.optional(v.array(item, "must be a list"), []);

const groups = v.pipe(
  v.array(v.array(node, "must be a list of nodes"), "must be a list of groups, each a list of nodes"),
  v.check((all) => new Set(all.flat()).size === all.flat().length, "must name each node once"),
);

const schema = record({
  loss: v.optional(probability, 0),
  multicastLoss: v.optional(probability, 0),
  crash: v.optional(probability, 0),
  losses: list(
    v.pipe(
      record({
        rate: probability,
        kind: v.optional(v.picklist(["unicast", "multicast", "both"], "must be unicast, multicast or both"), "both"),
        link: v.nullish(v.pipe(v.array(node, TWO_NODES), v.length(2, TWO_NODES)), null),
        ...span,
      }),
      inOrder(),
    ),
  ),
  crashes: list(record({ node, at: v.optional(time, 0) })),
  pauses: list(v.pipe(record({ node, from: v.optional(time, 0), to: time }), inOrder())),
  partitions: list(v.pipe(record({ groups, ...span }), inOrder())),
});

/** Reads a plan from the text of a file; `file` is what an error calls it. */
export function parseFaultFile(text: string, file: string): FaultPlan {
  const plan = parseJson(text, file);
  if (Array.isArray(plan)) throw new InputError(`fault file ${file}: the plan must be an object`);
  const result = v.safeParse(schema, plan);
  if (result.success) return result.output as FaultPlan;
  // A misspelt field is also a missing one; its own name helps more.
  const issue = result.issues.find(({ expected }) => expected === "never") ?? result.issues[0];
  throw new InputError(`fault file ${file}: ${describe(issue)}`);
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
