/**
 * Steps as bytes, and back: each is a sequence of values of the codec, without any list around them. Its kind, the time since the step
 * before in microseconds, arrived links where there are some, its input, then the answers to its questions, the end, and the number of all
 * that the handler asked of its context (src/flight/check.ts). A timer that was named before is a kind, because most steps are timers.
 */
import type { Address, Port } from "../protocol.ts";
import { ByteWriter, Malformed } from "../wire/bytes.ts";
import { decodeAll, encodeInto } from "../wire/codec.ts";
import { recordedCheck } from "./check.ts";
import { pack, unpack } from "./pack.ts";

/** What called the machine. */
type TapedInput =
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

/** The kind of a step of the first timer that was named; kinds beyond the last one would take two bytes. */
const FIRST_TIMER = 8;
const LAST_KIND = 23;

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

/** Bytes that the codec's forms of the end and of a check take, and those of a kind and a time. */
const END_BYTES = 6;
const BEGIN_BYTES = 6;

/**
 * Writes steps one after another; the first one after `since`. What every step has is written by hand, in the codec's form: a member
 * that was asleep has none of the codec in its cache. The first `room` bytes are left free.
 */
export class StepWriter extends ByteWriter {
  private readonly room: number;
  private time = 0;
  /** Timers that were named since then: from then on they are numbers. */
  private readonly timers = new Map<string, number>();
  /** Where the latest step begins. */
  latest: number;

  constructor(room: number) {
    super(32_768);
    this.room = room;
    this.length = room;
    this.latest = room;
  }

  since(at: number): void {
    this.time = microseconds(at);
    this.timers.clear();
  }

  begin(input: number, at: number, arrived: Links): void {
    if (arrived.length === 0) this.open(input, at);
    else {
      this.open(input + HAS_ARRIVED, at);
      this.value(arrived);
    }
  }

  /** A step of a timer. */
  timer(name: string, at: number, arrived: Links): void {
    const known = this.timers.get(name);
    if (known !== undefined && arrived.length === 0) this.open(FIRST_TIMER + known, at);
    else {
      this.begin(INPUT.timer, at, arrived);
      this.value(name);
      const kind = FIRST_TIMER + this.timers.size;
      if (known === undefined && kind <= LAST_KIND) this.timers.set(name, this.timers.size);
    }
  }

  value(value: unknown): void {
    encodeInto(this, value);
  }

  /** Values that the codec does not have as they are: parameters and states. */
  packed(value: unknown): void {
    this.value(pack(value));
  }

  end(check: number, threw: string | null): void {
    if (threw !== null) {
      this.value(END);
      this.value(threw);
      this.value(recordedCheck(check));
      return;
    }
    if (this.length + END_BYTES > this.buffer.length) this.reserve(END_BYTES);
    const { buffer, length } = this;
    buffer[length] = 0xf7;
    buffer[length + 1] = 0x1a;
    buffer[length + 2] = (check >>> 24) | 0x80;
    buffer[length + 3] = check >>> 16;
    buffer[length + 4] = check >>> 8;
    buffer[length + 5] = check;
    this.length = length + END_BYTES;
  }

  /** Bytes of the steps since the last time. */
  get waiting(): number {
    return this.length - this.room;
  }

  /** All steps since the last time, behind the free bytes. A view: it is good until the next step. */
  override take(): Uint8Array {
    const taken = this.done();
    this.length = this.room;
    this.latest = this.room;
    return taken;
  }

  private open(kind: number, at: number): void {
    if (this.length + BEGIN_BYTES > this.buffer.length) this.reserve(BEGIN_BYTES);
    const { buffer, length } = this;
    const time = Math.round(at * 1000);
    const since = time - this.time;
    this.time = time;
    this.latest = length;
    buffer[length] = kind;
    if (since >= 0x100 && since < 0x10000) {
      buffer[length + 1] = 0x19;
      buffer[length + 2] = since >>> 8;
      buffer[length + 3] = since;
      this.length = length + 4;
    } else {
      this.length = length + 1;
      this.value(since);
    }
  }
}

export const broken = (what: string): never => {
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
    const hasArrived = code >= HAS_ARRIVED && code < FIRST_TIMER;
    const time = this.next(isNumeric, "a step has no time");
    if (!Number.isFinite(time)) return broken("a step has no time");
    this.time += time;
    const arrived = hasArrived ? linksOf(this.any()) : [];
    const input: TapedInput =
      code >= FIRST_TIMER
        ? { do: "timer", timer: this.timers[code - FIRST_TIMER] ?? broken("a timer has no name") }
        : this.input(INPUTS[hasArrived ? code - HAS_ARRIVED : code]);
    const answers: unknown[] = [];
    for (let answer = this.any(); answer !== END; answer = this.any()) answers.push(answer);
    const threw = isText(this.values[this.at]) ? (this.any() as string) : null;
    const check = this.next(isNumeric, "a step has no check");
    return { ...input, at: this.time / 1000, arrived, answers, check, threw };
  }

  private timer(): string {
    const name = this.next(isText, "a timer has no name");
    if (!this.timers.includes(name)) this.timers.push(name);
    return name;
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
