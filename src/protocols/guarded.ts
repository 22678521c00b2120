/**
 * A user's protocol, watched: what a handler throws, and what it asks of the world in vain, is said with the protocol, the
 * node, the handler and the event. Ours go without, and pay nothing for it.
 */
import { ProtocolError } from "../errors.ts";
import { type AnyProtocol, type Context, type Port, SELF, type Self } from "../protocol.ts";

/** A host's context may say where it is: "node 3 at time 2". */
export interface Somewhere {
  readonly where?: string;
}

type AnyContext = Context<unknown, string> & Somewhere;

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

/** What a context was asked that it cannot do. */
const misuse = (what: string): Error => new Error(what);

class WatchedContext implements AnyContext {
  private readonly protocol: AnyProtocol;
  private readonly inner: AnyContext;

  constructor(protocol: AnyProtocol, inner: AnyContext) {
    this.protocol = protocol;
    this.inner = inner;
  }

  get where(): string {
    return this.inner.where ?? "a node";
  }

  get degree(): number {
    return this.inner.degree;
  }

  ports(): readonly Port[] {
    return this.inner.ports();
  }

  send(port: Port, message: unknown): void {
    this.checkPort(port);
    if (port === PREVIOUS && this.protocol.assumes.direction === "unidirectional") {
      throw misuse(
        `it sends through port ${PREVIOUS} to its predecessor, but assumes a ring with direction "unidirectional"`,
      );
    }
    this.inner.send(port, sealed(message));
  }

  multicast(message: unknown): void {
    this.inner.multicast(sealed(message));
  }

  arm(timer: string, min: number, max = min): void {
    this.checkTimer(timer);
    if (!(min >= 0 && max >= min))
      throw misuse(`it arms timer ${shown(timer)} for ${min} to ${max}, which is no delay`);
    this.inner.arm(timer, min, max);
  }

  deadline(timer: string, after: number): void {
    this.checkTimer(timer);
    if (!(after >= 0)) throw misuse(`it sets deadline ${shown(timer)} after ${after}, which is no delay`);
    this.inner.deadline(timer, after);
  }

  disarm(timer: string): void {
    this.inner.disarm(timer);
  }

  choose(n: number): number {
    if (Number.isInteger(n) && n >= 1 && n <= 2 ** 53) return this.inner.choose(n);
    throw misuse(`it chooses among ${n}, which must be a whole number from 1 to 2^53`);
  }

  coin(p: number): boolean {
    if (p >= 0 && p <= 1) return this.inner.coin(p);
    throw misuse(`it tosses a coin with probability ${p}, which must be from 0 to 1`);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const most = this.degree + (including === undefined ? 0 : 1);
    if (Number.isInteger(k) && k >= 0 && k <= most) return this.inner.sample(k, including);
    throw misuse(`it samples ${k} of ${most} neighbours`);
  }

  peer(port: Port) {
    this.checkPort(port);
    return this.inner.peer(port);
  }

  link(address: string): Port {
    return this.inner.link(address);
  }

  unlink(port: Port): void {
    this.inner.unlink(port);
  }

  address(port: Port): string {
    return this.inner.address(port);
  }

  enter(round: number, after: number): boolean {
    return this.inner.enter(round, after);
  }

  measure(name: string, value: number): void {
    if (!Object.hasOwn(this.protocol.measures, name)) {
      throw misuse(
        `it measures ${shown(name)}, which its measures do not declare: add ${name}: "sum" or "max" to them`,
      );
    }
    if (!Number.isFinite(value)) throw misuse(`it measures ${shown(name)} as ${shown(value)}, which is no number`);
    this.inner.measure(name, value);
  }

  series(name: string, round: number, value: number): void {
    if (!(Number.isInteger(round) && round >= 1))
      throw misuse(`it adds to series ${shown(name)} in round ${round}; rounds are 1, 2, ...`);
    this.inner.series(name, round, value);
  }

  private checkPort(port: Port): void {
    if (port === SELF) return;
    const { degree } = this;
    const open = this.protocol.assumes.topology === "open";
    const known = open ? this.inner.ports().includes(port) : Number.isInteger(port) && port >= 0 && port < degree;
    if (known) return;
    const there = open
      ? `has links ${this.inner.ports().join(", ") || "to nobody"}`
      : degree === 0
        ? "has no links"
        : `has ports 0 to ${degree - 1}`;
    throw misuse(`it uses port ${shown(port)}, but this node ${there}`);
  }

  private checkTimer(timer: string): void {
    if (typeof timer !== "string") throw misuse(`it arms a timer ${shown(timer)}, which must be a text`);
    if (this.protocol.expire === undefined) throw misuse(`it arms timer ${shown(timer)}, but has no expire handler`);
  }
}

/** Against the direction of messages, as in topology/ring.ts. */
const PREVIOUS = 1;

/** A message is immutable once sent, so it is frozen: whoever changes it afterwards is told so. */
function sealed<M>(message: M): M {
  if (message === undefined) throw misuse("it sends nothing: give a message, as in send(port, message)");
  freeze(message, 0);
  return message;
}

const DEEPEST = 32;

function freeze(value: unknown, depth: number): void {
  if (typeof value === "function" || typeof value === "symbol") throw notPlain(`a ${typeof value}`);
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  if (depth > DEEPEST) throw misuse(`it sends a message that is nested deeper than ${DEEPEST}, or in a circle`);
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw notPlain(`a ${prototype.constructor?.name || "class"}`);
  }
  for (const item of Object.values(value)) freeze(item, depth + 1);
  Object.freeze(value);
}

const notPlain = (what: string): Error =>
  misuse(
    `it sends ${what}: messages must be plain data (numbers, texts, booleans, null, bigints, lists and plain objects)`,
  );

const shown = (value: unknown): string => {
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
    return text.length > 120 ? `${text.slice(0, 117)}...` : text;
  } catch {
    return String(value);
  }
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
  const isOurs = (line: string) => line.includes("protocols/guarded.");
  const called = frames.findIndex((line) => isOurs(line) && /\bat run \(/.test(line));
  const end = frames.slice(0, called).findLastIndex((line) => !isOurs(line)) + 1;
  return frames.slice(frames.slice(0, end).findLastIndex(isOurs) + 1, end);
}
