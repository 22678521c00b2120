/**
 * Writes down what a machine takes from outside and what it does, call by call. It stands between a host and the machine, at the
 * contract (src/protocol.ts): same state, input and answers give the same effects, so that nothing else is needed to run it again.
 */
import type { Address, Context, Id, Machine, Port, SELF } from "../protocol.ts";

// biome-ignore lint/suspicious/noExplicitAny: the existential type "some P, S, M, T" has no other spelling in TypeScript
export type AnyMachine = Machine<any, any, any, any, any, any>;

/** What a handler asked of its context, in order: the kind, what it said, and the answer where there is one. */
export type Call =
  | readonly ["send", port: Port, message: unknown]
  /** The same message as that of the sending before, to somebody else. */
  | readonly ["again", port: Port]
  | readonly ["multicast", message: unknown]
  | readonly ["arm", timer: string, min: number, max: number]
  | readonly ["deadline", timer: string, after: number]
  | readonly ["disarm", timer: string]
  | readonly ["choose", n: number, answer: number]
  | readonly ["coin", p: number, answer: boolean]
  | readonly ["sample", k: number, withSelf: boolean, answer: readonly Port[]]
  | readonly ["link", address: Address, answer: Port]
  | readonly ["unlink", port: Port]
  | readonly ["peer", port: Port, answer: Id | null]
  | readonly ["enter", round: number, after: number, answer: boolean];

/** What called the machine. */
export type TapedInput =
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
  readonly calls: readonly Call[];
  /** The handler has thrown an error with these words: the member has stopped. */
  readonly threw: string | null;
};

/** Who is told of each step, after its handler and before anything that it sent has left. */
export interface TapeReader {
  /** `state` is the machine's own after the step; `links` are those that there are then. Must not throw. */
  step(step: TapedStep, state: unknown, links: () => Links): void;
  /** The clock of `TapedStep.at`. */
  now(): number;
}

type AnyContext = Context<unknown, string>;

/** The same machine, every step of which is told. */
export function taped<M extends AnyMachine>(machine: M, reader: TapeReader): M {
  const context = new TapedContext(machine.assumes.topology === "open");
  const told = <T>(input: TapedInput, ctx: AnyContext, state: unknown, handler: (ctx: AnyContext) => T): T => {
    const at = reader.now();
    const arrived = context.open(ctx);
    let threw: string | null = null;
    let made: T | undefined;
    try {
      made = handler(context);
      return made;
    } catch (error) {
      threw = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      const calls = context.close();
      const step = { ...input, at, arrived, calls, threw };
      reader.step(step, input.do === "start" ? made : state, () => context.links(ctx));
    }
  };
  return {
    ...machine,
    init: (params, self, saved, ctx) =>
      told({ do: "start", params, self, saved }, ctx, null, (own) => machine.init(params, self, saved, own)),
    receive: (state, port, message, ctx) =>
      told({ do: "receive", port, message }, ctx, state, (own) => machine.receive(state, port, message, own)),
    expire: (state, timer, ctx) =>
      told({ do: "timer", timer }, ctx, state, (own) => machine.expire!(state, timer, own)),
    ...(machine.leave !== undefined && {
      leave: (state: unknown, ctx: AnyContext) =>
        told({ do: "leave" }, ctx, state, (own) => machine.leave!(state, own)),
    }),
  };
}

/** Passes everything on, and remembers it. One for all handlers, which run one at a time. */
class TapedContext implements AnyContext {
  private readonly isOpen: boolean;
  private inner!: AnyContext;
  private calls: Call[] = [];
  private last: unknown;
  private hasSent = false;
  /** Ports that were told. */
  private known = new Set<Port>();

  constructor(isOpen: boolean) {
    this.isOpen = isOpen;
  }

  open(inner: AnyContext): Links {
    this.inner = inner;
    this.hasSent = false;
    this.calls = [];
    if (!this.isOpen || inner.degree === this.known.size) return [];
    const arrived = inner.ports().filter((port) => !this.known.has(port));
    for (const port of arrived) this.known.add(port);
    return arrived.map((port) => [port, inner.address(port)] as const);
  }

  close(): readonly Call[] {
    this.last = null;
    return this.calls;
  }

  links(inner: AnyContext): Links {
    return this.isOpen ? inner.ports().map((port) => [port, inner.address(port)] as const) : [];
  }

  get where(): string | undefined {
    return (this.inner as { readonly where?: string }).where;
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

  address(port: Port): Address {
    return this.inner.address(port);
  }

  send(port: Port, message: unknown): void {
    this.calls.push(this.hasSent && message === this.last ? ["again", port] : ["send", port, message]);
    this.hasSent = true;
    this.last = message;
    this.inner.send(port, message);
  }

  multicast(message: unknown): void {
    this.calls.push(["multicast", message]);
    this.inner.multicast(message);
  }

  arm(timer: string, min: number, max = min): void {
    this.calls.push(["arm", timer, min, max]);
    this.inner.arm(timer, min, max);
  }

  deadline(timer: string, after: number): void {
    this.calls.push(["deadline", timer, after]);
    this.inner.deadline(timer, after);
  }

  disarm(timer: string): void {
    this.calls.push(["disarm", timer]);
    this.inner.disarm(timer);
  }

  choose(n: number, order?: string): number {
    const answer = this.inner.choose(n, order);
    this.calls.push(["choose", n, answer]);
    return answer;
  }

  coin(p: number): boolean {
    const answer = this.inner.coin(p);
    this.calls.push(["coin", p, answer]);
    return answer;
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const answer = this.inner.sample(k, including);
    this.calls.push(["sample", k, including !== undefined, answer]);
    return answer;
  }

  peer(port: Port): Id | null {
    const answer = this.inner.peer(port);
    this.calls.push(["peer", port, answer]);
    return answer;
  }

  link(address: Address): Port {
    const answer = this.inner.link(address);
    this.calls.push(["link", address, answer]);
    if (answer >= 0) this.known.add(answer);
    return answer;
  }

  unlink(port: Port): void {
    this.calls.push(["unlink", port]);
    this.known.delete(port);
    this.inner.unlink(port);
  }

  enter(round: number, after: number): boolean {
    const answer = this.inner.enter(round, after);
    this.calls.push(["enter", round, after, answer]);
    return answer;
  }

  measure(name: string, value: number): void {
    this.inner.measure(name, value);
  }

  series(name: string, round: number, value: number): void {
    this.inner.series(name, round, value);
  }
}
