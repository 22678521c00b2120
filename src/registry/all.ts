/** Every entry, found by its protocol: by the object, never by the name, which anybody may give to anything. */
import type { Kernel, KernelSettings } from "../kernels/kernel.ts";
import type { AnyNarrate } from "../narrator.ts";
import type { AnyProtocol } from "../protocol.ts";
import { checkProtocol } from "../protocols/check.ts";
import { isSynchronous, type Params } from "../protocols/parameters.ts";
import { findProtocol, type ProtocolChoice } from "../protocols/registry.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import { completeEntries } from "./complete.ts";
import { councilEntries } from "./councils.ts";
import type { Entry } from "./entry.ts";
import { epidemicMulticastEntry } from "./epidemic-multicast.ts";
import { filterRelayEntry } from "./filter-relay.ts";
import { graphEntries } from "./graphs.ts";
import { quorumEntries } from "./quorums.ts";
import { randomWalksEntry } from "./random-walks.ts";
import { refereesEntry } from "./referees.ts";
import { refereesAsyncEntry } from "./referees-async.ts";
import { ringEntries } from "./rings.ts";

const entries = new WeakMap<AnyProtocol, Entry>();

/** Makes known what is known of a protocol: its prediction then stands beside every simulation of it. */
export function register(entry: Entry): void {
  entries.set(checkProtocol(entry.protocol), entry);
}

for (const entry of [
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
]) {
  register(entry);
}

export const entryOf = (protocol: AnyProtocol): Entry | undefined => entries.get(protocol);

/** A question to theory, and of which protocol. */
export interface ProtocolQuestion extends Question {
  readonly protocol: ProtocolChoice;
}

const NOTHING: Prediction = {
  method: "approximation",
  success: null,
  pNone: null,
  pMany: null,
  messages: null,
  rounds: null,
  factors: null,
  optimum: null,
};

/** What is to be expected, or null where theory has nothing to say of a protocol or a variant. */
export function predict({ protocol, ...question }: ProtocolQuestion): Prediction | null {
  const prediction = entryOf(findProtocol(protocol).protocol)?.predict?.(question) ?? null;
  return prediction === null ? null : { ...NOTHING, ...prediction };
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
