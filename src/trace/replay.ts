/** Runs again what a trace records, and says whether it is the same run. */

import { InputError } from "../errors.ts";
import { explorationProblem } from "../explorer/explore.ts";
import { Network, type Step } from "../explorer/network.ts";
import type { Violation } from "../explorer/search.ts";
import { parseFaultFile } from "../host/fault-file.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import { requestOf, resolve, type Settings, type WrittenSettings } from "../simulation/settings.ts";
import { runSetup, setUp, type Trial } from "../simulation/trial.ts";
import type { TraceEvent } from "./events.ts";
import { tracePath } from "./exploration.ts";
import type { RecordedPath, TraceFile } from "./file.ts";
import { Recorder } from "./recorder.ts";

/** One simulated trial with everything that happened in it. */
export function traceTrial(
  settings: Settings,
  trial: number,
): { readonly events: readonly TraceEvent[]; readonly result: Trial } {
  const setup = setUp(settings, trial);
  const crashes = [...setup.crashed.map((node) => ({ node, at: 0 })), ...settings.faults.crashes];
  const recorder = new Recorder(setup.protocol, crashes);
  const result = runSetup(settings, { ...setup, observer: recorder });
  return { events: recorder.events, result };
}

/** Which of the possible steps a path took each time. */
export function pathOrdinals({ network, steps }: Violation): number[] {
  let vector = network.blank();
  return steps.map(({ action, after }) => {
    const possible = action.do === "start" ? network.start(vector, action.node) : network.steps(vector);
    const ordinal = possible.findIndex((step) => sameStep(step, action, after));
    vector = after;
    return ordinal;
  });
}

const sameStep = (step: Step, action: Step["action"], after: Int32Array) =>
  JSON.stringify(step.action) === JSON.stringify(action) && step.after.every((entry, i) => entry === after[i]);

/** The settings of a file, in which anything may stand, checked as if a user had just asked for them. */
function checked(settings: WrittenSettings): Settings {
  const faults = parseFaultFile(JSON.stringify(settings.faults), "of the trace");
  const again = resolve({ ...requestOf(settings), faults });
  if (again.n !== settings.n) throw new InputError(`n is ${again.n} in one place and ${settings.n} in another`);
  return again;
}

/** The number of the first event that comes out differently when the run is repeated; null when all are the same. */
export function firstDifference({ header, events }: TraceFile): number | null {
  const again =
    header.trace === "simulation" ? traceTrial(checked(header.settings), header.trial).events : walk(header);
  for (let i = 0; i < Math.max(events.length, again.length); i++) {
    if (JSON.stringify(events[i]) !== JSON.stringify(again[i])) return i;
  }
  return null;
}

function walk({ protocol, request, path }: RecordedPath): TraceEvent[] {
  const problem = explorationProblem(protocolNamed(protocol), request);
  const network = new Network(problem);
  const starters = network.starters();
  const steps: Step[] = [];
  let vector = network.blank();
  for (const [i, ordinal] of path.entries()) {
    const possible = i < starters.length ? network.start(vector, starters[i]) : network.steps(vector);
    const step = possible[ordinal];
    if (step === undefined) break;
    steps.push(step);
    vector = step.after;
  }
  return tracePath(network, steps);
}
