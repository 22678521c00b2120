/** A run that is watched: what was asked for, what has come of it, and where the playhead is. */
import type { Injected } from "../../src/host/stepping/stepping.ts";
import { Axis } from "../run/axis.ts";
import { Moment, RunRecord } from "../run/record.ts";
import type { Answer, Asked, Counts, Ending, Facts, Fields, GivenFile, Problem } from "../run/types.ts";
import { client } from "../shell/client.ts";
import type { WatchLink } from "../shell/link.ts";
import { layoutFor } from "./geometry.ts";
import { type Named, namedIn } from "./named.ts";
import { notable } from "./summary.ts";

/** How long a run may take before it is stopped. */
const BUDGET = 120_000;
/** A unit of time, played at speed 1, where few nodes are drawn. */
const UNIT = 900;
/** A whole run otherwise. */
const WHOLE = 20_000;
const FEW = 24;
const STILL = 700;

const wantsLessMotion = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export type Tool = "crash" | "pause" | "drop" | "cut";

/** A link; where it leaves out how the run was looked at, it begins at an event. */
type Opening = Omit<WatchLink, "time" | "seen" | "flight"> &
  Partial<WatchLink> & { readonly wrong?: readonly string[] };

/** One run of the two that can be shown side by side. */
export class Run {
  facts = $state.raw<Facts | null>(null);
  record = $state.raw<RunRecord | null>(null);
  axis = $state.raw<Axis | null>(null);
  ending = $state.raw<Ending | null>(null);
  counts = $state.raw<Counts | null>(null);
  problems = $state.raw<readonly Problem[]>([]);
  isLarge = $state(false);
  places = $state.raw<readonly (readonly [number, number])[] | null>(null);
  moment = $state.raw<Moment | null>(null);
  /** The worker's number of it. */
  id = 0;
  private asking: number | null = null;

  /** Opens it and lets it run to its end; resolves when that is known, to false when it could not be opened. */
  open(asked: Extract<Asked, { op: "open" | "file" | "flight" }>): Promise<boolean> {
    this.stop();
    return new Promise((resolve) => {
      let hasBegun = false;
      const hear = (answer: Answer) => {
        if (answer.kind === "opened") {
          hasBegun = true;
          this.begin(answer);
          if (asked.op === "open") {
            this.id = opening;
            this.asking = client.ask({ op: "run", run: this.id, budget: BUDGET }, hear);
          }
        } else if (answer.kind === "events") this.record?.add(answer.events);
        else if (answer.kind === "counts") this.counts = answer.counts;
        else if (answer.kind === "ended") this.end(answer.ending);
        else if (answer.kind === "failed") {
          const why = answer.problems.map(({ text }) => text).join(" ");
          if (hasBegun) this.end({ trial: null, events: this.record?.length ?? 0, why, says: null });
          else this.problems = answer.problems;
        }
        if (answer.kind !== "ended" && answer.kind !== "failed") return;
        this.asking = null;
        resolve(hasBegun);
      };
      const opening = client.ask(asked, hear);
      this.asking = opening;
    });
  }

  private end(ending: Ending): void {
    this.ending = ending;
    if (this.record !== null) this.axis = new Axis(this.record);
  }

  private begin({ facts, problems, large }: Extract<Answer, { kind: "opened" }>): void {
    this.facts = facts;
    this.problems = problems;
    this.isLarge = large;
    this.ending = null;
    this.counts = null;
    this.axis = null;
    this.places = null;
    this.record = large ? null : new RunRecord(facts);
    this.moment = this.record === null ? null : new Moment(this.record);
  }

  /** What has been counted stays. */
  halt(): void {
    if (this.asking !== null) client.stop(this.asking);
  }

  stop(): void {
    if (this.asking !== null) client.cancel(this.asking);
    this.asking = null;
  }

  async findPlaces(): Promise<void> {
    const { answer } = await client.once({ op: "force", run: this.id });
    if (answer.kind === "places" && answer.places.length > 0) this.places = answer.places;
  }
}

