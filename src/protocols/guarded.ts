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
      return stateOf(init(params, self, saved, watched(ctx)));
    } catch (error) {
      throw told(error, name, "init", "its start", ctx);
    }
  };
  guard.receive = (state: unknown, port: Port, message: unknown, ctx: AnyContext) => {
    try {
      receive(state, port, message, watched(ctx));
    } catch (error) {
      throw told(error, name, "receive", `message ${shown(message)}`, ctx);
    }
  };
  if (expire !== undefined) {
    guard.expire = (state: unknown, timer: string, ctx: AnyContext) => {
      try {
        expire(state, timer, watched(ctx));
      } catch (error) {
        throw told(error, name, "expire", `timer ${shown(timer)}`, ctx);
      }
    };
  }
  if (endRound !== undefined) {
    guard.endRound = (state: unknown, round: number, ctx: AnyContext) => {
      try {
        endRound(state, round, watched(ctx));
      } catch (error) {
        throw told(error, name, "endRound", `the end of round ${round}`, ctx);
      }
    };
  }
  if (leave !== undefined) {
    guard.leave = (state: unknown, ctx: AnyContext) => {
      try {
        leave(state, watched(ctx));
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
        return check(given(a, b, c, d));
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
  if (typeof state === "object" && state !== null) return state;
  throw new Error(`it returns ${state === null ? "null" : typeof state}, and must return the node's state, an object`);
}

const STATUSES = ["undecided", "elected", "not-elected"];

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
