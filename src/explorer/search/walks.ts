/**
 * Random walks: one schedule after another, each step drawn among those possible and each draw made, for networks whose
 * configurations are too many to visit. What they find is real; what they do not find they say nothing of.
 */

import type { Property } from "../../properties/properties.ts";
import { HostStream } from "../../random/streams.ts";
import type { Problem } from "../problem.ts";
import type { Action } from "../space/configurations.ts";
import { isFault } from "../space/faults.ts";
import type { NodeOutcome } from "../space/node-steps.ts";
import { StateSpace } from "../space/state-space.ts";
import type { OneCase } from "./cases.ts";
import { Judge } from "./judge.ts";
import { KeptWay } from "./kept-way.ts";
import { OpenSources } from "./open-sources.ts";
import { standsAlone } from "./own-promises.ts";
import { finished } from "./search.ts";
import type { Paused, Violation } from "./search-terms.ts";
import { WayPromises } from "./way-promises.ts";

export interface WalkOptions {
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
  /** At least so many different configurations were visited: they are told apart by hashes of 32 bits. */
  readonly configurations: number;
  /** Of the steps of the last quarter of the walks, which share led to a configuration that was new; null where there were none. */
  readonly fresh: number | null;
}

const PAUSE_EVERY = 64;
/** So many hashes are remembered: beyond, whatever is not among them counts as seen. */
const MOST_SEEN = 1 << 22;
/** In every other walk whatever comes first does so again and again: its turn ends in one of so many steps. */
const TURN = 16;
/** Where a fault may come, it does in one of so many steps. */
const FAULT_EVERY = 8;

export type WalkResult = {
  readonly walks: Walks;
  readonly violation: (Violation & { readonly problem: Problem }) | null;
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
  private readonly made = { walks: 0, ended: 0, steps: 0 };

  constructor(problem: Problem, options: WalkOptions) {
    this.options = options;
    this.random = new HostStream(options.seed, 0, "schedule");
    this.problem = { ...problem, draw: (n) => this.random.choose(n) };
    this.network = new StateSpace(this.problem);
  }

  *run(): Paused<WalkResult> {
    const { options, made } = this;
    const late = { steps: 0, fresh: 0 };
    let violation: WalkResult["violation"] = null;
    for (let inTime = true; inTime && made.walks < options.walks && violation === null; ) {
      const walk = this.walk(false);
      inTime = yield* walk.run((steps) => options.onProgress?.(made.steps + steps, made.walks) ?? true);
      made.steps += walk.length;
      if (4 * made.walks >= 3 * options.walks) {
        late.steps += walk.length;
        late.fresh += walk.fresh;
      }
      if (walk.violation !== null) violation = this.again();
      if (walk.ended) made.ended++;
      if (inTime) made.walks++;
    }
    const fresh = late.steps === 0 ? null : late.fresh / late.steps;
    return { walks: { ...made, configurations: this.seen.size, fresh }, violation };
  }

  /** The same walk, with every configuration kept this time. */
  private again(): WalkResult["violation"] {
    const walk = this.walk(true);
    finished(walk.run(() => true));
    return { ...walk.violation!, problem: { ...this.problem } };
  }

  private walk(keep: boolean): Walk {
    const { seed, draw } = this.options;
    const { walks } = this.made;
    this.random = new HostStream(seed, walks, "schedule");
    Object.assign(this.problem, draw(new HostStream(seed, walks, "ids")));
    return new Walk(this.network, this.options, this.random, this.seen, keep, PACES[walks % PACES.length]);
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
  /** A node whose messages come when nothing else is left to happen; null where there is none. */
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

  /** False where whoever watches has stopped it. */
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
      if (found !== null) this.violation = { ...found, network, shortest: false, steps: this.kept?.steps ?? [] };
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
