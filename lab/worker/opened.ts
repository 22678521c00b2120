/** A run that the page has opened: its settings, and the host that steps through it. */

import { isFaultless } from "../../src/host/faults/faults.ts";
import type { StepEvent } from "../../src/host/stepping/step-recorder.ts";
import type { Injected, SteppedRun } from "../../src/host/stepping/stepping.ts";
import type { Scene } from "../../src/narrator.ts";
import type { AnyProtocol, Verdict } from "../../src/protocol.ts";
import { entryOf, predict } from "../../src/registry/all.ts";
import { questionFrom, theoryOf } from "../../src/simulation/question.ts";
import type { Settings } from "../../src/simulation/settings.ts";
import { openTrial, setUp, summarize } from "../../src/simulation/trial.ts";
import type { Topology } from "../../src/topology/topology.ts";
import { sceneOf } from "../../src/trace/events.ts";
import { type Sentence, Teller } from "../../src/trace/story.ts";
import { isForeign } from "../run/faults.ts";
import { MOST_DRAWN } from "../run/limits.ts";
import type { Ending, Facts, Fields, Mark, Problem, Told } from "../run/types.ts";
import { commandOf, resolveFields } from "./fields.ts";
import { multicastsIn, toldOf } from "./telling.ts";
import { faultsIn, waysOf } from "./words.ts";

/** A longer record would fill the memory of a phone. */
const MOST_EVENTS = 200_000;
const MOST_SENT = 600_000;
const TOO_LONG = `The run is longer than a page can hold (${MOST_EVENTS.toLocaleString("en")} events, ${MOST_SENT.toLocaleString("en")} messages); what is shown ends there.`;
const MOST_LINKS = 12_000;

export class OpenedRun {
  readonly facts: Facts;
  readonly problems: readonly Problem[];
  readonly large: boolean;
  readonly settings: Settings;
  readonly trial: number;
  private readonly scene: Scene;
  private readonly faults: readonly Injected[];
  /** Why the record ends before the run does. */
  cut: string | null = null;
  private sent = 0;
  private multicasts: Told["multicasts"] = { counted: 0, uncounted: 0 };
  /** Steps forward only. */
  private run: SteppedRun | null = null;
  /** What the last handler has done. */
  private said: { readonly do: StepEvent["do"]; readonly sentence: Sentence } | null = null;
  /** The same run once more, to look into states at any event, while `run` may not have ended. */
  private reader: SteppedRun | null = null;

  constructor(given: Fields, faults: readonly Injected[], trial: number) {
    const resolved = resolveFields(given);
    const { settings } = resolved;
    this.settings = settings;
    this.trial = trial;
    const setup = setUp(settings, trial);
    this.scene = sceneOf(setup);
    const { size } = setup.topology;
    this.large = size > MOST_DRAWN;
    this.faults = this.large ? [] : faults.filter((fault) => !isForeign(fault, size));
    const problem = leftOut(faults.length - this.faults.length, this.large);
    this.problems = [...resolved.problems, ...(problem === null ? [] : [problem])];
    const { protocol } = settings;
    const reading = protocol.parameters.find(({ name }) => name === "reading");
    this.facts = {
      protocol: protocol.name,
      title: protocol.title,
      size,
      n: settings.n,
      ids: this.large || setup.ids === null ? null : [...setup.ids],
      ...networkOf(setup.topology, protocol.assumes.topology, this.large),
      topology: settings.topology,
      crashed: this.large ? [] : setup.crashed,
      host: settings.host,
      kernel: this.large ? settings.kernel : null,
      marks: marksOf(settings),
      ways: waysOf(setup.topology, protocol),
      faults: faultsIn(settings.faults),
      names: entryOf(protocol)?.page?.names ?? [],
      counts: countsOf(protocol),
      phase: entryOf(protocol)?.page?.phase ?? "phase",
      command: commandOf(resolved, trial, !this.large),
      parts: entryOf(protocol)?.page?.parts ?? {},
      params: Object.fromEntries(Object.entries(settings.params).map(([name, value]) => [name, String(value ?? "")])),
      readings: typeof reading?.type === "object" ? reading.type : [],
      recorded: null,
    };
  }

