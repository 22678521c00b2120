/** What is known of a protocol beside its own code, in one place. CONTRIBUTING.md lists what else a new protocol needs. */
import type { Kernel } from "../kernels/kernel.ts";
import type { AnyNarrate, Held, Part } from "../narrator.ts";
import type { AnyProtocol } from "../protocol.ts";
import { type AnyGivenProtocol, checkProtocol } from "../protocols/check.ts";
import type { Params } from "../protocols/parameters.ts";
import type { Prediction, Question } from "../theory/prediction.ts";
import type { Planning } from "./planning.ts";

/**
 * What is known of one protocol.
 *
 * @example
 * ```ts
 * import { protocolNamed } from "sortition/protocol";
 * import { register } from "sortition/theory";
 *
 * const mine = { ...protocolNamed("peterson"), name: "mine" };
 * register({ protocol: mine, predict: ({ n }) => ({ method: "exact", success: 1, messages: 2 * n }) });
 * ```
 */
export interface Entry {
  readonly protocol: AnyProtocol | AnyGivenProtocol;
  /** What to expect of a run, as `simulate` counts it; what is missing, or null, nobody can say. */
  predict?(question: Question): Partial<Prediction> | null;
  /** Whether `predict` holds on every network, because it asks for the network's facts (`question.graph`). */
  readonly anyNetwork?: boolean;
  /** As `predict`, or a little worse, where that is too slow for a member that holds elections: only `pMany` is asked for. */
  twoLead?(question: Question): Partial<Prediction> | null;
  /** Fast paths; the first that does not refuse a run takes it. */
  readonly kernels?: readonly Kernel[];
  /** What happens in a run, in the words of its source; a protocol that brings its own `narrate` is told by that. */
  readonly narrate?: AnyNarrate;
  /** How the planner may use it; or why it never may, in words. */
  readonly planning?: Planning | string;
  /** Message delays that so many rounds take; where missing, two for an exchange and one for any other round. */
  delays?(rounds: number, params: Params, n: number): number;
  /** What a trial on a host takes in memory, in bytes, as measured and rather too little; where missing, nobody has looked. */
  memory?(setting: { readonly n: number; readonly initiators: "all" | number; readonly params: Params }): number;
  /** Parameters with which a demonstration is worth watching. */
  readonly demonstration?: Params;
  /** How a page shows it, where what holds for all protocols does not suit. */
  readonly page?: {
    /** Its name in a list; where missing, what its title says before the colon. */
    readonly name?: string;
    /** What its source calls the parts of processes. */
    readonly parts?: Readonly<Partial<Record<Part, string>>>;
    /** What a node in this state holds, for pictures; null where there is nothing to show. */
    // biome-ignore lint/suspicious/noExplicitAny: states of all protocols in one place, as in AnyProtocol
    holds?(state: any): Held | null;
    /** What the phase of `holds` is called: "phase", "round", "level". */
    readonly phase?: string;
    /** What sentences call the first nodes, where those have parts of their own. */
    readonly names?: readonly string[];
    /** The end of a run in one sentence, by what was measured, where more than the leader matters. */
    ends?(measures: Readonly<Record<string, number>>): string;
    /** What `messages` counts. */
    readonly counts?: string;
    /** With more processes there are more messages than anybody can watch. */
    readonly most?: number;
  };
}

/** By the object, never by the name, which anybody may give to anything. Those of the catalogue come with all.ts. */
const entries = new WeakMap<AnyProtocol, Entry>();
let isFilled = false;

/** Makes known what is known of a protocol: its prediction then stands beside every simulation of it. */
export function register(entry: Entry): void {
  entries.set(checkProtocol(entry.protocol), entry);
}

/** The entries of the catalogue, once: formulas and kernels are half of the package, and a member of a group seldom needs them. */
export function fill(catalogued: readonly Entry[]): void {
  for (const entry of catalogued) register(entry);
  isFilled = true;
}

export function entryOf(protocol: AnyProtocol): Entry | undefined {
  if (!isFilled) throw new Error("registry/all.ts has to be loaded before entries are looked up");
  return entries.get(protocol);
}