export class Session {
  fields = $state.raw<Fields>({});
  faults = $state.raw<readonly Injected[]>([]);
  /** What a link has asked for and does not get, in sentences. */
  wrong = $state.raw<readonly string[]>([]);
  trial = $state(0);
  layout = $state("");
  beside = $state("");
  selected = $state<number | null>(null);
  /** A message that is looked at, by its place among the record's flights. */
  flight = $state<number | null>(null);
  /** One that the pointer or the focus is on. */
  pointed = $state<number | null>(null);
  event = $state(0);
  /** Virtual time at the playhead: between two events while it plays. */
  time = $state(0);
  isPlaying = $state(false);
  speed = $state(1);
  tool = $state<Tool | null>(null);
  /** The side of a cut that is being chosen. */
  side = $state.raw<readonly number[]>([]);
  isLoading = $state(true);
  /** Loading has taken so long that one should say so. */
  isSlow = $state(false);
  /** A file that was opened instead of a link. */
  file = $state<string | null>(null);
  /** Somebody asked for this event by hand: its sentence is to be read out. */
  isStepping = $state(false);
  /** The farthest that has been seen: what was scrubbed back stays as a ghost. */
  seen = $state(0);
  /** A question stands in the place of the sentence. */
  isAsking = $state(false);
  /** The first event in which the run beside is another. */
  difference = $state<number | null>(null);
  readonly run = new Run();
  readonly other = new Run();
  private frame = 0;
  private slow: ReturnType<typeof setTimeout> | undefined;

  async open(link: Opening): Promise<void> {
    this.pause();
    this.file = null;
    this.fields = link.fields;
    this.faults = link.faults;
    this.wrong = link.wrong ?? [];
    this.trial = link.trial;
    this.layout = link.layout;
    this.beside = link.beside;
    this.selected = link.selected;
    await this.start(link.event);
    this.resume(link);
  }

  /** What a link says besides the event: the very place of the playhead, what was seen, and what is looked at. */
  private resume({ event, time = null, seen = 0, flight = null }: Opening): void {
    const { axis, record } = this.run;
    if (axis === null || record === null) return;
    if (time !== null && this.event === event && axis.eventsAt(time) === event) this.seekTime(time);
    this.seen = Math.max(this.seen, Math.min(seen, record.end));
    if (flight !== null && flight < record.flights.length) this.flight = flight;
  }

  /** A file that cannot be shown leaves everything as it was, but for a sentence. */
  async openFile(given: GivenFile): Promise<void> {
    this.pause();
    const { file, faults, beside, selected } = this;
    const { name } = given;
    const asked =
      "text" in given
        ? ({ op: "file", text: given.text, name } as const)
        : ({ op: "flight", files: given.flights } as const);
    this.file = name;
    this.faults = [];
    this.beside = "";
    this.selected = null;
    if (!(await this.load(asked, 0))) Object.assign(this, { file, faults, beside, selected });
  }

  /** Runs what is asked for, and goes to an event. */
  async start(event: number): Promise<void> {
    const { fields, faults, trial } = this;
    await this.load({ op: "open", fields, faults, trial }, event);
  }

  private async load(asked: Extract<Asked, { op: "open" | "file" | "flight" }>, event: number): Promise<boolean> {
    this.isLoading = true;
    this.flight = null;
    this.pointed = null;
    // The one before may have been given up for this one, and then never ends.
    clearTimeout(this.slow);
    this.slow = setTimeout(() => {
      this.isSlow = true;
    }, 150);
    await client.whenReady();
    const first = this.run.open(asked);
    const wantsOther = this.beside !== "" && asked.op === "open";
    const second = wantsOther
      ? this.other.open({ ...asked, fields: { ...this.fields, "param.reading": this.beside } } as never)
      : false;
    const [isOpen] = await Promise.all([first, second]);
    clearTimeout(this.slow);
    this.isSlow = false;
    this.isLoading = false;
    if (!isOpen) return false;
    const { facts } = this.run;
    if (this.selected !== null && this.selected >= (facts?.size ?? 0)) this.selected = null;
    if (facts !== null && layoutFor(facts, this.layout) === "force") void this.run.findPlaces();
    this.difference = this.isBeside ? firstDifference(this.run.record!, this.other.record!) : null;
    this.seen = 0;
    // The same event of another run is another moment: what is drawn must hear of it.
    this.event = -1;
    this.seek(event);
    return true;
  }

