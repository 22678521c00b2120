/**
 * Order and delivery for a protocol that assumes reliable links, on links that lose, duplicate and reorder: each message
 * is handed over once, in the order of sending, as long as both processes live and the neighbour answers now and then.
 * Numbers, cumulative acknowledgements (on other messages where there are any), a window, retransmission with a doubling
 * time-out. Go-back-N after R. Perlman's and A. S. Tanenbaum's textbooks; the explorer checks this very code.
 *
 * There is no clock in it: patience counts retransmissions that nobody answered, so a process that was stopped for minutes
 * does not take its own standstill for the silence of others. How a host sets it up: `timeout` and `longest` in the host's
 * unit of time (tau on a live host), above the usual round trip; `patience` as a count.
 *
 * What is promised ends where a life ends. To a neighbour that starts again, what it had not acknowledged is sent again if
 * the child saves its state (it may then get a message in both lives); otherwise it is void. What is given up is counted
 * in the measure `undeliverable`, what found no room in `overflow`.
 */
import { InputError } from "../errors.ts";
import { type Context, type Port, type Protocol, SELF } from "../protocol.ts";
import { bitLength } from "./bits.ts";
import { completeProtocol, type GivenProtocol } from "./check.ts";
import {
  challenge,
  headShape,
  headTo,
  type LinkHead,
  mistook,
  type Neighbour,
  recognise,
  stranger,
} from "./link/lives.ts";
import {
  acknowledgeUpTo,
  arrive,
  departing,
  newReceiving,
  newSending,
  type Receiving,
  type Sending,
  type SendingLimits,
  startAgain,
  timeOut,
  timeoutOf,
} from "./link/sending.ts";
import { hasShape, isCount } from "./shape.ts";
import { wrapper } from "./wrapper.ts";

interface Carrier extends LinkHead {
  /** All of that stream of the receiver's before `next` has come; null where nothing has. */
  readonly heard: { readonly stream: number; readonly next: number } | null;
}

interface Data<M> extends Carrier {
  readonly kind: "data";
  readonly stream: number;
  readonly number: number;
  /** Whether it has been sent before. */
  readonly again: boolean;
  readonly message: M;
}

interface Ack extends Carrier {
  /** challenge: "I know another life of yours: answer, if you are the later one". */
  readonly kind: "ack" | "challenge";
}

/** On the wire `Data` and `Ack`; through SELF the child's own messages and commands, as they are. */
type Linked<M> = Data<M> | Ack | M;

interface Link<M> {
  readonly neighbour: Neighbour;
  readonly sending: Sending<M>;
  readonly receiving: Receiving<M>;
  /** Something has come that no message since then acknowledges. */
  owed: boolean;
}

export interface ReliableState<S, M> {
  child: S;
  readonly life: number;
  /** By port; those over which nothing has gone yet are missing. */
  readonly links: Record<Port, Link<M>>;
}

/** Times are in the host's unit: rounds, virtual time, tau. */
export interface ReliableOptions {
  /** Until a message is sent again for the first time. Below the round trip, everything travels twice. */
  readonly timeout?: number;
  /** The time-out never grows beyond this. */
  readonly longest?: number;
  /** Time-outs in a row without an answer before everything that waits for a neighbour is given up. */
  readonly patience?: number;
  /** Messages on their way to a neighbour at one time; more wait. */
  readonly window?: number;
  /** Messages that wait, on either side; more are dropped. */
  readonly queue?: number;
}

const RESEND = "resend/";

type LinkContext<M> = Context<Linked<M>, string>;
type WithLinks<M> = Pick<ReliableState<unknown, M>, "life" | "links">;

/** What a node does on its links, under these limits. The links themselves are in the node's state. */
class Links<M> {
  private readonly limits: SendingLimits;
  /** Messages that wait on a link, at most. */
  private readonly most: number;
  /** Whether a process that starts again remembers what it has been told. */
  private readonly remembers: boolean;

  constructor(limits: SendingLimits, most: number, remembers: boolean) {
    this.limits = limits;
    this.most = most;
    this.remembers = remembers;
  }

