/**
 * Writes down what a machine takes from outside: inputs and answers. It stands between a host and the machine, at the contract
 * (src/protocol.ts): same state, input and answers give the same effects, so that nothing else is needed to run it again. Of effects one
 * number is written for each step, which tells a machine that does something else.
 */
import type { Address, Context, Id, Machine, Port, SELF } from "../protocol.ts";
import { mixCall } from "./check.ts";
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
  /** A step was written. Must not throw. */
  step(step: WrittenStep): void;
  /** Something cannot be written: nothing is recorded any more. */
  stop(error: unknown): void;
}

/** What a reader is told of a step. */
export interface WrittenStep {
  readonly at: number;
  /** Something has happened: it must not wait. */
  readonly tells: boolean;
  readonly threw: string | null;
  /** The machine's own, after the step. */
  readonly state: unknown;
  /** Those that there are then. */
  links(): Links;
}

type AnyContext = Context<unknown, string>;

const NO_LINKS: Links = [];

/** The same machine, every step of which is written. */
export function taped<M extends AnyMachine>(machine: M, reader: TapeReader): M {
  const tape = new TapedContext(machine.assumes.topology === "open", reader);
  return {
    ...machine,
    init(params, self, saved, ctx) {
      const write = (writer: StepWriter) => {
        writer.packed(params);
        writer.packed(self);
        writer.packed(saved);
      };
      if (!tape.begin(INPUT.start, ctx, write, () => reader.start((self as { life: number }).life, tape.at))) {
        return machine.init(params, self, saved, ctx);
      }
      tape.tells = true;
      return tape.run(null, () => machine.init(params, self, saved, tape));
    },
    receive(state, port, message, ctx) {
      const write = (writer: StepWriter) => {
        writer.value(port);
        writer.value(message);
      };
      if (!tape.begin(INPUT.receive, ctx, write)) return machine.receive(state, port, message, ctx);
      tape.tells = !mayWait(message);
      tape.run(state, () => machine.receive(state, port, message, tape));
    },
    expire(state, timer, ctx) {
      if (!tape.begin(INPUT.timer, ctx, (writer) => writer.timer(timer))) return machine.expire!(state, timer, ctx);
      tape.tells = !ROUTINE_TIMERS.includes(timer);
      tape.run(state, () => machine.expire!(state, timer, tape));
    },
    ...(machine.leave !== undefined && {
      leave(state: unknown, ctx: AnyContext) {
        if (!tape.begin(INPUT.leave, ctx)) return machine.leave!(state, ctx);
        tape.tells = true;
        tape.run(state, () => machine.leave!(state, tape));
      },
    }),
  };
}

/** Passes everything on, and writes it down. One for all handlers, which run one at a time. */
class TapedContext implements AnyContext {
  /** Of the present step. */
  at = 0;
  tells = false;
  private readonly isOpen: boolean;
  private readonly reader: TapeReader;
  private inner!: AnyContext;
  private writer!: StepWriter;
  private check = 0;
  /** Ports that were told. */
  private known = new Set<Port>();

  constructor(isOpen: boolean, reader: TapeReader) {
    this.isOpen = isOpen;
    this.reader = reader;
  }

  /** False where nothing is recorded any more. */
  begin(input: number, inner: AnyContext, write?: (writer: StepWriter) => void, before?: () => void): boolean {
    const { reader } = this;
    const { writer } = reader;
    if (writer === null) return false;
    this.at = reader.now();
    this.inner = inner;
    this.writer = writer;
    this.check = 0;
    try {
      before?.();
      writer.begin(input, this.at, this.arrived(inner));
      write?.(writer);
    } catch (error) {
      reader.stop(error);
    }
    return reader.writer !== null;
  }

  /** Runs the handler and writes the end of the step. The state of a handler that makes one is what it returns. */
  run<T>(state: unknown, handler: () => T): T {
    let threw: string | null = null;
    let made: T | undefined;
    try {
      made = handler();
      return made;
    } catch (error) {
      threw = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      const { at, tells, inner, reader } = this;
      this.writer.end(this.check, threw);
      reader.step({ at, tells, threw, state: state ?? made, links: () => this.links(inner) });
    }
  }

  private arrived(inner: AnyContext): Links {
    if (!this.isOpen || inner.degree === this.known.size) return NO_LINKS;
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
    this.called(CALL.arm, timer, min, max);
    this.inner.arm(timer, min, max);
  }

  deadline(timer: string, after: number): void {
    this.called(CALL.deadline, timer, after);
    this.inner.deadline(timer, after);
  }

  disarm(timer: string): void {
    this.called(CALL.disarm, timer);
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
