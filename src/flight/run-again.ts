/**
 * Runs the machine of a flight record again, with the recorded inputs and answers, and compares what it
 * asks of its context with what was recorded, by the number of each step. The machine is the very one; only the world around it
 * comes from the record.
 */
import { canonicalText } from "../explorer/space/plain.ts";
import { type Address, type Context, type Id, type Port, SELF } from "../protocol.ts";
import { mixCall, mixTimer, recordedCheck } from "./check.ts";
import type { FlightHead, FlightSnapshot } from "./format.ts";
import type { Life, Segment } from "./read.ts";
import { CALL, isNumeric, isPort, type Links, type TapedStep } from "./steps.ts";
import type { AnyMachine } from "./tape.ts";

/** Where a run is another one than the recorded. */
export interface FlightDifference {
  /** Of the life, counted from 1. */
  readonly step: number;
  readonly at: number;
  /** What was recorded, and what the machine does now, in words. */
  readonly recorded: string;
  readonly now: string;
}

export interface MadeSending {
  readonly to: Port;
  readonly message: unknown;
}

/** One step, run again. */
interface RanAgain {
  /** Counted from 1, over the life. */
  readonly number: number;
  readonly step: TapedStep;
  /** The state after it; it changes with the next step. Null where the machine failed in its first one. */
  readonly state: unknown;
  /** What the machine sent in it, in order. */
  readonly sends: readonly MadeSending[];
  /** The address behind a port, before the step or after it. */
  address(port: Port): Address;
}

export interface RunAgain {
  /** How many steps were run. */
  readonly steps: number;
  /** The first step that is not one of this machine; null where all are. */
  readonly difference: FlightDifference | null;
  /** The words of the error that a handler has thrown when it was run again, and in which step; null where none has. */
  readonly threw: { readonly step: number; readonly why: string } | null;
  /** How many steps are missing between parts of the record. */
  readonly missing: number;
}

/** What was recorded, and what the machine does instead. */
type Deviation = Pick<FlightDifference, "recorded" | "now">;

/** How a life is run again. */
interface RerunOptions {
  /** Told of each step. */
  readonly ran?: (ran: RanAgain) => void;
  /**
   * Whether the machine is led on after a difference, with the inputs that were recorded and answers of its own: for a machine that
   * was fixed. What such a machine would have heard in answer to what it did otherwise is not known.
   */
  readonly goesOn?: boolean;
}

/** Runs one life again. */
export function runAgain(machine: AnyMachine, life: Life, options: RerunOptions = {}): RunAgain {
  const run = new Rerun(machine, options);
  return run.all(life);
}

class Rerun {
  private readonly machine: AnyMachine;
  private readonly options: RerunOptions;
  private state: unknown = null;
  private context!: AnsweringContext;
  private number = 0;
  private difference: FlightDifference | null = null;
  private threw: RunAgain["threw"] = null;
  private missing = 0;

  constructor(machine: AnyMachine, options: RerunOptions) {
    this.machine = machine;
    this.options = options;
  }

  all({ segments }: Life): RunAgain {
    const { goesOn = false } = this.options;
    let steps = 0;
    for (const [i, segment] of segments.entries()) {
      this.open(segment, i === 0);
      for (const step of segment.steps) {
        this.number++;
        steps++;
        this.run(step);
        const isOver = this.threw !== null || (this.difference !== null && !goesOn);
        if (isOver) return this.result(steps);
      }
    }
    return this.result(steps);
  }

  private result(steps: number): RunAgain {
    const { difference, threw, missing } = this;
    return { steps, difference, threw, missing };
  }

  /** A segment begins with the state of its moment: where nothing is missing before it, that is the state that was reached. */
  private open({ head, snapshot }: Segment, isFirst: boolean): void {
    const { address, before } = head;
    const isGap = !isFirst && before !== this.number;
    if (isGap) this.missing += Math.max(0, before - this.number);
    if (!isFirst && !isGap) {
      if (snapshot !== null && this.difference === null) this.compareState(snapshot, head);
      return;
    }
    this.number = before;
    this.state = snapshot?.state ?? null;
    this.context = new AnsweringContext(address, snapshot?.links ?? []);
  }

  private compareState(snapshot: FlightSnapshot, { now: at }: FlightHead): void {
    const field = differingField(snapshot.state, this.state);
    if (field === null) return;
    this.difference = {
      step: this.number,
      at,
      recorded: `the state after this step has another "${field}"`,
      now: "the state that the machine has reached",
    };
  }

