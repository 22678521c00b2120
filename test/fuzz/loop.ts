/** The loop of the fuzzer: an input that takes a branch, or takes it much more often than before, is kept and changed again. */
import { HostStream } from "../../src/random/streams.ts";
import type { Coverage } from "./instrument.ts";
import { mutated, wordsOf } from "./mutate.ts";

/** What is fuzzed: `run` throws, or rejects, where something is wrong. */
export interface Target {
  /** Inputs to begin with. */
  readonly seeds: readonly Uint8Array[];
  /** Bytes of the longest input. */
  readonly longest: number;
  run(input: Uint8Array): void | Promise<void>;
  /** Removes what it has made. */
  close?(): void;
}

export interface Finding {
  readonly input: Uint8Array;
  readonly error: string;
}

export interface FuzzOptions {
  readonly runs: number;
  readonly seed: number;
  /** Null: the seeds alone are changed. */
  readonly coverage: Coverage | null;
  /** Told before each input, so that a run that hangs can be told. */
  readonly before?: (input: Uint8Array) => void;
  /** More of them are of the same cause, mostly. */
  readonly mostFindings?: number;
}

export interface Fuzzed {
  readonly runs: number;
  /** The seeds, and what took a branch that none had taken before. */
  readonly corpus: readonly Uint8Array[];
  /** How many branches were taken at least once. */
  readonly branches: number;
  readonly findings: readonly Finding[];
}

/** Milliseconds for one input; more is a finding if it takes as long again. */
const SLOW = 2000;
/** How often words are taken over from files that were loaded meanwhile. */
const EVERY = 4096;

export async function fuzz(target: Target, options: FuzzOptions): Promise<Fuzzed> {
  const { runs, seed, coverage, before = () => {}, mostFindings = 5 } = options;
  const draws = new HostStream(seed, 0, "plan");
  const corpus: Uint8Array[] = [];
  const findings = new Map<string, Finding>();
  const taken = new Taken(coverage);
  const tried = async (input: Uint8Array) => {
    before(input);
    taken.begin();
    const error = await failure(target, input);
    if (error !== null && !findings.has(kindOf(error))) findings.set(kindOf(error), { input, error });
    return taken.isNew();
  };
  for (const input of target.seeds) {
    await tried(input);
    corpus.push(input);
  }
  let words: Uint8Array[] = [];
  let done = 0;
  for (; done < runs && findings.size < mostFindings; done++) {
    if (done % EVERY === 0) words = wordsOf(coverage?.words ?? []);
    const input = mutated({ draws, corpus, words, longest: target.longest });
    if (await tried(input)) corpus.push(input);
  }
  return { runs: done + target.seeds.length, corpus, branches: taken.branches, findings: [...findings.values()] };
}

/** What an input has done wrong, or null. Without stacks at first: most inputs are refused, and a stack costs more than the refusal. */
export async function failure(target: Target, input: Uint8Array): Promise<string | null> {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const first = await failureOf(target, input);
    if (first === null) return null;
    Error.stackTraceLimit = stackTraceLimit;
    return (await failureOf(target, input)) ?? (first.startsWith("slow") ? null : first);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

async function failureOf({ run }: Target, input: Uint8Array): Promise<string | null> {
  try {
    const ms = await timed(() => run(input));
    return ms <= SLOW ? null : `slow: it takes ${Math.round(ms)} ms`;
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

async function timed(act: () => void | Promise<void>): Promise<number> {
  const began = performance.now();
  const result = act();
  if (result !== undefined) await result;
  return performance.now() - began;
}

/** The place where it was thrown: texts of errors have values of the input in them. */
const kindOf = (error: string): string => /\n +at .*/.exec(error)?.[0] ?? error.slice(0, 40);

/** By how often a branch was taken, a bit: once, twice, three times, up to 7, 15, 31, 127, more. */
const BUCKETS = Uint8Array.from(
  { length: 256 },
  (_, count) => 1 << [1, 2, 3, 7, 15, 31, 127, 255].findIndex((most) => count <= most),
);

/** Which branches were taken, and about how often. */
class Taken {
  private readonly coverage: Coverage | null;
  private readonly seen: Uint8Array;
  branches = 0;

  constructor(coverage: Coverage | null) {
    this.coverage = coverage;
    this.seen = new Uint8Array(coverage?.counters.length ?? 0);
  }

  begin(): void {
    this.coverage?.counters.fill(0, 0, this.coverage.used);
  }

  isNew(): boolean {
    if (this.coverage === null) return false;
    const { counters, used } = this.coverage;
    let isNew = false;
    for (let i = 0; i < used; i++) {
      if (counters[i] === 0) continue;
      const bucket = BUCKETS[counters[i]];
      if ((this.seen[i] & bucket) !== 0) continue;
      if (this.seen[i] === 0) this.branches++;
      this.seen[i] |= bucket;
      isNew = true;
    }
    return isNew;
  }
}
