/** What `npm run soak` is asked for. */
import { parseArgs } from "node:util";
import type { Policy } from "../../src/elector/params.ts";
import { ALL_KINDS, ENGINE_KINDS, KINDS, type Kind, MIXES, mixesOf, STRICT_MIXES } from "../../test/group/mixes.ts";
import type { Wanted } from "../../test/group/scenario.ts";

export interface SoakOptions {
  readonly minutes: number;
  readonly threads: number | null;
  /** The first seed. */
  readonly seed: number;
  /** Null: all of them in turn. */
  readonly mix: string | null;
  readonly replay: number | null;
  /** Through the events host, or through the live one. */
  readonly stack: "events" | "live";
  readonly wanted: Wanted;
  readonly help: boolean;
}

export const HELP = `npm run soak -- [options]

Runs simulated groups under faults, over all cores, until the time is over, and holds them against all rules (docs/testing-groups.md).

  --minutes N       how long (default 1)
  --seed S          the first seed (default: from the clock)
  --members M       members in each group (default: 1 to 9, mostly 5)
  --mix NAME        ${Object.keys(MIXES).join(", ")} (default: all of them in turn)
  --faults A,B      a mix of exactly these kinds: ${KINDS.join(", ")}
  --strict          strict mode, with an engine that grants leases, and a guarded resource. Mixes: ${Object.keys(STRICT_MIXES).join(", ")};
                    further kinds: ${ENGINE_KINDS.join(", ")}
  --ttl MS          how long a lease lasts (default: drawn)
  --policy P        available or majority (default: drawn)
  --offices N       how many offices (default: drawn)
  --seconds T       virtual seconds of a run (default 60); faults end after half of them
  --stack S         events (default), or live: sealed datagrams on the live host, in virtual time
  --threads N       worker threads (default: as many as cores)
  --replay SEED     one run: says what went wrong and writes its trace`;

export function readOptions(args: readonly string[]): SoakOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: text,
      seed: text,
      members: text,
      mix: text,
      faults: text,
      policy: text,
      offices: text,
      seconds: text,
      threads: text,
      replay: text,
      stack: text,
      ttl: text,
      strict: { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  const count = (name: Exclude<keyof typeof values, "strict" | "help">): number | undefined => {
    const given = values[name];
    if (given === undefined) return undefined;
    const number = Number(given);
    if (!Number.isFinite(number) || number < 0) throw new Error(`--${name} must be a number, not ${given}`);
    return number;
  };
  const offices = count("offices");
  const seconds = count("seconds");
  const strict = values.strict === true;
  const ttl = count("ttl");
  return {
    minutes: count("minutes") ?? 1,
    threads: count("threads") ?? null,
    seed: count("seed") ?? Math.floor(Date.now() / 1000) * 1000,
    mix:
      values.faults === undefined
        ? oneOf("mix", values.mix, Object.keys(mixesOf(strict)))
        : faultsMix(values.faults, strict ? ALL_KINDS : KINDS),
    replay: count("replay") ?? null,
    stack: oneOf("stack", values.stack, ["events", "live"]) ?? "events",
    wanted: {
      members: count("members"),
      policy: oneOf<Policy>("policy", values.policy, ["available", "majority"]) ?? undefined,
      offices: offices === undefined ? undefined : officesNamed(offices),
      until: seconds === undefined ? undefined : 1000 * seconds,
      lease: strict ? (ttl === undefined ? {} : { ttl }) : undefined,
    },
    help: values.help === true,
  };
}

/** "leader", then shards. */
const officesNamed = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => (i === 0 ? "leader" : `shard-${i}`));

function oneOf<T extends string>(name: string, given: string | undefined, choices: readonly T[]): T | null {
  if (given === undefined) return null;
  if (choices.includes(given as T)) return given as T;
  throw new Error(`--${name} must be one of ${choices.join(", ")}, not ${given}`);
}

/** The name of a mix that is made of kinds, as `mixNamed` reads it. */
function faultsMix(faults: string, known: readonly Kind[]): string {
  const kinds = faults.split(",").map((kind) => oneOf<Kind>("faults", kind, known)!);
  return kinds.join("+");
}
