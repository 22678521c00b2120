/**
 * Settings from flags, the environment and a file, in this order; what none of them says has its default. Where one of them says
 * which key (or which lease, or which token) is used, the ways of those after it count no more.
 */
import * as v from "valibot";
import { didYouMean, InputError } from "../../errors.ts";
import { refusePassword } from "../engines/address.ts";
import type { Environment } from "../join/keys.ts";
import { shown } from "../join/options.ts";
import { readConfigFile, type Said } from "./config-file.ts";
import { AGENT_KEYS, CONFIG, flagNameOf, readAsKind, variableOf } from "./config-table.ts";
import { AGENT_SCHEMA, type AgentKey, type AgentSettings, checkAgent } from "./settings.ts";

export const CONFIG_VARIABLE = "SORTITION_CONFIG";

export interface Sources {
  /** What was typed, by setting. */
  readonly flags: Readonly<Partial<Record<AgentKey, unknown>>>;
  readonly env: Environment;
  /** A file's name; null: SORTITION_CONFIG says, or there is none. */
  readonly file: string | null;
  /** Of a command whose defaults are others. */
  readonly defaults?: Partial<AgentSettings>;
}

export interface Configured {
  readonly settings: AgentSettings;
  /** Where each value comes from: "--bind", "SORTITION_BIND", "agent.yaml, line 3"; missing: it is the default. */
  readonly origins: ReadonlyMap<AgentKey, string>;
  /** What somebody should be told. */
  readonly warnings: readonly string[];
}

/** Ways to say the same. */
const EITHER: readonly (readonly AgentKey[])[] = [
  ["key", "keyFile", "insecure"],
  ["lease", "leaseFile"],
  ["httpToken", "httpTokenFile"],
];

export function configure({ flags, env, file, defaults = {} }: Sources): Configured {
  const name = file ?? (env[CONFIG_VARIABLE]?.trim() || null);
  const said = merged([fromFlags(flags), fromEnvironment(env), name === null ? new Map() : readConfigFile(name)]);
  const given = Object.fromEntries([...said].map(([key, { value }]) => [key, value]));
  const result = v.safeParse(AGENT_SCHEMA, { ...defaults, ...given });
  if (!result.success) throw wrong(result.issues[0], said);
  const settings = result.output;
  checkLeases(settings, said);
  return {
    settings,
    origins: new Map([...said].map(([key, { origin }]) => [key, origin])),
    warnings: [...misspelt(env), ...checkAgent(settings)],
  };
}

/** The first that says a thing is heard. */
function merged(sources: readonly ReadonlyMap<AgentKey, Said>[]): Map<AgentKey, Said> {
  const all = new Map<AgentKey, Said>();
  for (const source of sources) {
    const settled = EITHER.filter((either) => either.some((key) => all.has(key))).flat();
    for (const [key, said] of source) if (!all.has(key) && !settled.includes(key)) all.set(key, said);
  }
  return all;
}

function fromFlags(flags: Sources["flags"]): ReadonlyMap<AgentKey, Said> {
  const said = new Map<AgentKey, Said>();
  for (const key of AGENT_KEYS) {
    const given = flags[key];
    if (given === undefined) continue;
    const value = typeof given === "string" ? readAsKind(key, given) : given;
    said.set(key, { value, origin: flagNameOf(key)! });
    if (key === "lease") refusePassword(String(value));
  }
  return said;
}

function fromEnvironment(env: Environment): ReadonlyMap<AgentKey, Said> {
  const said = new Map<AgentKey, Said>();
  for (const key of AGENT_KEYS) {
    const origin = variableOf(key);
    const text = env[origin]?.trim() ?? "";
    if (text !== "") said.set(key, { value: readAsKind(key, text), origin });
  }
  return said;
}

const PREFIX = "SORTITION_";
/** What `sortition run` tells its command, which may be a member of another group. */
const OF_RUN = ["TERM", "TOKEN", "OFFICE", "SEAT", "FENCE", "RUN"];

/** Others use variables of such names too (Kubernetes does for its services), so that one that nobody knows is no error. */
function misspelt(env: Environment): string[] {
  const known = [CONFIG_VARIABLE, ...AGENT_KEYS.map(variableOf)].map((name) => name.slice(PREFIX.length));
  return Object.keys(env).flatMap((name) => {
    const word = name.slice(PREFIX.length);
    if (!name.startsWith(PREFIX) || [...known, ...OF_RUN].includes(word)) return [];
    const meant = didYouMean(word, known).replace(/"(.*)"/, `${PREFIX}$1`);
    return meant === "" ? [] : [`the variable ${name} is none of ours${meant}`];
  });
}

/** Where somebody has to look: a flag and a variable are names of their own, a line of a file is not. */
function placeOf(key: AgentKey, said: ReadonlyMap<AgentKey, Said>): string {
  const { origin = "default" } = said.get(key) ?? {};
  return origin.startsWith("--") || origin.startsWith(PREFIX) ? origin : `${origin}: ${key}`;
}

function checkLeases(
  { lease, leaseFile, preemptible, migrate }: AgentSettings,
  said: ReadonlyMap<AgentKey, Said>,
): void {
  if (lease !== undefined || leaseFile !== undefined) return;
  const keys: readonly AgentKey[] = [
    "leaseTtl",
    ...(preemptible ? ["preemptible" as const] : []),
    ...(migrate ? [] : ["migrate" as const]),
  ];
  const stray = keys.find((key) => said.has(key));
  if (stray !== undefined) {
    throw new InputError(
      (field) => `${placeOf(stray, said)} is for leases: give ${field("lease")} too, or leave it out`,
    );
  }
}

type Issue = v.InferIssue<typeof AGENT_SCHEMA>;

function wrong({ path, message, input }: Issue, said: ReadonlyMap<AgentKey, Said>): InputError {
  const [key, ...within] = (path ?? []).map(({ key }) => String(key)) as [AgentKey, ...string[]];
  const which = within.length === 0 ? "" : `, number ${Number(within[0]) + 1} of them,`;
  const { kind } = CONFIG[key];
  const isBare = typeof input === "number" && kind !== "number" && kind !== "yes";
  return new InputError(
    `${placeOf(key, said)}${which} ${message}: it is ${shown(key, input)}${isBare ? ", a number: write it in quotes" : ""}`,
  );
}
