/**
 * Runs the machine of a flight record again, with the recorded inputs and answers, and compares every call that it makes with the
 * recorded one. The machine is the very one; only the world around it comes from the record.
 */
import { canonicalText } from "../explorer/space/plain.ts";
import { type Address, type Context, type Id, type Port, SELF } from "../protocol.ts";
import type { FlightHead, FlightSnapshot } from "./format.ts";
import type { Life, Segment } from "./read.ts";
import type { AnyMachine, Call, Links, TapedStep } from "./tape.ts";

/** Where a run is another one than the recorded. */
export interface FlightDifference {
  /** Of the life, counted from 1. */
  readonly step: number;
  readonly at: number;
  /** What was recorded, and what the machine does now, in words. */
  readonly recorded: string;
  readonly now: string;
}

/** One step, run again. */
export interface RanAgain {
  /** Counted from 1, over the life. */
  readonly number: number;
  readonly step: TapedStep;
  /** The state after it; it changes with the next step. Null where the machine failed in its first one. */
  readonly state: unknown;
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
export interface RerunOptions {
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
    options.ran?.({ number: this.number, step, state: this.state, address: (port) => context.known(port) });
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

/** In place of a call that is not made. */
const NOTHING = ["none"] as unknown as Call;

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
  private calls: readonly Call[] = [];
  private next = 0;
  private lastSent: unknown = null;
  /** The first of all steps. From then on nothing is compared, and the machine is answered by draws of its own. */
  private deviation: Deviation | null = null;
  private fresh = FIRST_OWN_PORT;
  private draws = 1;

  constructor(self: Address, links: Links) {
    this.self = self;
    this.links = new Map(links);
    this.recorded = new Map(links);
  }

  begin({ arrived, calls }: TapedStep): void {
    for (const [port, address] of arrived) {
      this.recorded.set(port, address);
      if (!this.hasDiffered || this.portTo(address) === null) this.links.set(port, address);
    }
    this.calls = calls;
    this.next = 0;
  }

  /** The handler has returned: it must have made every call. Null where it has done what was recorded, in all steps so far. */
  end(): Deviation | null {
    const rest = this.calls[this.next];
    if (rest !== undefined && !this.hasDiffered) this.differ(rest, NOTHING);
    return this.deviation;
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
    const call = this.take();
    if (call === null) return;
    if (call[0] === "send") this.lastSent = call[2];
    const isSend = (call[0] === "send" || call[0] === "again") && call[1] === port;
    if (!isSend || canonicalText(this.lastSent) !== canonicalText(message)) this.differ(call, ["send", port, message]);
  }

  multicast(message: unknown): void {
    this.expect(["multicast", message]);
  }

  arm(timer: string, min: number, max = min): void {
    this.timers.set(timer, true);
    this.expect(["arm", timer, min, max]);
  }

  deadline(timer: string, after: number): void {
    this.timers.set(timer, true);
    this.expect(["deadline", timer, after]);
  }

  disarm(timer: string): void {
    this.timers.set(timer, false);
    this.expect(["disarm", timer]);
  }

  choose(n: number): number {
    const call = this.ask("choose", [n]);
    return call === null ? this.draw(n) : (call[2] as number);
  }

  coin(p: number): boolean {
    const call = this.ask("coin", [p]);
    return call === null ? this.draw(2 ** 32) < p * 2 ** 32 : (call[2] as boolean);
  }

  sample(k: number, including?: typeof SELF): Port[] {
    const call = this.ask("sample", [k, including !== undefined]);
    if (call !== null) return [...(call[3] as readonly Port[])];
    const urn = [...this.links.keys(), ...(including === undefined ? [] : [SELF])];
    return Array.from({ length: Math.min(k, urn.length) }, () => urn.splice(this.draw(urn.length), 1)[0]);
  }

  peer(port: Port): Id | null {
    const call = this.ask("peer", [port]);
    return call === null ? null : (call[2] as Id | null);
  }

  link(address: Address): Port {
    const call = this.ask("link", [address]);
    const port = call === null ? this.linkAnew(address) : (call[2] as Port);
    if (port !== SELF && !this.links.has(port)) this.links.set(port, address);
    if (call !== null && port !== SELF) this.recorded.set(port, this.links.get(port)!);
    return port;
  }

  unlink(port: Port): void {
    this.links.delete(port);
    this.expect(["unlink", port]);
  }

  enter(round: number, after: number): boolean {
    const call = this.ask("enter", [round, after]);
    return call === null ? true : (call[3] as boolean);
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

  /** The next recorded call; null after a difference, when nothing is compared any more. */
  private take(): Call | null {
    if (this.hasDiffered) return null;
    const call = this.calls[this.next++];
    return call ?? NOTHING;
  }

  private expect(call: Call): void {
    const recorded = this.take();
    if (recorded !== null && canonicalText(recorded) !== canonicalText(call)) this.differ(recorded, call);
  }

  /** A question: its recorded answer stands last. Null where the machine has to be answered otherwise. */
  private ask(name: Call[0], asked: readonly unknown[]): Call | null {
    const recorded = this.take();
    if (recorded === null) return null;
    const question = [name, ...asked];
    if (canonicalText(recorded.slice(0, -1)) === canonicalText(question)) return recorded;
    this.differ(recorded, question as unknown as Call);
    return null;
  }

  private differ(recorded: Call, now: Call): void {
    this.deviation = { recorded: this.callText(recorded), now: this.callText(now) };
  }

  private callText(call: Call): string {
    const [name, ...rest] = call as readonly [string, ...unknown[]];
    switch (name) {
      case "none":
        return "nothing more";
      case "send":
        return `it sends ${shortText(rest[1])} to ${this.known(rest[0] as Port)}`;
      case "again":
        return `it sends ${shortText(this.lastSent)} to ${this.known(rest[0] as Port)}`;
      default:
        return `it calls ${name}(${rest.map(shortText).join(", ")})`;
    }
  }
}

const LONGEST_TEXT = 160;

function shortText(value: unknown): string {
  const text = canonicalText(value);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 3)}...` : text;
}
