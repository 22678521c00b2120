/**
 * Random walks: one schedule after another, each step drawn among those possible and each draw made, for networks whose
 * configurations are too many to visit. What they find is real; what they do not find they say nothing of.
 */

import type { Property, View } from "../../properties/properties.ts";
import { HostStream } from "../../random/streams.ts";
import type { Problem } from "../problem.ts";
import type { Action, Step } from "../space/configurations.ts";
import { isFault } from "../space/faults.ts";
import type { NodeOutcome } from "../space/node-steps.ts";
import { atTime, StateSpace } from "../space/state-space.ts";
import type { OneCase } from "./cases.ts";
import { Judge, type PropertyFinding } from "./judge.ts";
import { finished, type Paused, type SearchOptions, type Violation } from "./search-terms.ts";
import { standsAlone } from "./verdicts.ts";

interface WalkOptions extends Pick<SearchOptions, "unexpected"> {
  readonly properties: readonly Property[];
  readonly walks: number;
  /** A walk that is longer is given up. */
  readonly longest: number;
  readonly seed: number;
  /** What a request leaves open, for one walk: an arrangement of ids, who starts. */
  readonly draw: (random: HostStream) => OneCase;
  readonly onProgress?: (steps: number, walks: number) => boolean;
}

/** How far walks have come. */
export interface Walks {
  readonly walks: number;
  /** Those that came to an end, and were not given up. */
  readonly ended: number;
  readonly steps: number;
  /** At least this many different configurations were visited: they are told apart by hashes of 32 bits. */
  readonly configurations: number;
  /** Of the steps of the last quarter of the walks, which share led to a configuration that was new; null where there were none. */
  readonly fresh: number | null;
}

const PAUSE_EVERY = 64;
/** So many hashes are remembered: beyond, whatever is not among them counts as seen. */
const MOST_SEEN = 1 << 22;
/** In every other walk whatever comes first does so again and again: its turn ends in one of this many steps. */
const TURN = 16;
/** Where a fault may come, it does in one of this many steps. */
const FAULT_EVERY = 8;

type WalkResult = {
  readonly walks: Walks;
  readonly violation: Violation | null;
};

export function walking(problem: Problem, options: WalkOptions): Paused<WalkResult> {
  return new Walker(problem, options).run();
}

/** All walks share one space, so that configurations have the same numbers in all of them. */
class Walker {
  private readonly options: WalkOptions;
  /** Its ids and starters are drawn anew for each walk. */
  private readonly problem: { -readonly [field in keyof Problem]: Problem[field] };
  private readonly network: StateSpace;
  private readonly seen = new Set<number>();
  private random: HostStream;
  /** Those that are still to be checked. */
  private properties: readonly Property[];
  private readonly made = { walks: 0, ended: 0, steps: 0 };

  constructor(problem: Problem, options: WalkOptions) {
    this.options = options;
    this.properties = options.properties;
    this.random = new HostStream(options.seed, 0, "schedule");
    this.problem = { ...problem, draw: (n) => this.random.choose(n) };
    this.network = new StateSpace(this.problem);
  }

  *run(): Paused<WalkResult> {
    const { options, made } = this;
    const late = { steps: 0, fresh: 0 };
    let violation: WalkResult["violation"] = null;
    const unexpected = options.unexpected ?? ((found: Violation) => found);
    for (let inTime = true; inTime && made.walks < options.walks && violation === null; ) {
      const walk = this.walk(false);
      inTime = yield* walk.run((steps) => options.onProgress?.(made.steps + steps, made.walks) ?? true);
      made.steps += walk.length;
      if (4 * made.walks >= 3 * options.walks) {
        late.steps += walk.length;
        late.fresh += walk.fresh;
      }
      if (walk.violation !== null) {
        const found = this.again();
        violation = unexpected(found);
        if (violation === null) this.properties = this.properties.filter(({ name }) => name !== found.property);
      }
      if (walk.ended) made.ended++;
      if (inTime) made.walks++;
    }
    const fresh = late.steps === 0 ? null : late.fresh / late.steps;
    return { walks: { ...made, configurations: this.seen.size, fresh }, violation };
  }

  /** The same walk, with every configuration kept this time. */
  private again(): Violation {
    const walk = this.walk(true);
    finished(walk.run(() => true));
    return { ...walk.violation!, problem: { ...this.problem } };
  }

  private walk(keep: boolean): Walk {
    const { seed, draw } = this.options;
    const { walks } = this.made;
    this.random = new HostStream(seed, walks, "schedule");
    Object.assign(this.problem, draw(new HostStream(seed, walks, "ids")));
    const options = { ...this.options, properties: this.properties };
    return new Walk(this.network, options, this.random, this.seen, keep, PACES[walks % PACES.length]);
  }
}

/** even: all are as quick; uneven: some are quick and others slow for a while; mute: and what one node says comes last. */
type Pace = "even" | "uneven" | "mute";
const PACES: readonly Pace[] = ["even", "uneven", "even", "mute"];
const URGENCIES = 2 ** 30;

