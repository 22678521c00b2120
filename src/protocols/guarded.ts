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
  const contexts = new WeakMap<AnyContext, AnyContext>();
  const watched = (ctx: AnyContext): AnyContext => {
    let known = contexts.get(ctx);
    if (known === undefined) {
      known = new WatchedContext(protocol, ctx);
      contexts.set(ctx, known);
    }
    return known;
  };
  const run = <R>(handler: string, event: () => string, ctx: AnyContext | null, act: (ctx: AnyContext) => R): R => {
    try {
      return act(ctx === null ? (null as never) : watched(ctx));
    } catch (error) {
      throw told(error, protocol.name, handler, event(), ctx);
    }
  };
  const { init, receive, expire, endRound, leave } = protocol;
  const guard: Record<string, unknown> = { ...protocol };
  guard.init = (params: unknown, self: Self, saved: unknown, ctx: AnyContext) =>
    run(
      "init",
      () => "its start",
      ctx,
      (watching) => {
        const state = init(params, self, saved, watching);
        if (typeof state === "object" && state !== null) return state;
        throw new Error(
          `it returns ${state === null ? "null" : typeof state}, and must return the node's state, an object`,
        );
      },
    );
  guard.receive = (state: unknown, port: Port, message: unknown, ctx: AnyContext) =>
    run(
      "receive",
      () => `message ${shown(message)}`,
      ctx,
      (watching) => receive(state, port, message, watching),
    );
  if (expire !== undefined) {
    guard.expire = (state: unknown, timer: string, ctx: AnyContext) =>
      run(
        "expire",
        () => `timer ${shown(timer)}`,
        ctx,
        (watching) => expire(state, timer, watching),
      );
  }
  if (endRound !== undefined) {
    guard.endRound = (state: unknown, round: number, ctx: AnyContext) =>
      run(
        "endRound",
        () => `the end of round ${round}`,
        ctx,
        (watching) => endRound(state, round, watching),
      );
  }
  if (leave !== undefined) {
    guard.leave = (state: unknown, ctx: AnyContext) =>
      run(
        "leave",
        () => "its departure",
        ctx,
        (watching) => leave(state, watching),
      );
  }
  for (const name of PLAIN) {
    const given = protocol[name] as ((...args: unknown[]) => unknown) | undefined;
    if (given === undefined) continue;
    const check = CHECKS[name] ?? ((value: unknown) => value);
    guard[name] = (...args: unknown[]) =>
      run(
        name,
        () => "",
        null,
        () => check(given(...args)),
      );
  }
  return guard as unknown as AnyProtocol;
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

/** The author's part of a stack: between the context that refused and the host that called. */
function ownFrames({ stack = "" }: Error): string[] {
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  const isOurs = (line: string) => /protocols\/(guarded|watched-context)\./.test(line);
  const called = frames.findIndex((line) => isOurs(line) && /\bat run \(/.test(line));
  const end = frames.slice(0, called).findLastIndex((line) => !isOurs(line)) + 1;
  return frames.slice(frames.slice(0, end).findLastIndex(isOurs) + 1, end);
}
