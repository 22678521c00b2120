/**
 * A user's protocol, watched: what a handler throws, and what it asks of the world in vain, is said with the protocol, the
 * node, the handler and the event. Ours go without, and pay nothing for it.
 */
import { ProtocolError } from "../errors.ts";
import { type AnyProtocol, type Port, SELF, type Self } from "../protocol.ts";
import { encodedSize } from "../wire/codec.ts";
import { enterCall, leaveCall } from "./calls.ts";
import { type Attend, comparable, DIFFERS, Sample, shutIn, silently } from "./purity.ts";
import { type AnyContext, freezeMessage, shown, WatchedContext } from "./watched-context.ts";

/** Handlers that no host gives a context. */
const PLAIN = [
  ...["verdict", "report", "saved", "accepts", "counts", "timing"],
  ...["judge", "summarise", "refuse", "adapt", "wakes", "candidacy", "narrate"],
] as const;

export function guarded(protocol: AnyProtocol): AnyProtocol {
  const { init, receive, expire, endRound, leave } = protocol;
  const sample = new Sample();
  const handle = handling(protocol, sample);
  const guard: Record<string, unknown> = { ...protocol };
  const starts: Handler<unknown, [Self, unknown]> = {
    name: "init",
    event: () => "its start",
    act: (_, its, params, [self, saved]) => objectOf(atOnce(init(params, self, saved, its))),
  };
  guard.init = (params: unknown, self: Self, saved: unknown, ctx: AnyContext) =>
    handle(starts, null, ctx, params, [self, saved]);
  const receives: Handler<Port, unknown> = {
    name: "receive",
    event: (_, message) => `message ${shown(message)}`,
    act: (state, its, port, message) => receive(state, port, message, its),
  };
  // Written out, as is `bits`: both run at each message, and only code that one handler has to itself is inlined by V8.
  guard.receive = (state: unknown, port: Port, message: unknown, ctx: AnyContext) => {
    if (ctx.virtual !== "simulated" || !sample.skip()) {
      handle(receives, state, ctx, port, message);
      return;
    }
    enterCall("receive");
    const watched = new WatchedContext(protocol, ctx, !sample.isLong, port === SELF ? undefined : message);
    try {
      const answer: unknown = receive(state, port, message, watched);
      if (answer !== undefined) atOnce(answer);
    } catch (error) {
      watched.close();
      leaveCall();
      throw told(error, protocol.name, "receive", receives.event(port, message), ctx.where);
    }
    watched.close();
    leaveCall();
  };
  if (expire !== undefined) {
    const expires: Handler<string> = {
      name: "expire",
      event: (timer) => `timer ${shown(timer)}`,
      act: (state, its, timer) => expire(state, timer, its),
    };
    guard.expire = (state: unknown, timer: string, ctx: AnyContext) => {
      handle(expires, state, ctx, timer, null);
    };
  }
  if (endRound !== undefined) {
    const ends: Handler<number> = {
      name: "endRound",
      event: (round) => `the end of round ${round}`,
      act: (state, its, round) => endRound(state, round, its),
    };
    guard.endRound = (state: unknown, round: number, ctx: AnyContext) => {
      handle(ends, state, ctx, round, null);
    };
  }
  if (leave !== undefined) {
    const leaves: Handler<null> = {
      name: "leave",
      event: () => "its departure",
      act: (state, its) => leave(state, its),
    };
    guard.leave = (state: unknown, ctx: AnyContext) => {
      handle(leaves, state, ctx, null, null);
    };
  }
  for (const handler of PLAIN) {
    const given = protocol[handler] as ((...args: unknown[]) => unknown) | undefined;
    if (given !== undefined) guard[handler] = projecting(protocol.name, handler, given, sampleOf(handler));
  }
  guard.bits = measuring(protocol);
  return guard as unknown as AnyProtocol;
}

/** Those whose answers are compared: the others are asked once, before a run. */
const PROJECTIONS: readonly string[] = ["verdict", "report", "saved", "accepts", "counts", "judge", "summarise"];

const sampleOf = (handler: string): Sample | null => (PROJECTIONS.includes(handler) ? new Sample() : null);

/** Where a protocol does not say how long its messages are: what they take on the wire. */
export const encodedBits = (message: unknown): number => 8 * encodedSize(message);