class Walk {
  violation: Violation | null = null;
  ended = false;
  length = 0;
  /** Steps that led to a configuration which had not been seen. */
  fresh = 0;
  private readonly network: StateSpace;
  private readonly judge: Judge;
  private readonly way: WayPromises;
  private readonly random: HostStream;
  private readonly options: WalkOptions;
  private readonly seen: Set<number>;
  private readonly kept: KeptWay | null;
  private messages = 0;
  /** Of the step that is being chosen: how many there were, whether some lead beyond a limit, and the one taken. */
  private offered = 0;
  private cut = false;
  private action: Action | null = null;
  private outcome: NodeOutcome | null = null;
  /** What it changes: places of the vector, and what stands there afterwards. */
  private places = new Int32Array(0);
  private values = new Int32Array(0);
  private readonly sources: OpenSources;
  /** In walks in which some are quick and others slow: how urgent each link and each node alone is. */
  private readonly urgency: Map<number, number> | null;
  /** A node whose messages come when nothing else is left to happen; null if there is none. */
  private readonly mute: number | null;

  constructor(
    network: StateSpace,
    options: WalkOptions,
    random: HostStream,
    seen: Set<number>,
    keep: boolean,
    pace: Pace,
  ) {
    this.urgency = pace === "even" ? null : new Map();
    this.mute = pace === "mute" ? random.choose(network.layout.size) : null;
    this.network = network;
    this.options = options;
    this.random = random;
    this.seen = seen;
    this.judge = new Judge(
      network,
      options.properties.filter((property) => !standsAlone(property)),
    );
    this.way = new WayPromises(options.properties);
    this.kept = keep ? new KeptWay(network.blank()) : null;
    this.sources = new OpenSources(network);
  }

  /** False if the observer has stopped it. */
  *run(goesOn: (steps: number) => boolean): Paused<boolean> {
    const { network } = this;
    const { draft } = network;
    draft.load(network.blank());
    for (const node of network.starters()) {
      this.choose(() => network.visitStart(node, this.offer));
      this.take();
    }
    while (this.length < this.options.longest) {
      if (this.length % PAUSE_EVERY === 0) {
        yield;
        if (!goesOn(this.length)) return false;
      }
      const before = this.seen.size;
      if (before < MOST_SEEN && this.seen.add(draft.hash).size > before && this.length > 0) this.fresh++;
      this.choose(() => this.possible());
      this.ended = this.offered === 0 && !this.cut;
      const found =
        this.judge.judge(draft.cells, this.ended, () => this.messages) ??
        this.way.judge(() => this.judge.view(draft.cells, () => this.messages), this.ended);
      if (found !== null) {
        const steps = this.kept?.steps ?? [];
        this.violation = { ...found, problem: network.problem, network, shortest: false, steps };
      }
      if (found !== null || this.offered === 0) return true;
      this.take();
      this.length++;
    }
    return true;
  }

  private choose(visit: () => void): void {
    this.offered = 0;
    this.cut = false;
    visit();
  }

  /** Each of the steps offered is as likely as every other one. */
  private readonly offer = (action: Action, outcome: NodeOutcome | null): void => {
    if (outcome?.beyond === true) {
      this.cut = true;
      return;
    }
    if (this.random.choose(++this.offered) !== 0) return;
    this.action = action;
    this.outcome = outcome;
    const { changed, cells } = this.network.draft;
    this.places = changed.slice();
    this.values = this.places.map((place) => cells[place]);
  };

  private take(): void {
    const { draft } = this.network;
    for (const [i, place] of this.places.entries()) draft.set(place, this.values[i]);
    draft.keep();
    for (const place of this.places) this.sources.look(draft.cells, place);
    this.messages += this.outcome?.messages ?? 0;
    this.way.goOn(this.action!);
    this.kept?.add(this.action!, this.outcome, { places: this.places, values: this.values });
  }

  /** The steps of one message or of one node alone; with time, or where faults may come, all of a kind. */
  private possible(): void {
    const { network } = this;
    const { cells } = network.draft;
    if (network.timed || network.disturbed(cells)) {
      const faults = this.random.choose(FAULT_EVERY) === 0;
      network.visitSteps((action, outcome) => {
        if (isFault(action) === faults) this.offer(action, outcome);
      });
      if (this.offered === 0 && faults)
        network.visitSteps((action, outcome) => !isFault(action) && this.offer(action, outcome));
      return;
    }
    const { links } = network;
    const { all } = this.sources;
    if (all.length === 0) return;
    const source = this.pick(all);
    if (source < links.length) network.deliverAll(source, this.offer);
    else network.actAlone(source - links.length, this.offer);
  }

