/**
 * Whether a user's handler is a function of its state, its input and its context. Of all calls a sample is looked at: the
 * clock, the generators of random numbers and the event loop are out of reach meanwhile, and what the handler did it must do
 * once more when it is asked the same again, at once and some calls later, when other nodes have acted.
 */
import type { AnyContext } from "./watched-context.ts";

const ELSEWHERE = "what a handler does may depend on its state, the input and draws of the context alone";
export const DIFFERS = `it does something else when a handler is asked the same again: ${ELSEWHERE}`;

type Holder = Record<string, unknown>;

const { crypto } = globalThis as unknown as Holder;

/** What no handler may reach, by the object that has it, and what to use instead. */
const OUT_OF_REACH: readonly (readonly [object: unknown, name: string, instead: string])[] = [
  [Math, "random", "draw with ctx.choose or ctx.coin"],
  [performance, "now", "time comes as timers, ctx.arm"],
  [crypto, "getRandomValues", "draw with ctx.choose or ctx.coin"],
  [crypto, "randomUUID", "draw with ctx.choose or ctx.coin"],
  ...["Timeout", "Interval", "Immediate"].map(
    (kind) => [globalThis, `set${kind}`, "what comes later is a timer, ctx.arm"] as const,
  ),
  [globalThis, "fetch", "a handler knows no network but its context"],
];

const refusing = (name: string, instead: string) => () => {
  throw new Error(`it calls ${name}: ${instead}`);
};

const RealDate = globalThis.Date;
const NO_CLOCK = "it reads the clock with Date: time comes as timers, ctx.arm";
/** Dates that are given are data; the present one is the world's. */
const Dates = new Proxy(RealDate, {
  construct(target, given) {
    if (given.length === 0) throw new Error(NO_CLOCK);
    return Reflect.construct(target, given);
  },
  apply() {
    throw new Error(NO_CLOCK);
  },
  get(target, name) {
    if (name === "now") throw new Error(NO_CLOCK);
    return Reflect.get(target, name);
  },
});

const doors = OUT_OF_REACH.flatMap(([object, name, instead]) => {
  const holder = object as Holder | undefined;
  if (typeof holder?.[name] !== "function") return [];
  return [{ holder, name, real: holder[name], refusal: refusing(name, instead) }];
});

/** Handlers of handlers: a wrapper's runs while that of what it wraps does. */
let depth = 0;

/** Does what a handler does while the world is out of reach. */
export function shutIn<R>(work: () => R): R {
  if (depth++ === 0) {
    for (const { holder, name, refusal } of doors) holder[name] = refusal;
    globalThis.Date = Dates;
  }
  try {
    return work();
  } finally {
    if (--depth === 0) {
      for (const { holder, name, real } of doors) holder[name] = real;
      globalThis.Date = RealDate;
    }
  }
}

/** Does it without a word on the console: what a handler prints is printed once, also where it is asked the same again. */
export function silently<R>(work: () => R): R {
  const everywhere = globalThis as unknown as { console: object };
  const { console: real } = everywhere;
  const silent = (value: unknown) => (typeof value === "function" ? () => undefined : value);
  everywhere.console = new Proxy(real, { get: (target, name) => silent(Reflect.get(target, name)) });
  try {
    return work();
  } finally {
    everywhere.console = real;
  }
}

/** One handler call, with a context of its own, as a function of a state that may be its copy. */
export type Attend = (ctx: AnyContext, state: unknown) => unknown;

interface Asked {
  readonly what: keyof AnyContext;
  readonly given: string | null;
  readonly answer: unknown;
}

type Answer = (what: keyof AnyContext, given: unknown[] | null) => unknown;

/** What may be asked of a context, and what is read of it. */
const ASKED: readonly (keyof AnyContext)[] = [
  ...(["ports", "linked", "send", "multicast", "arm", "deadline", "disarm", "choose", "coin", "sample"] as const),
  ...(["peer", "link", "unlink", "address", "enter", "measure", "series"] as const),
];
const READ: readonly (keyof AnyContext)[] = ["degree", "where"];