  /** Ends a run that takes too long; what there is of it stays. */
  giveUp(): void {
    this.run.halt();
    this.other.halt();
  }

  /** The event whose sentence is shown: the one that was asked for, or the one of this instant that says most. -1: none yet. */
  saidIn(run: Run): number {
    void this.event;
    const { moment } = run;
    if (moment === null || moment.event === 0) return -1;
    return this.isPlaying || run !== this.run ? notable(moment) : moment.event - 1;
  }

  /** The processes that this sentence names. At the end it is about the whole run. */
  namedIn(run: Run): readonly Named[] {
    const said = this.saidIn(run);
    const { record, facts, moment } = run;
    if (said < 0 || record === null || facts === null || moment === null) return [];
    if (this.isOver(run) || this.isAsking) return [];
    return namedIn(record.events[said].text, facts);
  }

  get isBeside(): boolean {
    // A reading that the protocol has not is no reading: the run stays alone.
    return this.beside !== "" && this.other.record !== null && this.other.problems.length === 0;
  }

  get length(): number {
    return this.run.record?.length ?? 0;
  }

  /** To the moment after this many events. */
  seek(event: number): void {
    const { moment } = this.run;
    if (moment === null) return;
    moment.seek(event);
    this.event = moment.event;
    this.time = moment.time;
    this.seen = Math.max(this.seen, this.time);
    this.follow();
  }

  /** To a time: all that has happened by then. */
  seekTime(time: number): void {
    const { axis, moment } = this.run;
    if (axis === null || moment === null) return;
    moment.seek(axis.eventsAt(time));
    this.event = moment.event;
    this.time = Math.max(0, time);
    this.seen = Math.max(this.seen, this.time);
    this.follow();
  }

  /** One clock for two runs. */
  private follow(): void {
    const { axis, moment } = this.other;
    if (this.beside === "" || axis === null || moment === null) return;
    if (this.isAtEnd && this.event > 0) {
      moment.seek(moment.record.length);
      return;
    }
    const isSame = this.difference === null || this.event < this.difference;
    moment.seek(isSame ? this.event : axis.eventsAt(this.time));
  }

  step(by: number): void {
    this.pause();
    this.isStepping = true;
    this.seek(this.event + by);
  }

  /** To the end of the instant, or to the one before. */
  stepInstant(by: number): void {
    const { axis } = this.run;
    if (axis === null) return;
    this.pause();
    this.isStepping = true;
    const next =
      by > 0
        ? axis.lastEvents.find((last) => last > this.event)
        : axis.lastEvents.findLast((last) => last < this.event);
    this.seek(next ?? (by > 0 ? this.length : 0));
  }

  /** From the start to an event within this many milliseconds; at once for readers who want less motion. */
  unfold(event: number, within: number): void {
    const { axis, record } = this.run;
    if (axis === null || record === null || event === 0) return;
    if (wantsLessMotion()) {
      this.seek(event);
      return;
    }
    const end = axis.place(record.events[event - 1].time);
    const began = performance.now();
    this.isPlaying = true;
    const frame = (now: number) => {
      if (!this.isPlaying) return;
      const share = (now - began) / within;
      if (share >= 1) {
        this.isPlaying = false;
        this.seek(event);
        return;
      }
      const time = axis.time(share * end);
      if (axis.eventsAt(time) <= event) this.seekTime(time);
      this.frame = requestAnimationFrame(frame);
    };
    this.frame = requestAnimationFrame(frame);
  }

