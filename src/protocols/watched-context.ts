/** The context of a user's handler: what a host cannot do for it is refused in words, and what it sends is frozen. */
import { ProtocolError } from "../errors.ts";
import type { AnyProtocol, Context, Port, SELF } from "../protocol.ts";

/** A host's context may say where it is: "node 3 at time 2". */
interface Somewhere {
  readonly where?: string;
  /** The world is virtual: handlers are looked at more closely, all of them where they are explored. */
  readonly virtual?: "simulated" | "explored";
  /** What calls of one run share, where each has a context of its own. */
  readonly run?: object;
}

export type AnyContext = Context<unknown, string> & Somewhere;

/** What a context was asked that it cannot do. */
const misuse = (what: string): Error => new Error(what);

// Errors of what runs at each message are made apart: V8 inlines short functions only.

const outlived = ({ name }: AnyProtocol): Error =>
  new ProtocolError(
    `protocol ${name} uses the context of a handler that has returned: it serves for one call alone`,
    "",
  );

const backwards = (): Error =>
  misuse(`it sends through port ${PREVIOUS} to its predecessor, but assumes a ring with direction "unidirectional"`);

const nothing = (): Error => misuse("it sends nothing: give a message, as in send(port, message)");

function unlinked(port: Port, ctx: AnyContext, { assumes }: AnyProtocol): Error {
  const { degree } = ctx;
  const there =
    assumes.topology === "open"
      ? `has links ${ctx.ports().join(", ") || "to nobody"}`
      : degree === 0
        ? "has no links"
        : `has ports 0 to ${degree - 1}`;
  return misuse(`it uses port ${shown(port)}, but this node ${there}`);
}

export class WatchedContext implements AnyContext {
  private readonly protocol: AnyProtocol;
  private readonly given: AnyContext;
  private readonly seals: boolean;
  private readonly frozen: unknown;
  private closed = false;

  /** `seals`: messages are checked and frozen. `frozen`: a message that is frozen already, as it is when it is only passed on. */
  constructor(protocol: AnyProtocol, given: AnyContext, seals: boolean, frozen: unknown) {
    this.protocol = protocol;
    this.given = given;
    this.seals = seals;
    this.frozen = frozen;
  }

  /** The handler has returned. */
  close(): void {
    this.closed = true;
  }

  private get inner(): AnyContext {
    if (this.closed) throw outlived(this.protocol);
    return this.given;
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

  linked(port: Port): boolean {
    return this.inner.linked(port);
  }

  send(port: Port, message: unknown): void {
    this.checkPort(port);
    if (port === PREVIOUS && this.protocol.assumes.direction === "unidirectional") throw backwards();
    this.given.send(port, this.sealed(message));
  }

  multicast(message: unknown): void {
    this.inner.multicast(this.sealed(message));
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

  choose(n: number, order?: string): number {
    if (Number.isInteger(n) && n >= 1 && n <= 2 ** 53) return this.inner.choose(n, order);
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

  /** A message is immutable once sent, so it is frozen: a handler that changes it afterwards is told so. */
  private sealed(message: unknown): unknown {
    if (message === undefined) throw nothing();
    if (this.seals && message !== this.frozen) freezeMessage(message, 0);
    return message;
  }

  private checkPort(port: Port): void {
    const { inner } = this;
    if (!inner.linked(port)) throw unlinked(port, inner, this.protocol);
  }

  private checkTimer(timer: string): void {
    if (typeof timer !== "string") throw misuse(`it arms a timer ${shown(timer)}, which must be a text`);
    if (this.protocol.expire === undefined) throw misuse(`it arms timer ${shown(timer)}, but has no expire handler`);
  }
}

/** Against the direction of messages, as in topology/ring.ts. */
const PREVIOUS = 1;

const DEEPEST = 32;

/** Freezes plain data to its depth; anything else throws. */
export function freezeMessage(value: unknown, depth: number): void {
  if (typeof value === "function" || typeof value === "symbol") throw notPlain(`a ${typeof value}`);
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  if (depth > DEEPEST) throw misuse(`it sends a message that is nested deeper than ${DEEPEST}, or in a circle`);
  const prototype = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) {
    throw notPlain(`a ${prototype.constructor?.name || "class"}`);
  }
  for (const item of Object.values(value)) freezeMessage(item, depth + 1);
  Object.freeze(value);
}

const notPlain = (what: string): Error =>
  misuse(
    `it sends ${what}: messages must be plain data (numbers, texts, booleans, null, bigints, lists and plain objects)`,
  );

/** A value in an error's words. */
export const shown = (value: unknown): string => {
  try {
    const text = JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}n` : part)) ?? String(value);
    return text.length > 120 ? `${text.slice(0, 117)}...` : text;
  } catch {
    return String(value);
  }
};
