/**
 * Steps as bytes, and back: each is a sequence of values of the codec, without any list around them. Its kind, the time since the step
 * before in microseconds, arrived links, its input, then its calls (each a number, followed by the answer where it has one), the end,
 * and the number of what the handler did (src/flight/check.ts).
 */
import type { Address, Id, Port } from "../protocol.ts";
import { ByteWriter, Malformed } from "../wire/bytes.ts";
import { decodeAll, encodeInto } from "../wire/codec.ts";
import { pack, unpack } from "./pack.ts";

/** What a handler asked of its context, in order, with the answer where there is one. */
export type Call =
  | readonly ["send", to: Port]
  | readonly ["multicast" | "arm" | "deadline" | "disarm" | "unlink"]
  | readonly ["choose", answer: number]
  | readonly ["coin" | "enter", answer: boolean]
  | readonly ["sample", answer: readonly Port[]]
  | readonly ["link", answer: Port]
  | readonly ["peer", answer: Id | null];

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
  readonly calls: readonly Call[];
  /** The number of all calls with what they were given. */
  readonly check: number;
  /** The handler has thrown an error with these words: the member has stopped. */
  readonly threw: string | null;
};

const INPUTS = ["start", "receive", "timer", "leave"] as const;
export const INPUT = { start: 0, receive: 1, timer: 2, leave: 3 } as const;

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
} as const satisfies Record<Call[0], number>;
const CALLS = Object.keys(CALL) as readonly Call[0][];

/** Instead of a further call. */
const END = -1;
const FAILED = -2;

/** What a whole slot ends with, where another one follows. */
export const SLOT_END = -1;

const microseconds = (ms: number): number => Math.round(ms * 1000);

/** Writes steps one after another; the first one after `since`. */
export class StepWriter {
  private readonly bytes = new ByteWriter(4096);
  private time = 0;
  /** Where the latest step begins. */
  latest = 0;

  since(at: number): void {
    this.time = microseconds(at);
  }

  begin(input: number, at: number, arrived: Links): void {
    const time = microseconds(at);
    this.latest = this.bytes.size;
    this.value(input);
    this.value(time - this.time);
    this.value(arrived.length);
    this.time = time;
    for (const [port, address] of arrived) {
      this.value(port);
      this.value(address);
    }
  }

  value(value: unknown): void {
    encodeInto(this.bytes, value);
  }

  /** Values that the codec does not have as they are: parameters and states. */
  packed(value: unknown): void {
    this.value(pack(value));
  }

  end(check: number, threw: string | null): void {
    this.value(threw === null ? END : FAILED);
    this.value(check >>> 0);
    if (threw !== null) this.value(threw);
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

export const isText = (value: unknown): value is string => typeof value === "string";
export const isNumber = (value: unknown): value is number => typeof value === "number";
export const isPort = (value: unknown): value is Port => Number.isSafeInteger(value) && (value as number) >= -1;
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

/** Calls that are answered, and what an answer is. */
const ANSWERS: Partial<Record<Call[0], (value: unknown) => boolean>> = {
  send: isPort,
  choose: isNumber,
  coin: isFlag,
  sample: (value) => Array.isArray(value) && value.every(isPort),
  link: isPort,
  peer: (value) => value === null || isNumber(value),
  enter: isFlag,
};

/** Reads the steps of one slot. */
export class StepReader {
  /** What was read so far. */
  readonly steps: TapedStep[] = [];
  private time: number;
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
    const kind = INPUTS[this.next(isNumber, "a step has no kind")];
    const time = this.next(isNumber, "a step has no time");
    if (!Number.isFinite(time)) return broken("a step has no time");
    this.time += time;
    const arrived = this.links();
    const input = this.input(kind);
    return { ...input, at: this.time / 1000, arrived, ...this.calls() };
  }

  private links(): Links {
    const count = this.next(isPort, "a step has no links");
    const links: [Port, Address][] = [];
    while (links.length < count) {
      links.push([this.next(isPort, "a link has no port"), this.next(isText, "a link has no address")]);
    }
    return links;
  }

  private input(kind: TapedInput["do"] | undefined): TapedInput {
    switch (kind) {
      case "receive":
        return { do: kind, port: this.next(isPort, "a message came in nowhere"), message: this.any() };
      case "timer":
        return { do: kind, timer: this.next(isText, "a timer has no name") };
      case "leave":
        return { do: kind };
      case "start":
        return { do: kind, params: unpack(this.any()), self: unpack(this.any()), saved: unpack(this.any()) };
      default:
        return broken("a step is of an unknown kind");
    }
  }

  private calls(): Pick<TapedStep, "calls" | "check" | "threw"> {
    const calls: Call[] = [];
    for (;;) {
      const code = this.next(isNumber, "a step has no end");
      if (code === END || code === FAILED) {
        const check = this.next(isNumber, "a step has no check");
        return { calls, check, threw: code === END ? null : this.next(isText, "a step has a strange error") };
      }
      const name = CALLS[code];
      if (name === undefined) return broken("a call is of an unknown kind");
      const isAnswer = ANSWERS[name];
      const answer = isAnswer === undefined ? [] : [this.any()];
      if (isAnswer !== undefined && !isAnswer(answer[0])) return broken(`a call of ${name} is none`);
      calls.push([name, ...answer] as unknown as Call);
    }
  }
}