/** A context whose answers all come from one function. No proxy: V8 inlines no call on an object that may be one. */
class AnsweringContext {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}
for (const what of ASKED) {
  const value = function (this: AnsweringContext, ...given: unknown[]) {
    return this.answer(what, given);
  };
  Object.defineProperty(AnsweringContext.prototype, what, { value });
}
for (const what of READ) {
  const get = function (this: AnsweringContext) {
    return this.answer(what, null);
  };
  Object.defineProperty(AnsweringContext.prototype, what, { get });
}

const answering = (answer: Answer): AnyContext => new AnsweringContext(answer) as unknown as AnyContext;

/** A context that writes down what it was asked, and what it said. */
function noting(ctx: AnyContext, log: Asked[]): AnyContext {
  return answering((what, given) => {
    const answer =
      given === null ? ctx[what] : (ctx[what] as (...args: readonly unknown[]) => unknown).apply(ctx, given);
    log.push({ what, given: given === null ? null : comparable(given), answer });
    return answer;
  });
}

/** A context that says the same again, as long as it is asked the same. */
function repeating(log: readonly Asked[]): { readonly ctx: AnyContext; isSpent(): boolean } {
  let next = 0;
  const ctx = answering((what, given) => {
    const asked = log[next++];
    const same = asked?.what === what && asked.given === (given === null ? null : comparable(given));
    if (!same) throw new Error(DIFFERS);
    return asked.answer;
  });
  return { ctx, isSpent: () => next === log.length };
}

/** The first calls are all looked at, then ever fewer: at last one in so many, since a look costs as much as hundreds of calls. */
const FIRST = 64;
const MOST_APART = 16411;
/** After this many calls a message is frozen, and a state checked for plain data, only where a call is looked at. */
const LONG = 1024;
/** So many calls that were looked at lie between a call and its last repetition. */
const LATER = 16;

/** Off for tests whose handlers write down what happens to them: each call must then run once. */
export const sampling = { isOn: true };

/** The sample of one protocol's calls. */
export class Sample {
  private calls = 0;
  private nextLook = 1;
  private open: (() => void)[] = [];
  private run: object | null = null;

  /** So many calls were all right that only those that are looked at are checked in full: checks cost more than most handlers. */
  get isLong(): boolean {
    return this.calls > LONG && sampling.isOn;
  }

  /** Counts a call that is not looked at; false where it is to be looked at, and counted by `next`. */
  skip(): boolean {
    if (this.calls + 1 >= this.nextLook) return false;
    this.calls++;
    return true;
  }

  /** Whether this call is looked at. */
  next(): boolean {
    if (this.skip()) return false;
    this.calls++;
    const apart = this.calls < FIRST ? 1 : Math.min(this.calls >> 4, MOST_APART);
    this.nextLook = this.calls + apart;
    return sampling.isOn;
  }

  /**
   * Runs a handler, and the same once more. `attend` gives it a context and checks its state; `blame` names the handler in
   * an error that is found later.
   */
  look(state: unknown, ctx: AnyContext, attend: Attend, blame: (error: unknown) => Error): unknown {
    const run = ctx.run ?? ctx;
    // Between two runs a program may change what a protocol reads.
    if (run !== this.run) this.open = [];
    this.run = run;
    const log: Asked[] = [];
    const before = structuredClone(state);
    const result = attend(noting(ctx, log), state);
    const after = comparable([state, result]);
    const again = () => {
      const mine = structuredClone(before);
      const { ctx: same, isSpent } = repeating(log);
      const once = silently(() => attend(same, mine));
      if (comparable([mine, once]) !== after || !isSpent()) throw new Error(DIFFERS);
    };
    again();
    this.open.push(() => {
      try {
        again();
      } catch (error) {
        throw blame(error);
      }
    });
    if (this.open.length > LATER) this.open.shift()!();
    return result;
  }
}

/** One text for equal values: they are made by the same code, so their fields come in one order. */
export const comparable = (value: unknown): string =>
  JSON.stringify(value, (_, part) => {
    if (part instanceof Map || part instanceof Set) return [part.constructor.name, ...part];
    if (typeof part === "bigint") return `${part}n`;
    return typeof part === "number" && !Number.isFinite(part) ? String(part) : part;
  }) ?? "undefined";
