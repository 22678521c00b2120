/**
 * A user's protocol, watched: what a handler throws, and what it asks of the world in vain, is said with the protocol, the
 * node, the handler and the event. Ours go without, and pay nothing for it.
 */
import { ProtocolError } from "../errors.ts";
import type { AnyProtocol, Port, Self } from "../protocol.ts";
import { enterCall, leaveCall } from "./calls.ts";
import { type Act, type Attend, comparable, DIFFERS, Sample, shutIn, silently } from "./purity.ts";
import { type AnyContext, shown, WatchedContext } from "./watched-context.ts";

/** Handlers that no host gives a context. */
const PLAIN = [
  ...["verdict", "report", "saved", "accepts", "bits", "counts", "timing"],
  ...["judge", "summarise", "refuse", "adapt", "wakes", "candidacy", "narrate"],
] as const;

export function guarded(protocol: AnyProtocol): AnyProtocol {
  const { init, receive, expire, endRound, leave } = protocol;
  const handle = handling(protocol);
  const guard: Record<string, unknown> = { ...protocol };
  guard.init = (params: unknown, self: Self, saved: unknown, ctx: AnyContext) =>
    handle(
      "init",
      () => "its start",
      null,
      ctx,
      (_, its) => stateOf(atOnce(init(params, self, saved, its))),
    );
  guard.receive = (state: unknown, port: Port, message: unknown, ctx: AnyContext) => {
    const event = () => `message ${shown(message)}`;
    handle("receive", event, state, ctx, (mine, its) => receive(mine, port, message, its));
  };
  if (expire !== undefined) {
    guard.expire = (state: unknown, timer: string, ctx: AnyContext) => {
      handle(
        "expire",
        () => `timer ${shown(timer)}`,
        state,
        ctx,
        (mine, its) => expire(mine, timer, its),
      );
    };
  }
  if (endRound !== undefined) {
    guard.endRound = (state: unknown, round: number, ctx: AnyContext) => {
      handle(
        "endRound",
        () => `the end of round ${round}`,
        state,
        ctx,
        (mine, its) => endRound(mine, round, its),
      );
    };
  }
  if (leave !== undefined) {
    guard.leave = (state: unknown, ctx: AnyContext) => {
      handle(
        "leave",
        () => "its departure",
        state,
        ctx,
        (mine, its) => leave(mine, its),
      );
    };
  }
  for (const handler of PLAIN) {
    const given = protocol[handler] as ((...args: unknown[]) => unknown) | undefined;
    if (given !== undefined) guard[handler] = projecting(protocol.name, handler, given);
  }
  return guard as unknown as AnyProtocol;
}

/** Those whose answers are compared: the others are asked once, before a run. */
const PROJECTIONS: readonly string[] = [
  "verdict",
  "report",
  "saved",
  "accepts",
  "bits",
  "counts",
  "judge",
  "summarise",
];

/** A handler without context: a function of what it is given. */
function projecting(name: string, handler: string, given: (...args: unknown[]) => unknown) {
  const sample = PROJECTIONS.includes(handler) ? new Sample() : null;
  const check = CHECKS[handler] ?? ((value: unknown) => value);
  // With the arguments of the longest of them, as a list of arguments for each message would cost.
  return (a: unknown, b: unknown, c: unknown, d: unknown) => {
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

/** Runs a handler with a context that serves for this call alone; in virtual time some calls are looked at more closely. */
function handling(protocol: AnyProtocol) {
  const sample = new Sample();
  const attend: Attend = (ctx, act, state) => {
    const watched = new WatchedContext(protocol, ctx);
    try {
      return atOnce(act(state, watched));
    } finally {
      watched.close();
    }
  };
  const closely: Attend = (ctx, act, state) => {
    const result = shutIn(() => attend(ctx, act, state));
    if (state !== null) plain(state, "state", 0);
    return result;
  };
  return (handler: string, event: () => string, state: unknown, ctx: AnyContext, act: Act): unknown => {
    const { where } = ctx;
    const blame = (error: unknown) => told(error, protocol.name, handler, event(), where);
    enterCall(handler);
    try {
      if (ctx.virtual !== undefined && sample.next()) return sample.look(state, ctx, act, closely, blame);
      return ctx.virtual === "explored" ? closely(ctx, act, state) : attend(ctx, act, state);
    } catch (error) {
      throw blame(error);
    } finally {
      leaveCall();
    }
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
  if (Number.isNaN(value)) throw refuse("NaN");
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
