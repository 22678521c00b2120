/**
 * Steps as bytes, and back: each is a sequence of values of the codec, without any list around them. Its kind, the time since the step
 * before in microseconds, arrived links where there are some, its input, then the answers to its questions, the end, and the number of all
 * that the handler asked of its context (src/flight/check.ts).
 */
import type { Address, Port } from "../protocol.ts";
import { ByteWriter, Malformed } from "../wire/bytes.ts";
import { decodeAll, encodeInto } from "../wire/codec.ts";
import { pack, unpack } from "./pack.ts";

/** What called the machine. */
export type TapedInput =
  | { readonly do: "start"; readonly params: unknown; readonly self: unknown; readonly saved: unknown }
  | { readonly do: "receive"; readonly port: Port; readonly message: unknown }
  | { readonly do: "timer"; readonly timer: string }
  | { readonly do: "leave" };

export type Links = readonly (readonly [port: Port, address: Address])[];

/** One call of a handler. */
export type TapedStep = TapedInput & {
  /** Milliseconds, by a clock that only goes forward. */
  readonly at: number;
  /** Links that have come into being outside of any handler since the step before: somebody unknown has spoken. */
  readonly arrived: Links;
  /** To the questions of the handler, in order. */
  readonly answers: readonly unknown[];
  /** The number of all calls with what they were given. */
  readonly check: number;
  /** The handler has thrown an error with these words: the member has stopped. */
  readonly threw: string | null;
};

const INPUTS = ["start", "receive", "timer", "leave"] as const;
export const INPUT = { start: 0, receive: 1, timer: 2, leave: 3 } as const;

/** Added to the kind of a step. */
const HAS_ARRIVED = 4;

/** What a handler can ask of its context. */
export const CALL = {
  send: 0,
  multicast: 1,
  arm: 2,
  deadline: 3,
  disarm: 4,
  choose: 5,
  coin: 6,
  sample: 7,
  link: 8,
  unlink: 9,
  peer: 10,
  enter: 11,
} as const;

/** After the answers, of which none is undefined. */
const END = undefined;

/** What a whole slot ends with, where another one follows. */
export const SLOT_END = -1;

/** Milliseconds for which a step that tells nothing may wait until it is written. */
export const LONGEST_WAIT = 2000;

const microseconds = (ms: number): number => Math.round(ms * 1000);

/** Writes steps one after another; the first one after `since`. */
export class StepWriter {
  private readonly bytes = new ByteWriter(4096);
  private time = 0;
  /** Timers that were named since then: from then on they are numbers. */
  private readonly timers = new Map<string, number>();
  /** Where the latest step begins. */
  latest = 0;

  since(at: number): void {
    this.time = microseconds(at);
    this.timers.clear();
  }

  begin(input: number, at: number, arrived: Links): void {
    const time = microseconds(at);
    this.latest = this.bytes.size;
    this.value(arrived.length === 0 ? input : input + HAS_ARRIVED);
    this.value(time - this.time);
    this.time = time;
    if (arrived.length > 0) this.value(arrived);
  }

  timer(name: string): void {
    const known = this.timers.get(name);
    if (known === undefined) this.timers.set(name, this.timers.size);
    this.value(known ?? name);
  }

  value(value: unknown): void {
    encodeInto(this.bytes, value);
  }

  /** Values that the codec does not have as they are: parameters and states. */
  packed(value: unknown): void {
    this.value(pack(value));
  }

  end(check: number, threw: string | null): void {
    this.value(END);
    if (threw !== null) this.value(threw);
    this.value(check >>> 0);
  }

  get size(): number {
    return this.bytes.size;
  }

  /** All steps since the last time. */
  take(): Uint8Array {
    this.latest = 0;
    return this.bytes.take();
  }
}

const broken = (what: string): never => {
  throw new Malformed(what);
};

export const isNumeric = (value: unknown): value is number => typeof value === "number";
export const isText = (value: unknown): value is string => typeof value === "string";
export const isPort = (value: unknown): value is Port => Number.isSafeInteger(value) && (value as number) >= -1;

export function linksOf(value: unknown): Links {
  if (!Array.isArray(value)) return broken("its links are no list");
  for (const link of value) {
    if (!Array.isArray(link) || link.length !== 2 || !isPort(link[0]) || !isText(link[1])) broken("a link is none");
  }
  return value as unknown as Links;
}

/** Reads the steps of one slot. */
export class StepReader {
  /** What was read so far. */
  readonly steps: TapedStep[] = [];
  private time: number;
  private readonly timers: string[] = [];
  private values: readonly unknown[] = [];
  private at = 0;

  constructor(since: number) {
    this.time = microseconds(since);
  }

  /** False where the slot ends here, and another one follows. Throws `Malformed`; steps before the damage are kept. */
  read(payload: Uint8Array): boolean {
    this.values = decodeAll(payload);
    this.at = 0;
    while (this.at < this.values.length) {
      if (this.values[this.at] === SLOT_END) return false;
      this.steps.push(this.step());
    }
    return true;
  }

  private next<T>(is: (value: unknown) => value is T, what: string): T {
    const value = this.values[this.at++];
    return is(value) ? value : broken(what);
  }

  private any(): unknown {
    if (this.at >= this.values.length) return broken("a step ends too early");
    return this.values[this.at++];
  }

  private step(): TapedStep {
    const code = this.next(isNumeric, "a step has no kind");
    const hasArrived = code >= HAS_ARRIVED;
    const time = this.next(isNumeric, "a step has no time");
    if (!Number.isFinite(time)) return broken("a step has no time");
    this.time += time;
    const arrived = hasArrived ? linksOf(this.any()) : [];
    const input = this.input(INPUTS[hasArrived ? code - HAS_ARRIVED : code]);
    const answers: unknown[] = [];
    for (let answer = this.any(); answer !== END; answer = this.any()) answers.push(answer);
    const threw = isText(this.values[this.at]) ? (this.any() as string) : null;
    const check = this.next(isNumeric, "a step has no check");
    return { ...input, at: this.time / 1000, arrived, answers, check, threw };
  }

  private timer(): string {
    const given = this.any();
    if (isText(given)) this.timers.push(given);
    const name = isText(given) ? given : this.timers[given as number];
    return name ?? broken("a timer has no name");
  }

  private input(kind: TapedInput["do"] | undefined): TapedInput {
    switch (kind) {
      case "receive":
        return { do: kind, port: this.next(isPort, "a message came in nowhere"), message: this.any() };
      case "timer":
        return { do: kind, timer: this.timer() };
      case "leave":
        return { do: kind };
      case "start":
        return { do: kind, params: unpack(this.any()), self: unpack(this.any()), saved: unpack(this.any()) };
      default:
        return broken("a step is of an unknown kind");
    }
  }
}