  play(): void {
    const { axis } = this.run;
    if (axis === null) return;
    if (this.isPlaying) {
      this.pause();
      return;
    }
    if (this.isAtEnd) this.seek(0);
    this.isPlaying = true;
    this.isStepping = false;
    const isStill = wantsLessMotion();
    let last = performance.now();
    const frame = (now: number) => {
      if (!this.isPlaying) return;
      const passed = Math.min(now - last, 100);
      if (isStill && now - last < STILL / this.speed) {
        this.frame = requestAnimationFrame(frame);
        return;
      }
      last = now;
      if (isStill) {
        const next = axis.lastEvents.find((one) => one > this.event);
        this.seek(next ?? this.length);
      } else this.advance(axis, passed);
      if (this.isAtEnd) this.isPlaying = false;
      else this.frame = requestAnimationFrame(frame);
    };
    this.frame = requestAnimationFrame(frame);
  }

  private advance(axis: Axis, passed: number): void {
    const few = (this.run.facts?.size ?? 0) <= FEW && !axis.isLogarithmic;
    const rate = (few ? 1 / UNIT : axis.span / WHOLE) * this.speed;
    // Nothing has happened yet: the first thing that does is at the very beginning.
    const place = this.event === 0 ? 0 : axis.place(this.time) + passed * rate;
    if (place >= this.lastPlace(axis)) this.seek(this.length);
    else this.seekTime(axis.time(place));
  }

  private lastPlace(axis: Axis): number {
    const end = Math.max(this.run.record!.end, this.isBeside ? this.other.record!.end : 0);
    return axis.place(end);
  }

  /** The run is over, and was not over before it began. */
  isOver(run: Run): boolean {
    void this.event;
    const { moment, axis } = run;
    return axis !== null && moment !== null && moment.event > 0 && moment.event >= moment.record.length;
  }

  get isAtEnd(): boolean {
    return this.event >= this.length;
  }

  pause(): void {
    this.isPlaying = false;
    cancelAnimationFrame(this.frame);
  }

  /** Something is done by hand, now: the past stays, the rest is run again, and the first of it is shown. */
  async inject(action: Injected["action"]): Promise<void> {
    this.pause();
    const { event } = this;
    this.tool = null;
    this.side = [];
    this.faults = [...this.faults.filter((fault) => fault.event <= event), { event, action }];
    this.isStepping = true;
    await this.start(event + 1);
  }

  /** Whether nothing comes of a fault: the run is over before it, or there is no such message. */
  isIdle({ event, action }: Injected): boolean {
    const { record, ending } = this.run;
    if (record === null || ending === null) return false;
    if (event >= record.length) return true;
    return "drop" in action && !record.flights.some(({ number, sentBy }) => number === action.drop && sentBy <= event);
  }

  async remove(fault: Injected): Promise<void> {
    this.pause();
    this.faults = this.faults.filter((one) => one !== fault);
    await this.start(Math.min(this.event, fault.event));
  }

  async change(fields: Fields): Promise<void> {
    this.pause();
    this.fields = fields;
    this.faults = [];
    this.selected = null;
    if (this.file !== null) this.file = null;
    await this.start(0);
  }

  link(): WatchLink {
    const { fields, faults, trial, event, selected, layout, beside, flight } = this;
    const time = this.time === (this.run.moment?.time ?? 0) ? null : this.time;
    const seen = this.seen > this.time ? this.seen : 0;
    return { fields, faults, trial, event, time, seen, flight, selected, layout, beside };
  }
}

// Where two runs part.

/** The number of the first event that differs, from 1; null where none does. */
function firstDifference(a: RunRecord, b: RunRecord): number | null {
  const most = Math.max(a.length, b.length);
  for (let i = 0; i < most; i++) {
    const [one, two] = [a.events[i], b.events[i]];
    if (one === undefined || two === undefined) return i + 1;
    if (one.time !== two.time || one.node !== two.node || one.do !== two.do || one.text !== two.text) return i + 1;
    if (JSON.stringify(one.sends) !== JSON.stringify(two.sends)) return i + 1;
  }
  return null;
}
