/**
 * A host that steps: the same run event by event, forward, and back to any earlier event by key frames. What somebody does
 * to it on the way (a crash, a cut) becomes part of the run, as (event number, action); it uses no draw, so that the rest
 * stays what it was.
 */
import type { RunView } from "../../properties/properties.ts";
import type { Verdict } from "../../protocol.ts";
import { EventsHost } from "../events.ts";
import { LockstepHost } from "../lockstep.ts";
import type { Deed } from "../queues/agenda.ts";
import type { EventsSetup, Result, Setup } from "../setup.ts";
import type { Stage } from "../stage.ts";
import { copy } from "./copy.ts";
import type { Restore } from "./frames.ts";
import { type OnHandled, type StepEvent, StepRecorder } from "./step-recorder.ts";

/** What somebody does to a run by hand. `restart` begins with what was saved unless `saved` is false. */
export type Intervention =
  | { readonly crash: number }
  | { readonly pause: number; readonly for: number }
  | { readonly restart: number; readonly saved?: boolean }
  | { readonly join: number }
  | { readonly leave: number }
  | { readonly command: number; readonly message: unknown }
  | { readonly drop: number }
  | { readonly cut: readonly (readonly number[])[]; readonly oneWay?: boolean }
  | { readonly heal: true };

/** It happens after this many events. */
export interface Injected {
  readonly event: number;
  readonly action: Intervention;
}

/** A message on its way. */
export interface Flight {
  readonly flight: number;
  readonly from: number;
  readonly to: number;
  readonly message: unknown;
  readonly sent: number;
  readonly due: number;
}

/** What is done to a run by hand from the start, and how many key frames are kept. */
export interface StepOptions {
  readonly injected?: readonly Injected[];
  /** The most key frames that are kept, and 64 MB of them; with more, every other one goes. With 0 there is no way back. */
  readonly frames?: number;
  /** A run that goes back and forth calls it again. */
  readonly onHandled?: OnHandled;
}

/**
 * A run that can be walked through. With a `delay` in the setup it is one of the events host, else of lock-step. The
 * caller sees each event as it steps, so the setup's own observer is left out.
 *
 * @example
 * ```ts
 * import { openRun, resolve, setUp } from "sortition/simulate";
 *
 * const run = openRun(setUp(resolve({ protocol: "chang-roberts", n: 5 }), 0));
 * for (let event = run.step(); event !== null && event.number < 20; event = run.step());
 * run.seek(10);
 * run.inject({ crash: 3 });
 * run.seek(Infinity);
 * const { census } = run.result();
 * ```
 */
export function openRun(setup: Setup | EventsSetup, options: StepOptions = {}): SteppedRun {
  return new SteppedRun(setup, options);
}

/** Every event of a run, one after the other; the generator's return value is the run's result. */
export function* events(setup: Setup | EventsSetup, options: StepOptions = {}): Generator<StepEvent, Result> {
  const run = openRun(setup, { ...options, frames: 0 });
  for (let event = run.step(); event !== null; event = run.step()) yield event;
  return run.result();
}

/** A run that can be walked through, forward and back to any event, and meddled with. */
export class SteppedRun {
  private readonly recorder: StepRecorder;
  private readonly host: Stage;
  private readonly frames: KeyFrames;
  private readonly injections: Injected[];
  /** How many of them have been put on the agenda on the way here. */
  private applied = 0;
  private mostFlying = 0;
  /** The last event of the run, once that is known. */
  private last: number | null = null;

  constructor(setup: Setup | EventsSetup, { injected = [], frames = 64, onHandled }: StepOptions) {
    this.recorder = new StepRecorder(onHandled);
    const watched = { ...setup, observer: this.recorder };
    this.host = "delay" in watched ? new EventsHost(watched, true) : new LockstepHost(watched, true);
    this.injections = [...injected].sort((a, b) => a.event - b.event);
    this.frames = new KeyFrames(frames, setup.topology.size, { save: () => this.save(), weigh: () => this.weigh() });
    this.frames.at(0);
  }

  /** How many events there have been. */
  get event(): number {
    return this.host.event;
  }

  get time(): number {
    return this.host.time;
  }

  /** What properties look at. */
  get view(): RunView {
    return this.host;
  }

  /** Everything done by hand, before and after the present event, in order. */
  get injected(): readonly Injected[] {
    return this.injections;
  }

  /** The next event, or null at the end of the run. */
  step(): StepEvent | null {
    const { host, recorder } = this;
    const before = host.event;
    if (before === this.last) return null;
    this.frames.at(before);
    this.apply();
    recorder.clear();
    while (host.event === before) if (!host.advance()) return this.end(before);
    const { happening, flight, sends, struck } = recorder;
    return { ...happening!, number: host.event, time: host.time, flight, sends, struck };
  }

  /** Goes forward or back to the moment after this many events, or to the end; says where it is. */
  seek(event: number): number {
    if (event < this.event) this.frames.restore(Math.max(0, event));
    while (this.event < event && this.step() !== null);
    return this.event;
  }

  /** Does something to the run, now: the next event is its effect. What was known of the time after is forgotten. */
  inject(action: Intervention): void {
    const later = this.injections.findIndex(({ event }) => event > this.event);
    this.injections.splice(later < 0 ? this.injections.length : later, 0, { event: this.event, action });
    this.frames.forgetAfter(this.event);
    this.last = null;
  }