  private run(step: TapedStep): void {
    const { context, machine, options } = this;
    if (step.do === "receive" && step.port !== SELF && machine.accepts?.(step.message) === false) {
      const recorded = `${shortText(step.message)} comes in`;
      this.difference ??= { step: this.number, at: step.at, recorded, now: "no host lets such a message in" };
      return;
    }
    context.begin(step);
    let threw: string | null = null;
    try {
      this.handle(machine, step);
    } catch (error) {
      threw = error instanceof Error ? error.message : String(error);
      this.threw = { step: this.number, why: threw };
    }
    const deviation = context.end() ?? otherError(step.threw, threw);
    if (deviation !== null) this.difference ??= { step: this.number, at: step.at, ...deviation };
    const address = (port: Port) => context.known(port);
    options.ran?.({ number: this.number, step, state: this.state, sends: context.sends, address });
  }

  private handle(machine: AnyMachine, step: TapedStep): void {
    const { context } = this;
    switch (step.do) {
      case "start":
        this.state = machine.init(step.params, step.self as never, step.saved, context);
        break;
      case "receive":
        machine.receive(this.state, context.own(step.port), step.message, context);
        break;
      case "timer":
        if (context.mayExpire(step.timer)) machine.expire?.(this.state, step.timer, context);
        break;
      case "leave":
        machine.leave?.(this.state, context);
        break;
    }
  }
}

function otherError(recorded: string | null, now: string | null): Deviation | null {
  if (recorded === now) return null;
  const text = (why: string | null) => (why === null ? "the handler does not fail" : `the handler fails: ${why}`);
  return { recorded: text(recorded), now: text(now) };
}

/** The first field of a state that differs, or "state"; null where they are the same. */
function differingField(recorded: unknown, reached: unknown): string | null {
  if (canonicalText(recorded) === canonicalText(reached)) return null;
  if (typeof recorded !== "object" || recorded === null || typeof reached !== "object" || reached === null)
    return "state";
  const [a, b] = [recorded, reached] as Readonly<Record<string, unknown>>[];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names.find((name) => canonicalText(a[name]) !== canonicalText(b[name])) ?? "state";
}

/** A call of the machine that is run again: its name and what it was given. */
type Made = readonly [name: keyof typeof CALL, ...given: unknown[]];

/** Labels of links that only the machine of today has made. */
const FIRST_OWN_PORT = 2 ** 40;

/** Answers as the record says, and compares what is asked with what was. */
class AnsweringContext implements Context<unknown, string> {
  private readonly self: Address;
  /** Links as the machine has them. */
  private readonly links: Map<Port, Address>;
  /** Every label that was recorded, ended links included. */
  private readonly recorded: Map<Port, Address>;
  private readonly timers = new Map<string, boolean>();
  private answers: readonly unknown[] = [];
  private next = 0;
  private recordedCheck = 0;
  /** Of the present step. */
  private made: Made[] = [];
  private check = 0;
  /** The first of all steps. From then on nothing is compared, and the machine is answered by draws of its own. */
  private deviation: Deviation | null = null;
  private fresh = FIRST_OWN_PORT;
  private draws = 1;

  constructor(self: Address, links: Links) {
    this.self = self;
    this.links = new Map(links);
    this.recorded = new Map(links);
  }

  begin({ arrived, answers, check }: TapedStep): void {
    for (const [port, address] of arrived) {
      this.recorded.set(port, address);
      if (!this.hasDiffered || this.portTo(address) === null) this.links.set(port, address);
    }
    this.answers = answers;
    this.next = 0;
    this.recordedCheck = check;
    this.made = [];
    this.check = 0;
  }

  /** The handler has returned. Null where it has done what was recorded, in all steps so far. */
  end(): Deviation | null {
    const isSame = this.next === this.answers.length && recordedCheck(this.check) === this.recordedCheck;
    if (!isSame) this.differ();
    return this.deviation;
  }

  get sends(): MadeSending[] {
    return this.made.flatMap(([name, to, message]) => (name === "send" ? [{ to: to as Port, message }] : []));
  }

  private get hasDiffered(): boolean {
    return this.deviation !== null;
  }

  /** The address behind a recorded port, also of one that was unlinked since. */
  known(port: Port): Address {
    return port === SELF ? this.self : (this.recorded.get(port) ?? this.links.get(port) ?? `port ${port}`);
  }

  /** The machine's label for the link that a recorded message came in on. */
  own(port: Port): Port {
    if (!this.hasDiffered || port === SELF || this.links.has(port)) return port;
    return this.link(this.known(port));
  }

