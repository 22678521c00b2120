/** A context that writes down what a handler does, and answers its draws from a script of choices. */
import { checkMulticast, givenPorts, isGiven, refuseLinks } from "../../host/granted.ts";
import { type AnyProtocol, type Context, type Id, type Port, SELF } from "../../protocol.ts";
import { sample } from "../../random/subsets.ts";
import type { PathChance } from "../probability/chance.ts";

export type TimerEffect =
  | {
      readonly op: "arm";
      readonly timer: string;
      readonly min: number;
      readonly max: number;
      readonly deadline: boolean;
    }
  | { readonly op: "disarm"; readonly timer: string };

/** `multicast`: as part of one. */
export interface RecordedSend {
  readonly port: Port;
  readonly message: unknown;
  readonly counted: boolean;
  readonly multicast?: true;
}

export interface Effects {
  /** `counted`: as `Result.messages` counts; a multicast once. */
  readonly sends: RecordedSend[];
  messages: number;
  readonly timers: TimerEffect[];
  readonly measures: { readonly name: string; readonly value: number }[];
}

/** What a node sees of the network around it. */
interface Surroundings {
  readonly protocol: Pick<AnyProtocol, "name" | "assumes">;
  readonly where?: string;
  readonly run?: object;
  readonly degree: number;
  peer(port: Port): Id | null;
  /** Random walks: draws come from here, one value each, instead of being enumerated. */
  readonly draw?: ((n: number) => number) | undefined;
}

/** Values that a random walk draws from for a coin: its chance is exact to one in so many. */
const GRAINS = 2 ** 30;

export class RecordingContext implements Context<unknown, string> {
  readonly effects: Effects = { sends: [], messages: 0, timers: [], measures: [] };
  readonly virtual = "explored";

  get run(): object | undefined {
    return this.surroundings.run;
  }

  /** The choices made, and out of how many; longer than the script where the handler drew more. */
  readonly choices: number[];
  readonly ranges: number[] = [];
  /** The most values that a draw had, tried or not. */
  largest = 0;
  askedOracle = false;
  private readonly surroundings: Surroundings;
  private readonly limit: number;
  private readonly oracle: boolean;
  private readonly chance: PathChance | null;
  private readonly counts: ((message: unknown) => boolean) | undefined;

  /** `limit`: at most this many values are tried of a draw; the order of ranks matters, not their n^4 values. */
  constructor(
    surroundings: Surroundings,
    script: readonly number[],
    limit: number,
    counts?: (message: unknown) => boolean,
    oracle = true,
    chance: PathChance | null = null,
  ) {
    this.oracle = oracle;
    this.chance = chance;
    this.surroundings = surroundings;
    this.choices = [...script];
    this.limit = limit;
    this.counts = counts;
  }

  /** A random walk without a limit: draws come from all values, as the protocol asks for them, not from those that a search tries. */
  private get drawsFreely(): boolean {
    return this.surroundings.draw !== undefined && this.limit === Infinity;
  }

  get where(): string {
    return this.surroundings.where ?? "a node";
  }

  get degree(): number {
    return this.surroundings.degree;
  }

  ports(): readonly Port[] {
    return givenPorts(this.degree);
  }

  linked(port: Port): boolean {
    return isGiven(port, this.degree);
  }

  link(): Port {
    return refuseLinks(this.surroundings.protocol);
  }

  unlink(): void {
    refuseLinks(this.surroundings.protocol);
  }

  address(): string {
    return refuseLinks(this.surroundings.protocol);
  }

  send(port: Port, message: unknown): void {
    this.post(port, message, this.counts?.(message) ?? true);
  }

  multicast(message: unknown): void {
    checkMulticast(this.surroundings.protocol);
    const counted = this.counts?.(message) ?? true;
    for (let port = 0; port < this.degree; port++) this.post(port, message, counted && port === 0, true);
    // A multicast to no neighbour counts too.
    if (counted && this.degree === 0) this.effects.messages++;
  }

  private post(port: Port, message: unknown, counted: boolean, multicast = false): void {
    if (counted) this.effects.messages++;
    this.effects.sends.push({ port, message, counted, ...(multicast ? { multicast } : {}) });
  }

  arm(timer: string, min: number, max = min): void {
    this.effects.timers.push({ op: "arm", timer, min, max, deadline: false });
  }

  deadline(timer: string, after: number): void {
    this.effects.timers.push({ op: "arm", timer, min: after, max: after, deadline: true });
  }

  disarm(timer: string): void {
    this.effects.timers.push({ op: "disarm", timer });
  }

  choose(n: number, order?: string): number {
    if (this.chance !== null) return this.chance.choose(n, order, this.picks);
    this.largest = Math.max(this.largest, n);
    return this.pick(Math.min(n, this.limit));
  }

  coin(p: number): boolean {
    if (p <= 0 || p >= 1) return p >= 1;
    if (this.chance !== null) return this.chance.coin(p, this.picks);
    return this.drawsFreely ? this.pick(GRAINS) < p * GRAINS : this.pick(2) === 1;
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const size = this.degree + (including === undefined ? 0 : 1);
    return this.subset(k, size).map((port) => (port === this.degree ? SELF : port));
  }

  /** Every set of k numbers, each once: the order of a sample carries no meaning. */
  subset(k: number, of: number): number[] {
    if (this.drawsFreely) return sample((n) => this.pick(n), k, of);
    const sets = binomial(of, k);
    let rank = this.chance === null ? this.pick(sets) : this.chance.even(sets, this.picks);
    const chosen: number[] = [];
    for (let number = 0, left = k; left > 0; number++) {
      const with_ = binomial(of - number - 1, left - 1);
      if (rank < with_) {
        chosen.push(number);
        left--;
      } else rank -= with_;
    }
    return chosen;
  }

  peer(port: Port): Id | null {
    return this.surroundings.peer(port);
  }

  /** There is no oracle here: every node acts as if it were the first. Protocols for which that matters are refused. */
  enter(): boolean {
    this.askedOracle = true;
    return this.oracle;
  }

  measure(name: string, value: number): void {
    this.effects.measures.push({ name, value });
  }

  series(): void {}

  private readonly picks = (n: number): number => this.pick(n);

  private pick(n: number): number {
    if (n <= 1) return 0;
    const index = this.ranges.length;
    const { draw } = this.surroundings;
    this.ranges.push(draw === undefined ? n : 1);
    if (index === this.choices.length) this.choices.push(draw?.(n) ?? 0);
    return this.choices[index];
  }
}

function binomial(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return Math.round(result);
}

/** Runs `handler` once for every way its draws can come out. */
export function forEveryChoice(
  context: (script: readonly number[]) => RecordingContext,
  handler: (ctx: RecordingContext) => void,
): void {
  let script: number[] | null = [];
  while (script !== null) {
    const ctx = context(script);
    handler(ctx);
    script = nextScript(ctx.choices, ctx.ranges);
  }
}

function nextScript(choices: readonly number[], ranges: readonly number[]): number[] | null {
  for (let last = choices.length - 1; last >= 0; last--) {
    if (choices[last] + 1 < ranges[last]) return [...choices.slice(0, last), choices[last] + 1];
  }
  return null;
}