  /** The next events, told; fewer than asked for at the end, or where the record would become too long. */
  *events(count: number): Generator<Told> {
    const run = this.stepped();
    for (let i = 0; i < count && this.cut === null; i++) {
      this.said = null;
      const event = this.next(run);
      if (event === null) return;
      this.sent += event.sends.length;
      const verdict = event.node === null ? UNDECIDED : run.verdict(event.node);
      const { counted, uncounted } = multicastsIn(event.sends, this.settings.protocol.counts);
      if (counted + uncounted > 0) {
        const { multicasts: before } = this;
        this.multicasts = { counted: before.counted + counted, uncounted: before.uncounted + uncounted };
      }
      const { multicasts } = this;
      yield toldOf(event, this.sentenceFor(event), this.scene, verdict, { messages: run.view.messages, multicasts });
      if (run.event >= MOST_EVENTS || this.sent >= MOST_SENT) this.cut = TOO_LONG;
    }
  }

  /** A protocol that fails ends its run, and what came before can still be seen. */
  private next(run: SteppedRun): StepEvent | null {
    try {
      return run.step();
    } catch (error) {
      this.cut = `The protocol fails after event ${run.event}: ${error instanceof Error ? error.message : error}.`;
      return null;
    }
  }

  /** A message may bring its receiver into being and then be lost: that is a step without a handler of its own. */
  private sentenceFor(event: StepEvent): Sentence | null {
    return this.said?.do === event.do ? this.said.sentence : null;
  }

  ending(why: string | null): Ending {
    const run = this.stepped();
    const trial = why === null ? summarize(this.settings, this.trial, run.result()) : null;
    const says = trial === null ? undefined : entryOf(this.settings.protocol)?.page?.ends?.(trial.measures);
    return { trial, events: run.event, why, says: says ?? null };
  }

  /** Everything a node knows after an event. */
  stateAt(event: number, node: number): { readonly value: unknown; readonly alive: boolean } {
    const { settings, trial, faults } = this;
    this.reader ??= openTrial(settings, trial, { injected: faults });
    this.reader.seek(event);
    return { value: this.reader.state(node), alive: this.reader.alive(node) };
  }

  private stepped(): SteppedRun {
    if (this.run !== null) return this.run;
    const { settings, trial, faults } = this;
    const teller = new Teller(settings.protocol, this.scene);
    this.run = openTrial(settings, trial, {
      injected: faults,
      frames: 0,
      onHandled: (seen, state) => {
        this.said = { do: seen.do, sentence: teller.handled(seen, state) };
      },
    });
    return this.run;
  }
}

const UNDECIDED: Pick<Verdict, "status" | "leader"> = { status: "undecided", leader: null };

function leftOut(faults: number, isLarge: boolean): Problem | null {
  if (faults === 0) return null;
  const why = isLarge
    ? `Faults by hand are for runs of up to ${MOST_DRAWN.toLocaleString("en")} processes, which are drawn; here they are left out.`
    : "A fault is about a node that this run has not; it is left out.";
  return { field: "fault", text: why, used: "" };
}

/** Says whether announcements count, since they do in some texts and not in others. */
export function countsOf(protocol: AnyProtocol): string {
  const { counts, measures } = protocol;
  const own = entryOf(protocol)?.page?.counts;
  if (own !== undefined) return own;
  if (counts !== undefined) return "as the paper counts them";
  return "announcements" in measures ? "all that were sent, announcements included" : "all that were sent";
}

function networkOf(topology: Topology, assumed: string, large: boolean): Pick<Facts, "network" | "links"> {
  if (assumed === "open") return { network: "open", links: [] };
  if (topology.name === "complete" || topology.hops !== undefined) return { network: "complete", links: [] };
  const network = assumed === "ring" || topology.name === "ring" ? "ring" : assumed === "star" ? "star" : "graph";
  if (large || topology.links === null || topology.links > 2 * MOST_LINKS) return { network, links: [] };
  const links: [number, number][] = [];
  const seen = new Set<number>();
  for (let node = 0; node < topology.size; node++) {
    for (let port = 0; port < topology.degree(node); port++) {
      const other = topology.neighbour(node, port);
      const key = Math.min(node, other) * topology.size + Math.max(node, other);
      if (other === node || seen.has(key)) continue;
      seen.add(key);
      links.push([node, other]);
    }
  }
  return { network, links };
}

// What theory says beside the counter of messages.

function marksOf(settings: Settings): Mark[] {
  try {
    const mean = theoryOf(settings).messages ?? null;
    const marks: Mark[] = mean === null ? [] : [{ label: "average, by theory", value: mean, kind: "mean" }];
    // Best and worst hold for all orders of ids, but not when something is lost.
    const factors = isFaultless(settings.faults) ? predict(questionFrom(settings))?.factors : null;
    for (const label of ["best", "worst"]) {
      const value = factors?.[label];
      if (value !== undefined) marks.push({ label, value, kind: "bound" });
    }
    return marks.sort((a, b) => a.value - b.value);
  } catch {
    // A theory that cannot answer for such a setting leaves the counter without marks.
    return [];
  }
}