  /**
   * Any, each as likely as any other; or the most urgent, which stays so for a while: one node can then be slow while others
   * come to their end (as S. Burckhardt et al., "A randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
   */
  private pick(sources: readonly number[]): number {
    if (this.urgency === null) return sources[this.random.choose(sources.length)];
    const { urgency } = this;
    for (const source of sources) {
      const last = this.mute !== null && this.network.links[source]?.from === this.mute;
      if (!urgency.has(source)) urgency.set(source, this.random.choose(URGENCIES) - (last ? URGENCIES : 0));
    }
    const first = sources.reduce((a, b) => (urgency.get(b)! > urgency.get(a)! ? b : a));
    if (this.random.choose(TURN) === 0) urgency.delete(first);
    return first;
  }
}

/** What can happen next without time, kept while a walk goes on: links that are not empty, by number, then nodes that can act alone. */
class OpenSources {
  /** Ascending. */
  readonly all: number[] = [];
  private readonly network: StateSpace;

  constructor(network: StateSpace) {
    this.network = network;
  }

  /** A place of the vector has changed. */
  look(cells: Int32Array, place: number): void {
    const { layout, contents, armed, links } = this.network;
    const { link, node } = layout.whatIsAt(place);
    if (link !== null) this.put(link, cells[place] !== contents.empty);
    else if (node !== null) {
      const alone = cells[layout.timersAt(node)] !== armed.none || this.network.waits(cells, node);
      this.put(links.length + node, alone);
    }
  }

  private put(source: number, open: boolean): void {
    const { all } = this;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle] < source) low = middle + 1;
      else high = middle;
    }
    if ((all[low] === source) === open) return;
    if (open) all.splice(low, 0, source);
    else all.splice(low, 1);
  }
}

/** Promises about the way of one run, which no configuration tells: that something has happened by its end, and bounds on time. */
class WayPromises {
  /** What has still to happen. */
  private open: readonly Property[];
  private readonly timed: readonly Property[];
  private time = 0;

  constructor(properties: readonly Property[]) {
    this.open = properties.filter(({ when }) => when === "eventually");
    this.timed = properties.filter(({ counts }) => counts === "time");
  }

  /** One more step has been taken. */
  goOn(action: Action): void {
    if (action.do === "tick") this.time += action.by;
  }

  /** What is wrong with the way to where the run is now. */
  judge(seen: () => View, ended: boolean): PropertyFinding | null {
    if (this.open.length === 0 && this.timed.length === 0) return null;
    const view = atTime(seen(), this.time);
    this.open = this.open.filter((property) => property.violated(view) !== null);
    for (const property of this.timed) {
      const what = property.when === "always" || ended ? property.violated(view) : null;
      if (what !== null) return { property: property.name, what };
    }
    const [lacking] = ended ? this.open : [];
    if (lacking === undefined) return null;
    return { property: lacking.name, what: `${lacking.violated(view)}, and nothing is left to happen` };
  }
}

interface Change {
  readonly places: Int32Array;
  readonly values: Int32Array;
}

/** The steps of a walk, kept as what each has changed: a configuration of a large network is made again when somebody asks for it. */
class KeptWay {
  readonly steps: Step[] = [];
  private readonly blank: Int32Array;
  private readonly changes: Change[] = [];
  /** The configuration after this many steps: asking for one after the other is cheap. */
  private readonly present: Int32Array;
  private made = 0;

  constructor(blank: Int32Array) {
    this.blank = blank;
    this.present = Int32Array.from(blank);
  }

  add(action: Action, outcome: NodeOutcome | null, change: Change): void {
    const number = this.changes.push(change);
    const after = () => this.after(number);
    this.steps.push({
      action,
      outcome,
      get after() {
        return after();
      },
    });
  }

  private after(steps: number): Int32Array {
    if (steps < this.made) {
      this.present.set(this.blank);
      this.made = 0;
    }
    for (; this.made < steps; this.made++) {
      const { places, values } = this.changes[this.made];
      for (const [i, place] of places.entries()) this.present[place] = values[i];
    }
    return Int32Array.from(this.present);
  }
}

/** A random walk as a search would have found it: the same steps, among all that there are. Only of walks whose draws were picked among those that a search tries. */
export function enumerated(violation: Violation): Violation {
  const { draw, ...problem } = violation.problem;
  if (draw === undefined) return violation;
  const network = new StateSpace(problem);
  const starters = network.starters();
  const steps: Step[] = [];
  let vector = network.blank();
  for (const [i, wanted] of violation.steps.entries()) {
    const possible = i < starters.length ? network.start(vector, starters[i]) : network.steps(vector);
    const mark = markOf(violation.network, wanted);
    const step = possible.find((other) => markOf(network, other) === mark)!;
    steps.push(step);
    vector = step.after;
  }
  return { ...violation, problem, network, steps };
}

/** What tells a step from the others out of one configuration: what happened, what was drawn, how long timers wait. */
const markOf = (network: StateSpace, { action, outcome, after }: Step): string =>
  JSON.stringify([action, outcome?.draws, network.everybody.map((node) => network.timersOf(after, node))]);