  /** A copy of a node's state; null where nothing has touched the node. */
  state(node: number): unknown {
    return copy(this.host.state(node) ?? null);
  }

  verdict(node: number): Verdict {
    return this.host.verdict(node);
  }

  report(node: number): unknown {
    return copy(this.host.report(node));
  }

  alive(node: number): boolean {
    return this.host.alive(node);
  }

  /** Messages on their way, in the order of their sending. */
  inFlight(): Flight[] {
    return [...this.host.flying()]
      .map((flying) => ({ ...flying, ...this.recorder.origin(flying.flight) }))
      .sort((a, b) => a.flight - b.flight);
  }

  /** What the run amounts to if it ended here; at its end, what the host that runs through says, to the last bit. */
  result(): Result {
    const restore = this.save();
    if (this.event === this.last) {
      this.apply();
      while (this.host.advance());
    }
    const result = copyOf(this.host.result());
    restore();
    return result;
  }

  /** Nothing came after that event. Looking for more has moved the clock: back to where the event has just happened. */
  private end(event: number): null {
    this.last = event;
    if (!this.frames.keeps) return null;
    this.frames.restore(event);
    while (this.event < event) this.step();
    return null;
  }

  private apply(): void {
    for (; this.applied < this.injections.length; this.applied++) {
      const { event, action } = this.injections[this.applied];
      if (event > this.event) return;
      this.host.intervene(deedOf(action, this.host.time));
    }
  }

  /** States of some hundred bytes, messages on their way, and tables that do not shrink when those have arrived. */
  private weigh(): number {
    const { flying } = this.recorder;
    this.mostFlying = Math.max(this.mostFlying, flying);
    return 1_000 * this.host.size + 250 * flying + 40 * this.mostFlying;
  }

  private save(): () => void {
    const { applied } = this;
    const [host, recorder] = [this.host.save(), this.recorder.save()];
    return () => {
      host();
      recorder();
      this.applied = applied;
    };
  }
}

/** The tables of a result belong to the run, which goes on counting. */
const copyOf = (result: Result): Result => ({
  ...result,
  measures: { ...result.measures },
  series: Object.fromEntries(Object.entries(result.series).map(([name, sums]) => [name, [...sums]])),
});

function deedOf(action: Intervention, now: number): Deed {
  if ("crash" in action) return { do: "crash", node: action.crash };
  if ("pause" in action) return { do: "pause", node: action.pause, to: now + action.for };
  if ("restart" in action) return { do: "restart", node: action.restart, saved: action.saved ?? true };
  if ("join" in action) return { do: "join", node: action.join };
  if ("leave" in action) return { do: "leave", node: action.leave };
  if ("command" in action) return { do: "command", node: action.command, message: action.message };
  if ("drop" in action) return { do: "drop", flight: action.drop };
  if ("heal" in action) return { do: "cut", partition: null };
  const { cut: groups, oneWay } = action;
  return { do: "cut", partition: { groups, oneWay, from: 0, to: null } };
}

// Moments of a run to go back to. They are bounded: with too many, every other one goes and the next are twice as far apart.

/** At first. A frame costs about as much as an event at each node, so they are at least as many events apart as nodes. */
const LEAST_DISTANCE = 32;
/** What all of them may take together. */
const MOST_BYTES = 64 * 2 ** 20;

/** What a frame copies. */
interface Framed {
  save(): Restore;
  /** About how many bytes that takes, at this moment. */
  weigh(): number;
}

export class KeyFrames {
  private readonly most: number;
  private readonly run: Framed;
  private distance: number;
  /** Ascending; the first is the beginning. */
  private frames: { readonly event: number; readonly weight: number; readonly restore: Restore }[] = [];

  constructor(most: number, nodes: number, run: Framed) {
    this.most = most;
    this.distance = Math.max(LEAST_DISTANCE, nodes);
    this.run = run;
  }

  get keeps(): boolean {
    return this.frames.length > 0;
  }

  /** The run is at this event: keeps it where it is time for a frame. */
  at(event: number): void {
    const last = this.frames.at(-1)?.event ?? -1;
    if (event % this.distance !== 0 || event <= last || this.most === 0) return;
    const weight = this.run.weigh();
    while (!this.hasRoomFor(weight)) {
      if (this.frames.length === 1) return;
      this.distance *= 2;
      this.frames = this.frames.filter((frame) => frame.event % this.distance === 0);
      if (event % this.distance !== 0) return;
    }
    this.frames.push({ event, weight, restore: this.run.save() });
  }

  /** The beginning is always kept. */
  private hasRoomFor(weight: number): boolean {
    const { frames } = this;
    const bytes = frames.reduce((sum, frame) => sum + frame.weight, weight);
    return frames.length === 0 || (frames.length < this.most && bytes <= MOST_BYTES);
  }

  /** Goes back to the last frame at or before an event. */
  restore(event: number): void {
    const frame = this.frames.findLast((kept) => kept.event <= event);
    if (frame === undefined) throw new Error("this run keeps no key frames: open it with some to go back");
    frame.restore();
  }

  forgetAfter(event: number): void {
    this.frames = this.frames.filter((frame) => frame.event <= event);
  }
}
