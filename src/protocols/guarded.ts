/**
 * A user's protocol, watched: what a handler throws, and what it asks of the world in vain, is said with the protocol, the
 * node, the handler and the event. Ours go without, and pay nothing for it.
 */
import { ProtocolError } from "../errors.ts";
import type { AnyProtocol, Port, Self } from "../protocol.ts";
import { type AnyContext, shown, WatchedContext } from "./watched-context.ts";

/** Handlers that no host gives a context. */
const PLAIN = [
  ...["verdict", "report", "saved", "accepts", "bits", "counts", "timing"],
  ...["judge", "summarise", "refuse", "adapt", "wakes", "candidacy", "narrate"],
] as const;

export function guarded(protocol: AnyProtocol): AnyProtocol {
  const { name, init, receive, expire, endRound, leave } = protocol;
  const watched = watching(protocol);
  const guard: Record<string, unknown> = { ...protocol };
  guard.init = (params: unknown, self: Self, saved: unknown, ctx: AnyContext) => {
    try {
      return stateOf(atOnce(init(params, self, saved, watched(ctx))));
    } catch (error) {
      throw told(error, name, "init", "its start", ctx);
    }
  };
  guard.receive = (state: unknown, port: Port, message: unknown, ctx: AnyContext) => {
    try {
      atOnce(receive(state, port, message, watched(ctx)));
    } catch (error) {
      throw told(error, name, "receive", `message ${shown(message)}`, ctx);
    }
  };
  if (expire !== undefined) {
    guard.expire = (state: unknown, timer: string, ctx: AnyContext) => {
      try {
        atOnce(expire(state, timer, watched(ctx)));
      } catch (error) {
        throw told(error, name, "expire", `timer ${shown(timer)}`, ctx);
      }
    };
  }
  if (endRound !== undefined) {
    guard.endRound = (state: unknown, round: number, ctx: AnyContext) => {
      try {
        atOnce(endRound(state, round, watched(ctx)));
      } catch (error) {
        throw told(error, name, "endRound", `the end of round ${round}`, ctx);
      }
    };
  }
  if (leave !== undefined) {
    guard.leave = (state: unknown, ctx: AnyContext) => {
      try {
        atOnce(leave(state, watched(ctx)));
      } catch (error) {
        throw told(error, name, "leave", "its departure", ctx);
      }
    };
  }
  for (const handler of PLAIN) {
    const given = protocol[handler] as ((...args: unknown[]) => unknown) | undefined;
    if (given === undefined) continue;
    const check = CHECKS[handler] ?? ((value: unknown) => value);
    // With the arguments of the longest of them, as a list of arguments for each message would cost.
    guard[handler] = (a: unknown, b: unknown, c: unknown, d: unknown) => {
      try {
        return check(atOnce(given(a, b, c, d)));
      } catch (error) {
        throw told(error, name, handler, "", null);
      }
    };
  }
  return guard as unknown as AnyProtocol;
}

/** The watched context of each host's. */
function watching(protocol: AnyProtocol): (ctx: AnyContext) => AnyContext {
  const contexts = new WeakMap<AnyContext, AnyContext>();
  return (ctx) => {
    let known = contexts.get(ctx);
    if (known === undefined) {
      known = new WatchedContext(protocol, ctx);
      contexts.set(ctx, known);
    }
    return known;
  };
}

function stateOf(state: unknown): unknown {
  if (typeof state === "object" && state !== null) return plain(state, "state", 0);
  throw new Error(`it returns ${state === null ? "null" : typeof state}, and must return the node's state, an object`);
}

/** Whoever waits has no part in a run: the world comes to a handler, and never keeps it waiting. */
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
function plain<S>(value: S, path: string, depth: number): S {
  const refuse = (what: string) =>
    new Error(
      `its state holds ${what} at ${path}, and must be plain data: numbers, texts, lists, objects, maps and sets`,
    );
  if (typeof value === "function" || typeof value === "symbol") throw refuse(`a ${typeof value}`);
  if (typeof value !== "object" || value === null) return value;
  if (depth > DEEPEST) throw new Error(`its state is nested deeper than ${DEEPEST}, or in a circle`);
  if (value instanceof Map || value instanceof Set) plain([...value], path, depth + 1);
  else {
    const prototype = Object.getPrototypeOf(value);
    if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
      throw refuse(`a ${prototype.constructor?.name || "class"}`);
    for (const [name, field] of Object.entries(value)) plain(field, `${path}.${name}`, depth + 1);
  }
  return value;
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
    if (Number.isFinite(value) && (value as number) >= 0) return value;
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

function told(error: unknown, name: string, handler: string, event: string, ctx: AnyContext | null): Error {
  if (error instanceof ProtocolError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  const kind = thrown.name === "Error" ? "" : `${thrown.name}: `;
  const advice =
    thrown instanceof TypeError && FROZEN.test(thrown.message)
      ? " (a message is immutable once sent: change a copy of it)"
      : "";
  const where = ctx?.where === undefined ? "" : ` of ${ctx.where}`;
  const at = event === "" ? "" : `, at ${event}`;
  const what = `protocol ${name} fails in ${handler}${where}${at}: ${kind}${thrown.message}${advice}`;
  return new ProtocolError(what, ownFrames(thrown).join("\n"), { cause: error });
}

/** The author's part of a stack: between the context that refused and the guard that called. */
function ownFrames({ stack = "" }: Error): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const called = frames.findIndex((line) => /protocols\/guarded\./.test(line));
  const end = called < 0 ? frames.length : called;
  return frames.slice(frames.slice(0, end).findLastIndex((line) => /protocols\/watched-context\./.test(line)) + 1, end);
}