/** `bits`, as `projecting` would make it; our own needs no sample, and always returns. */
function measuring({ name, bits }: AnyProtocol) {
  const sample = new Sample();
  const closely = projecting(name, "bits", bits, sample);
  const failed = (error: unknown) => told(error, name, "bits", "", null);
  if (bits === encodedBits) {
    return (message: unknown): number => {
      try {
        return encodedBits(message);
      } catch (error) {
        throw failed(error);
      }
    };
  }
  return (message: unknown) => {
    if (!sample.skip()) return closely(message);
    enterCall("a projection of its state");
    let size: unknown;
    try {
      size = bits(message);
    } catch (error) {
      leaveCall();
      throw failed(error);
    }
    leaveCall();
    return isSize(size) ? size : closely(message);
  };
}

const isSize = (size: unknown): size is number => typeof size === "number" && size >= 0 && size < Infinity;

/** A handler without context: a function of what it is given. */
function projecting(name: string, handler: string, given: (...args: unknown[]) => unknown, sample: Sample | null) {
  const check = CHECKS[handler] ?? ((value: unknown) => value);
  // With the arguments of the longest of them, as a list of arguments for each message would cost.
  return (a: unknown, b?: unknown, c?: unknown, d?: unknown) => {
    enterCall("a projection of its state");
    try {
      if (sample?.next() !== true) return check(atOnce(given(a, b, c, d)));
      const ask = () => atOnce(given(a, b, c, d));
      const [first, second] = shutIn(() => [ask(), silently(ask)]);
      if (comparable(first) !== comparable(second)) throw new Error(DIFFERS);
      return check(first);
    } catch (error) {
      throw told(error, name, handler, "", null);
    } finally {
      leaveCall();
    }
  };
}

/** A handler, as a function of a state that may be its copy, of its context and of up to two inputs. */
interface Handler<A, B = null> {
  readonly name: string;
  /** What it handles, in words. */
  readonly event: (a: A, b: B) => string;
  readonly act: (state: unknown, ctx: AnyContext, a: A, b: B) => unknown;
}

/**
 * Runs a handler with a context that serves for this call alone; in virtual time some calls are looked at more closely. A call
 * makes nothing but that context, for it happens at each message: words and functions are made where they are needed.
 */
function handling(protocol: AnyProtocol, sample: Sample) {
  function attend<A, B>(
    { name, act }: Handler<A, B>,
    state: unknown,
    ctx: AnyContext,
    a: A,
    b: B,
    seals: boolean,
  ): unknown {
    // A simulated message arrives as it was sent; only a command comes from elsewhere.
    if (seals && name === "receive" && a !== SELF && ctx.virtual === "simulated") freezeMessage(b, 0);
    const watched = new WatchedContext(protocol, ctx, seals, undefined);
    try {
      return atOnce(act(state, watched, a, b));
    } finally {
      watched.close();
    }
  }
  function look<A, B>(handler: Handler<A, B>, state: unknown, ctx: AnyContext, a: A, b: B, again: boolean): unknown {
    const { where } = ctx;
    const closely: Attend = (its, mine) => {
      const result = shutIn(() => attend(handler, mine, its, a, b, true));
      plain(mine ?? result);
      return result;
    };
    if (!again) return closely(ctx, state);
    const blame = (error: unknown) => told(error, protocol.name, handler.name, handler.event(a, b), where);
    return sample.look(state, ctx, closely, blame);
  }
  return <A, B>(handler: Handler<A, B>, state: unknown, ctx: AnyContext, a: A, b: B): unknown => {
    const { virtual } = ctx;
    enterCall(handler.name);
    try {
      const again = virtual !== undefined && sample.next();
      if (again || virtual === "explored") return look(handler, state, ctx, a, b, again);
      if (virtual !== undefined) return attend(handler, state, ctx, a, b, !sample.isLong);
      const result = attend(handler, state, ctx, a, b, true);
      return state === null ? plain(result) : result;
    } catch (error) {
      throw told(error, protocol.name, handler.name, handler.event(a, b), ctx.where);
    } finally {
      leaveCall();
    }
  };
}

function objectOf(state: unknown): unknown {
  if (typeof state === "object" && state !== null) return state;
  throw new Error(`it returns ${state === null ? "null" : typeof state}, and must return the node's state, an object`);
}

/** A handler that waits has no part in a run: the world comes to a handler, and never keeps it waiting. */
function atOnce<R>(value: R): R {
  const promised = value as { then?: (kept: () => void, broken: () => void) => void } | null | undefined;
  if (typeof promised !== "object" || promised === null || typeof promised.then !== "function") return value;
  promised.then(
    () => {},
    () => {},
  );
  throw new Error("it returns a promise, and must do what it does at once: handlers cannot be async");
}

const DEEPEST = 64;