  send(state: WithLinks<M>, port: Port, message: M, ctx: LinkContext<M>): void {
    const link = this.linkOf(state, port);
    const { queue } = link.sending;
    if (queue.length >= this.most) ctx.measure("overflow", 1);
    else {
      queue.push({ message, copies: 0 });
      if (queue.length === 1) this.watch(link, port, ctx);
      this.pump(state, port, ctx);
    }
  }

  /** What has come over a link; the messages of it that are due for the child, or null if the sender must first prove its life. */
  hear(state: WithLinks<M>, port: Port, carried: Data<M> | Ack, ctx: LinkContext<M>): readonly M[] | null {
    const link = this.linkOf(state, port);
    const { neighbour, sending, receiving } = link;
    const who = recognise(neighbour, carried, state.life);
    // Its sender knows another life of this node.
    const astray = carried.kind === "challenge" || (carried.to !== null && carried.to !== state.life);
    if (astray) mistook(neighbour, carried.life);
    if (who === "unproven") {
      ctx.send(port, { kind: "challenge", ...challenge(neighbour, state.life, carried), heard: null });
      return null;
    }
    const { stream, next } = (!astray && carried.heard) || { stream: -1, next: 0 };
    const confirmed = acknowledgeUpTo(sending, stream, next, this.limits.window);
    if (who === "reborn") {
      Object.assign(receiving, newReceiving());
      // One that has heard the beginning of this stream is no former life's heir: it gets the rest.
      giveUp(startAgain(sending, this.remembers || stream === sending.stream), ctx);
    }
    if (confirmed || who === "reborn") this.watch(link, port, ctx);
    if (astray) link.owed = true;
    if (astray || carried.kind !== "data") return [];
    if (carried.to === null && neighbour.mistaken.includes(carried.life)) return [];
    link.owed = true;
    const due = arrive(receiving, carried, this.most);
    if (due !== "overflow") return due;
    ctx.measure("overflow", 1);
    return [];
  }

  /** Sends what may leave now, and an acknowledgement if one is owed. */
  pump(state: WithLinks<M>, port: Port, ctx: LinkContext<M>): void {
    const link = this.linkOf(state, port);
    for (const each of departing(link.sending)) {
      if (each.again) ctx.measure("retransmissions", 1);
      ctx.send(port, { kind: "data", ...carrier(state.life, link), stream: link.sending.stream, ...each });
    }
    if (link.owed) ctx.send(port, { kind: "ack", ...carrier(state.life, link) });
  }

  timedOut(state: WithLinks<M>, port: Port, ctx: LinkContext<M>): void {
    const link = this.linkOf(state, port);
    giveUp(timeOut(link.sending, this.limits), ctx);
    ctx.measure("attempts", link.sending.silent);
    this.pump(state, port, ctx);
    this.watch(link, port, ctx);
  }

  end({ links }: WithLinks<M>, port: Port, ctx: LinkContext<M>): void {
    if (!(port in links)) return;
    giveUp(links[port].sending.queue.length, ctx);
    ctx.disarm(RESEND + port);
    delete links[port];
  }

  private watch({ sending }: Link<M>, port: Port, ctx: LinkContext<M>): void {
    if (sending.queue.length > 0) ctx.arm(RESEND + port, timeoutOf(sending, this.limits));
    else ctx.disarm(RESEND + port);
  }

  private linkOf({ links }: WithLinks<M>, port: Port): Link<M> {
    links[port] ??= { neighbour: stranger(), sending: newSending(this.limits), receiving: newReceiving(), owed: false };
    return links[port];
  }
}

/** The head of a message, which acknowledges what has come. */
function carrier<M>(life: number, link: Link<M>): Carrier {
  const { stream, expected } = link.receiving;
  link.owed = false;
  return { ...headTo(link.neighbour, life), heard: stream < 0 ? null : { stream, next: expected } };
}

function giveUp<M>(lost: number, ctx: LinkContext<M>): void {
  if (lost > 0) ctx.measure("undeliverable", lost);
}