  /** After a difference: whether the machine can be waiting for this timer. */
  mayExpire(timer: string): boolean {
    const may = !this.hasDiffered || this.timers.get(timer) !== false;
    this.timers.set(timer, false);
    return may;
  }

  get degree(): number {
    return this.links.size;
  }

  ports(): readonly Port[] {
    return [...this.links.keys()];
  }

  linked(port: Port): boolean {
    return port === SELF || this.links.has(port);
  }

  address(port: Port): Address {
    if (port === SELF) return this.self;
    const address = this.links.get(port);
    if (address === undefined) throw new Error(`there is no link at port ${port}`);
    return address;
  }

  send(port: Port, message: unknown): void {
    this.called(["send", port, message]);
  }

  multicast(message: unknown): void {
    this.called(["multicast", message]);
  }

  arm(timer: string, min: number, max = min): void {
    this.timers.set(timer, true);
    this.made.push(["arm", timer, min, max]);
    this.check = mixTimer(this.check, CALL.arm, timer, min, max);
  }

  deadline(timer: string, after: number): void {
    this.timers.set(timer, true);
    this.made.push(["deadline", timer, after]);
    this.check = mixTimer(this.check, CALL.deadline, timer, after, after);
  }

  disarm(timer: string): void {
    this.timers.set(timer, false);
    this.made.push(["disarm", timer]);
    this.check = mixTimer(this.check, CALL.disarm, timer, 0, 0);
  }

  choose(n: number): number {
    return this.ask(["choose", n], isNumeric) ?? this.draw(n);
  }

  coin(p: number): boolean {
    return this.ask(["coin", p], isFlag) ?? this.draw(2 ** 32) < p * 2 ** 32;
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const answer = this.ask(["sample", k, including !== undefined], arePorts);
    if (answer !== null) return [...answer];
    const urn = [...this.links.keys(), ...(including === undefined ? [] : [SELF])];
    return Array.from({ length: Math.min(k, urn.length) }, () => urn.splice(this.draw(urn.length), 1)[0]);
  }

  peer(port: Port): Id | null {
    return this.ask(["peer", port], isNumeric);
  }

  link(address: Address): Port {
    const answer = this.ask(["link", address], isPort);
    const port = answer ?? this.linkAnew(address);
    if (port !== SELF && !this.links.has(port)) this.links.set(port, address);
    if (answer !== null && port !== SELF) this.recorded.set(port, this.links.get(port)!);
    return port;
  }

  unlink(port: Port): void {
    this.links.delete(port);
    this.called(["unlink", port]);
  }

  enter(round: number, after: number): boolean {
    return this.ask(["enter", round, after], isFlag) ?? true;
  }

  measure(): void {}

  series(): void {}

  private linkAnew(address: Address): Port {
    return address === this.self ? SELF : (this.portTo(address) ?? this.fresh++);
  }

  private portTo(address: Address): Port | null {
    for (const [port, known] of this.links) if (known === address) return port;
    return null;
  }

  /** After a difference: any draws, the same ones each time (a linear congruential generator). */
  private draw(n: number): number {
    this.draws = (Math.imul(this.draws, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.draws / 2 ** 32) * n);
  }

  private called(made: Made): void {
    const [name, first, second, third] = made;
    this.made.push(made);
    this.check = mixCall(this.check, CALL[name], first, second, third);
  }

  /** The recorded answer; null after a difference, when nothing is compared any more, and where the answer is to another question. */
  private ask<T>(made: Made, is: (value: unknown) => value is T): T | null {
    this.called(made);
    if (this.hasDiffered) return null;
    const answer = this.answers[this.next++];
    if (is(answer)) return answer;
    // Nobody is behind that port.
    if (made[0] !== "peer" || answer !== null) this.differ();
    return null;
  }

  private differ(): void {
    const now = this.made.map((call) => this.madeText(call)).join(", ");
    this.deviation ??= { recorded: "other calls", now: now === "" ? "no call" : short(now) };
  }

  private madeText([name, ...given]: Made): string {
    if (name === "send") return `it sends ${shortText(given[1])} to ${this.known(given[0] as Port)}`;
    return `it calls ${name}(${given.map(shortText).join(", ")})`;
  }
}

const isFlag = (value: unknown): value is boolean => typeof value === "boolean";
const arePorts = (value: unknown): value is Port[] => Array.isArray(value) && value.every(isPort);

const LONGEST_TEXT = 160;

const shortText = (value: unknown): string => short(canonicalText(value));

const short = (text: string): string => (text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 3)}...` : text);