/** Hosts copy, compare and record a state, which they can only where it holds nothing but data. */
function plain<S>(state: S): S {
  const flaw = flawOf(state, 0);
  if (flaw === null) return state;
  if (flaw.what === null) throw new Error(`its state is nested deeper than ${DEEPEST}, or in a circle`);
  throw new Error(
    `its state holds ${flaw.what} at ${flaw.path.join(".")}, and must be plain data: numbers, texts, lists, objects, maps and sets`,
  );
}

/** What a state holds that is not data (null: depth without end) and where; null where all is data. */
interface Flaw {
  readonly what: string | null;
  readonly path: string[];
}

function flawOf(value: unknown, depth: number): Flaw | null {
  if (typeof value === "function" || typeof value === "symbol") return { what: `a ${typeof value}`, path: ["state"] };
  if (Number.isNaN(value)) return { what: "NaN", path: ["state"] };
  if (typeof value !== "object" || value === null) return null;
  if (depth > DEEPEST) return { what: null, path: [] };
  if (value instanceof Map || value instanceof Set) return flawOf([...value], depth + 1);
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    return { what: `a ${prototype.constructor?.name || "class"}`, path: ["state"] };
  }
  for (const name of Object.keys(value)) {
    const flaw = flawOf((value as Record<string, unknown>)[name], depth + 1);
    if (flaw !== null) return { what: flaw.what, path: ["state", name, ...flaw.path.slice(1)] };
  }
  return null;
}

const STATUSES = ["undecided", "elected", "not-elected"];

function oneOf(...words: readonly string[]) {
  return (value: unknown): unknown => {
    if (words.includes(value as string)) return value;
    throw new Error(`it returns ${shown(value)}, and must return one of ${words.join(", ")}`);
  };
}

const CHECKS: Readonly<Record<string, (value: unknown) => unknown>> = {
  verdict(value) {
    const { status } = (value ?? {}) as { status?: unknown };
    if (STATUSES.includes(status as string)) return value;
    throw new Error(
      `it returns ${shown(value)}, and must return { status, leader, term } with status ${STATUSES.join(", ")}`,
    );
  },
  bits(value) {
    if (isSize(value)) return value;
    throw new Error(`it returns ${shown(value)}, and must return a number of at least 0`);
  },
  timing: oneOf("asynchronous", "partial", "synchronous"),
  judge: oneOf("none", "one", "many"),
  summarise(value) {
    const isNumbers = typeof value === "object" && value !== null && Object.values(value).every(Number.isFinite);
    if (isNumbers) return value;
    throw new Error(`it returns ${shown(value)}, and must return numbers by name`);
  },
  refuse(value) {
    if (value === null || value === undefined || typeof value === "string") return value ?? null;
    throw new Error(`it returns ${shown(value)}, and must return a text, or null`);
  },
  adapt(value) {
    if (typeof value === "string" || (typeof value === "object" && value !== null)) return value;
    throw new Error(`it returns ${shown(value)}, and must return the parameters, or a text`);
  },
  wakes(value) {
    const { kind, rounds } = (value ?? {}) as { kind?: unknown; rounds?: unknown };
    const isSchedule =
      (kind === "uniform" || kind === "one-then-rest") && Number.isSafeInteger(rounds) && Number(rounds) >= 1;
    if (value === null || isSchedule) return value;
    throw new Error(
      `it returns ${shown(value)}, and must return { kind, rounds } with kind uniform or one-then-rest, or null`,
    );
  },
  candidacy(value) {
    if ((value as number) >= 0 && (value as number) <= 1) return value;
    throw new Error(`it returns ${shown(value)}, and must return a probability from 0 to 1`);
  },
};

const FROZEN = /read only property|not extensible|Cannot (assign|add|delete|redefine|define)/;

function told(error: unknown, name: string, handler: string, event: string, place: string | null | undefined): Error {
  if (error instanceof ProtocolError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  const kind = thrown.name === "Error" ? "" : `${thrown.name}: `;
  const advice =
    thrown instanceof TypeError && FROZEN.test(thrown.message)
      ? " (a message is immutable once sent: change a copy of it)"
      : "";
  const where = typeof place === "string" ? ` of ${place}` : "";
  const at = event === "" ? "" : `, at ${event}`;
  const what = `protocol ${name} fails in ${handler}${where}${at}: ${kind}${thrown.message}${advice}`;
  return new ProtocolError(what, ownFrames(thrown).join("\n"), { cause: error });
}

/** The author's part of a stack: between the context that refused and the guard that called. */
function ownFrames({ stack = "" }: Error): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line) && !/protocols\/purity\./.test(line));
  const called = frames.findIndex((line) => /protocols\/guarded\./.test(line));
  const end = called < 0 ? frames.length : called;
  return frames.slice(frames.slice(0, end).findLastIndex((line) => /protocols\/watched-context\./.test(line)) + 1, end);
}