/** Order and delivery for a protocol that assumes reliable links, on links that are not. */
export function reliable<P, S, M, T extends string, Saved, Report>(
  given: GivenProtocol<P, S, M, T, Saved, Report>,
  { timeout = 2, longest = 16 * timeout, patience = 100, window = 64, queue = 4096 }: ReliableOptions = {},
): Protocol<P, ReliableState<S, M>, Linked<M>, string, Saved, Report> {
  const child = completeProtocol(given);
  type State = ReliableState<S, M>;
  const links = new Links<M>({ timeout, longest, patience, window }, queue, child.saved !== undefined);
  const { congest: _, ...assumes } = child.assumes;
  if (assumes.timing === "synchronous" && child.timing === undefined) {
    throw new InputError(
      `${child.name} counts rounds, and what is sent again misses its round: wrap synchronise() of it`,
    );
  }
  const inner = (state: State, ctx: LinkContext<M>) => ({
    send: (port: Port, message: M) => (port === SELF ? ctx.send(SELF, message) : links.send(state, port, message, ctx)),
    unlinked: (port: Port) => links.end(state, port, ctx),
  });
  return wrapper(child, inner, (inside) => ({
    assumes: {
      ...assumes,
      ...(assumes.direction && { direction: "bidirectional" }),
      fifo: false,
      multicast: false,
      tolerates: [...new Set([...assumes.tolerates, "loss" as const])],
    },
    measures: { ...child.measures, retransmissions: "sum", attempts: "max", undeliverable: "sum", overflow: "sum" },

    init(params, self, saved, ctx) {
      const state: State = { child: null as S, life: self.life, links: {} };
      state.child = child.init(params, self, saved, inside(state, ctx));
      return state;
    },

    receive(state, port, message, ctx) {
      if (port === SELF) return child.receive(state.child, SELF, message as M, inside(state, ctx));
      const due = links.hear(state, port, message as Data<M> | Ack, ctx);
      if (due === null) return;
      for (const each of due) child.receive(state.child, port, each, inside(state, ctx));
      // The child may have ended the link.
      if (port in state.links) links.pump(state, port, ctx);
    },

    expire: (state, timer, ctx) => links.timedOut(state, Number(timer.slice(RESEND.length)), ctx),
    accepts: (message) =>
      isLinked<M>(message) && (message.kind !== "data" || (child.accepts?.(message.message) ?? true)),
    counts: (message) =>
      isLinked<M>(message)
        ? message.kind === "data" && !message.again && (child.counts?.(message.message) ?? true)
        : (child.counts?.(message) ?? true),
    bits: (message) => (isLinked<M>(message) ? linkedBits(message, child) : child.bits(message)),
  }));
}

function linkedBits<M>(message: Data<M> | Ack, child: { bits(message: M): number }): number {
  const { life, epoch, to, echo, heard } = message;
  const numbers = [life, epoch, to ?? 0, echo, heard?.stream ?? 0, heard?.next ?? 0];
  const carried = message.kind === "data" ? child.bits(message.message) : 0;
  if (message.kind === "data") numbers.push(message.stream, message.number);
  return numbers.reduce((sum, number) => sum + bitLength(number), 2) + carried;
}

/** Whether nothing waits for an acknowledgement. */
export const isIdle = ({ links }: ReliableState<unknown, unknown>): boolean =>
  Object.values(links).every(({ sending }) => sending.queue.length === 0);

const carrierShape = {
  ...headShape,
  heard: (heard: unknown) => heard === null || hasShape(heard, { stream: isCount, next: isCount }),
};
const dataShape = {
  ...carrierShape,
  stream: isCount,
  number: isCount,
  again: (value: unknown) => typeof value === "boolean",
  message: () => true,
};

function isLinked<M>(message: unknown): message is Data<M> | Ack {
  const kind = (message as { kind?: unknown } | null)?.kind;
  return (
    (kind === "data" && hasShape(message, dataShape)) ||
    ((kind === "ack" || kind === "challenge") && hasShape(message, carrierShape))
  );
}
