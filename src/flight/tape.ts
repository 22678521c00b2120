/**
 * Writes down what a machine takes from outside: inputs and answers. It stands between a host and the machine, at the contract
 * (src/protocol.ts): same state, input and answers give the same effects, so that nothing else is needed to run it again. Of effects one
 * number is written for each step, which tells a machine that does something else.
 */
import type { Address, Context, Id, Machine, Port, SELF } from "../protocol.ts";
import { mixCall, mixTimer } from "./check.ts";
import { mayWait, ROUTINE_TIMERS } from "./shown.ts";
import { CALL, INPUT, type Links, type StepWriter } from "./steps.ts";

// biome-ignore lint/suspicious/noExplicitAny: the existential type "some P, S, M, T" has no other spelling in TypeScript
export type AnyMachine = Machine<any, any, any, any, any, any>;

/** Where steps are written, and who is told of each, after its handler and before anything that it sent has left. */
export interface TapeReader {
  /** Null where nothing is recorded any more. */
  readonly writer: StepWriter | null;
  /** The clock of `TapedStep.at`. */
  now(): number;
  /** Its first step is about to be written. */
  start(life: number, at: number): void;
  /** A step was written; `tells`: something has happened, and it must not wait. Whether the reader wants the state now. Must not throw. */
  step(at: number, tells: boolean, threw: boolean): boolean;
  /** The machine's own state, and the links that there are. Must not throw. */
  snapshot(state: unknown, links: Links): void;
  /** Something cannot be written: nothing is recorded any more. */
  stop(error: unknown): void;
}

type AnyContext = Context<unknown, string>;

const NO_LINKS: Links = [];

/** The same machine, every step of which is written. */
export function taped<M extends AnyMachine>(machine: M, reader: TapeReader): M {
  const tape = new TapedContext(machine.assumes.topology === "open", reader);
  return {
    ...machine,
    init(params, self, saved, ctx) {
      if (!tape.begin(INPUT.start, ctx, params, self, saved)) return machine.init(params, self, saved, ctx);
      return tape.run(null, () => machine.init(params, self, saved, tape));
    },
    receive(state, port, message, ctx) {
      if (!tape.begin(INPUT.receive, ctx, port, message)) return machine.receive(state, port, message, ctx);
      tape.run(state, () => machine.receive(state, port, message, tape));
    },
    expire(state, timer, ctx) {
      if (!tape.begin(INPUT.timer, ctx, timer)) return machine.expire!(state, timer, ctx);
      tape.run(state, () => machine.expire!(state, timer, tape));
    },
    ...(machine.leave !== undefined && {
      leave(state: unknown, ctx: AnyContext) {
        if (!tape.begin(INPUT.leave, ctx)) return machine.leave!(state, ctx);
        tape.run(state, () => machine.leave!(state, tape));
      },
    }),
  };
}

/**
 * Passes everything on, and writes it down. One for all handlers, which run one at a time. A step calls few functions: a member sleeps
 * between its steps, and finds none of them in the processor's cache.
 */
class TapedContext implements AnyContext {
  private readonly isOpen: boolean;
  private readonly reader: TapeReader;
  private inner!: AnyContext;
  private writer!: StepWriter;
  /** Of the present step. */
  private at = 0;
  private tells = false;
  private check = 0;
  /** Ports that were told. */
  private known = new Set<Port>();

  constructor(isOpen: boolean, reader: TapeReader) {
    this.isOpen = isOpen;
    this.reader = reader;
  }

  /** Writes the beginning of a step, with its input. False where nothing is recorded any more. */
  begin(input: number, inner: AnyContext, first?: unknown, second?: unknown, third?: unknown): boolean {
    const { reader } = this;
    const { writer } = reader;
    if (writer === null) return false;
    const at = reader.now();
    this.at = at;
    this.inner = inner;
    this.writer = writer;
    this.check = 0;
    try {
      if (input === INPUT.start) reader.start((second as { life: number }).life, at);
      const arrived = this.isOpen && inner.degree !== this.known.size ? this.arrived(inner) : NO_LINKS;
      if (input === INPUT.timer) {
        this.tells = !ROUTINE_TIMERS.includes(first as string);
        writer.timer(first as string, at, arrived);
      } else {
        this.tells = input !== INPUT.receive || !mayWait(second);
        writer.begin(input, at, arrived);
        if (input === INPUT.receive) {
          writer.value(first);
          writer.value(second);
        } else if (input === INPUT.start) for (const value of [first, second, third]) writer.packed(value);
      }
    } catch (error) {
      reader.stop(error);
    }
    return reader.writer !== null;
  }

  /** Runs the handler and writes the end of the step. The state of a handler that makes one is what it returns. */
  run<T>(state: unknown, handler: () => T): T {
    const { at, inner, reader, writer } = this;
    let made: T;
    try {
      made = handler();
    } catch (error) {
      writer.end(this.check, error instanceof Error ? error.message : String(error));
      reader.step(at, true, true);
      throw error;
    }
    writer.end(this.check, null);
    if (reader.step(at, this.tells, false)) reader.snapshot(state ?? made, this.links(inner));
    return made;
  }

  private arrived(inner: AnyContext): Links {
    const arrived = inner.ports().filter((port) => !this.known.has(port));
    for (const port of arrived) this.known.add(port);
    return arrived.map((port) => [port, inner.address(port)] as const);
  }

  private links(inner: AnyContext): Links {
    return this.isOpen ? inner.ports().map((port) => [port, inner.address(port)] as const) : NO_LINKS;
  }

  private called(kind: number, first: unknown, second?: unknown, third?: unknown): void {
    this.check = mixCall(this.check, kind, first, second, third);
  }

  private answered<T>(kind: number, answer: T, first: unknown, second?: unknown): T {
    this.called(kind, first, second);
    this.writer.value(answer);
    return answer;
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
    this.tells ||= !mayWait(message);
    this.called(CALL.send, port, message);
    this.inner.send(port, message);
  }

  multicast(message: unknown): void {
    this.called(CALL.multicast, message);
    this.inner.multicast(message);
  }

  arm(timer: string, min: number, max = min): void {
    this.check = mixTimer(this.check, CALL.arm, timer, min, max);
    this.inner.arm(timer, min, max);
  }

  deadline(timer: string, after: number): void {
    this.check = mixTimer(this.check, CALL.deadline, timer, after, after);
    this.inner.deadline(timer, after);
  }

  disarm(timer: string): void {
    this.check = mixTimer(this.check, CALL.disarm, timer, 0, 0);
    this.inner.disarm(timer);
  }

  choose(n: number, order?: string): number {
    return this.answered(CALL.choose, this.inner.choose(n, order), n);
  }

  coin(p: number): boolean {
    return this.answered(CALL.coin, this.inner.coin(p), p);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    return this.answered(CALL.sample, this.inner.sample(k, including), k, including !== undefined);
  }

  peer(port: Port): Id | null {
    return this.answered(CALL.peer, this.inner.peer(port), port);
  }

  link(address: Address): Port {
    const answer = this.answered(CALL.link, this.inner.link(address), address);
    if (answer >= 0) this.known.add(answer);
    return answer;
  }

  unlink(port: Port): void {
    this.called(CALL.unlink, port);
    this.known.delete(port);
    this.inner.unlink(port);
  }

  enter(round: number, after: number): boolean {
    return this.answered(CALL.enter, this.inner.enter(round, after), round, after);
  }

  measure(name: string, value: number): void {
    this.inner.measure(name, value);
  }

  series(name: string, round: number, value: number): void {
    this.inner.series(name, round, value);
  }
}
