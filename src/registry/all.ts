/** Every entry of the catalogue, and what is asked of entries. */
import type { Kernel, KernelSettings } from "../kernels/kernel.ts";
import type { AnyNarrate } from "../narrator.ts";
import type { AnyProtocol } from "../protocol.ts";
import { isSynchronous, type Params } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import { cannotSay, NOTHING_PREDICTED, type Prediction, type Question } from "../theory/prediction.ts";
import { completeEntries } from "./complete.ts";
import { councilEntries } from "./councils.ts";
import { entryOf, fill } from "./entry.ts";
import { epidemicMulticastEntry, filterRelayEntry } from "./filter-relay.ts";
import { graphEntries, randomWalksEntry } from "./graphs.ts";
import type { Fault } from "./planning.ts";
import { quorumEntries } from "./quorums.ts";
import { refereesAsyncEntry, refereesEntry } from "./referees.ts";
import { ringEntries } from "./rings.ts";

export { entryOf, register } from "./entry.ts";

fill([
  ...ringEntries,
  ...completeEntries,
  ...quorumEntries,
  refereesEntry,
  refereesAsyncEntry,
  randomWalksEntry,
  ...graphEntries,
  filterRelayEntry,
  epidemicMulticastEntry,
  ...councilEntries,
]);

/** A question to theory, and of which protocol. */
export interface ProtocolQuestion extends Question {
  readonly protocol: ProtocolChoice;
}

/** What is to be expected; where theory has nothing to say of a protocol or a variant, the method is "none", and `reason` says why. */
export function predict({ protocol: choice, ...question }: ProtocolQuestion): Prediction {
  const { protocol } = findProtocol(choice);
  const entry = entryOf(protocol);
  if (entry?.predict === undefined) return cannotSay(`nobody has computed ${protocol.name}`);
  const prediction = entry.predict(question);
  if (prediction === null) return cannotSay(`the prediction of ${protocol.name} does not cover these parameters`);
  return { ...NOTHING_PREDICTED, ...prediction };
}

/** Who tells its runs; null: nobody, in words of its own. A wrapper keeps its child's name, but its states are others. */
export const narratorOf = (protocol: AnyProtocol): AnyNarrate | null =>
  protocol.narrate?.bind(protocol) ?? entryOf(protocol)?.narrate ?? null;

/** Message delays that so many rounds of a protocol take. */
export function delaysOf(protocol: AnyProtocol, rounds: number, params: Params, n: number): number {
  const delays = entryOf(protocol)?.delays;
  if (delays !== undefined) return delays(rounds, params, n);
  return protocol.rounds === "exchanges" && isSynchronous(protocol, params) ? 2 * rounds : rounds;
}

/** The kernel for a run, or why there is none. */
export function kernelFor(settings: KernelSettings, lumped = false): { kernel: Kernel | null; reason: string } {
  const made = (entryOf(settings.protocol)?.kernels ?? []).filter((kernel) => !lumped || kernel.lumped === true);
  const kernel = made.find((candidate) => candidate.refuses(settings) === null) ?? null;
  const reason = made.map((candidate) => candidate.refuses(settings)).find((refusal) => refusal !== null);
  return { kernel, reason: reason ?? `${settings.protocol.name} has no ${lumped ? "lumped " : ""}kernel` };
}

export function kernelNamed(protocol: AnyProtocol, name: string): Kernel {
  return entryOf(protocol)!.kernels!.find((kernel) => kernel.name === name)!;
}

export const FAULTS: readonly Fault[] = ["loss", "crash", "pause", "partition"];

/** always: whatever its parameters are. Text: with these parameters. never: its claims do not hold then. */
type Tolerance = { readonly always: true } | { readonly with: string } | null;

export function toleranceOf(protocol: AnyProtocol, fault: Fault): Tolerance {
  if (protocol.assumes.tolerates.includes(fault)) return { always: true };
  const planning = entryOf(protocol)?.planning;
  const parameters = typeof planning === "object" ? planning.bears?.[fault] : undefined;
  return parameters === undefined ? null : { with: parameters };
}

/** "crash; with ask above s: loss" */
export function toleranceText(protocol: AnyProtocol): string {
  const always = protocol.assumes.tolerates.join(", ");
  const byParameters = new Map<string, Fault[]>();
  for (const fault of FAULTS) {
    const tolerance = toleranceOf(protocol, fault);
    if (tolerance === null || !("with" in tolerance)) continue;
    byParameters.set(tolerance.with, [...(byParameters.get(tolerance.with) ?? []), fault]);
  }
  const others = [...byParameters].map(([parameters, faults]) => `with ${parameters}: ${faults.join(", ")}`);
  return [always, ...others].filter(Boolean).join("; ") || "no faults";
}
