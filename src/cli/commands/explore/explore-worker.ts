/** A thread's end of an exploration: one case at a time. */
import { loadProtocol } from "../../../campaign/load-protocol.ts";
import { type Refused, refused } from "../../../campaign/refusal.ts";
import { caseProblem, chosenProperties, type ExploreRequest } from "../../../explorer/explore.ts";
import { pathOrdinals } from "../../../explorer/ordinals.ts";
import type { SearchAnswer, SearchOrder } from "../../../explorer/search/crew.ts";
import { searchingCase } from "../../../explorer/search/search.ts";
import type { Property } from "../../../properties/properties.ts";
import type { AnyProtocol } from "../../../protocol.ts";
import { showCalls } from "../../../protocols/calls.ts";
import type { ProtocolSource } from "../../../protocols/registry.ts";
import { type PromiseOptions, promisesFrom } from "./property-file.ts";

/** What is the same for all cases. */
export interface Exploring {
  readonly protocol: NonNullable<ProtocolSource>;
  readonly promises: PromiseOptions;
  /** Without promises, which do not travel. */
  readonly request: ExploreRequest;
  /** Shared: how often code of the user was entered and left. */
  readonly calls?: Int32Array | undefined;
}

export interface SearchTask extends Exploring {
  readonly order: SearchOrder;
  /** Shared: whether to stop; then how far it has come, as pauses, configurations, and 1 once somebody has drawn. */
  readonly shared: Int32Array;
}

export const STOP = 0;
export const PAUSES = 1;
export const STATES = 2;
export const DRAWS = 3;

export default async function work(task: SearchTask): Promise<SearchAnswer | Refused> {
  if (task.calls !== undefined) showCalls(task.calls);
  try {
    return search(task, await loaded(task));
  } catch (error) {
    return refused(error);
  }
}

interface Loaded {
  readonly protocol: AnyProtocol;
  readonly properties: readonly Property[];
}

/** A thread serves one exploration: what it has loaded stays. */
let known: Promise<Loaded> | null = null;

function loaded(exploring: Exploring): Promise<Loaded> {
  known ??= load(exploring);
  return known;
}

async function load({ protocol: source, promises }: Exploring): Promise<Loaded> {
  const { protocol } = await loadProtocol(source);
  return { protocol, properties: chosenProperties(await promisesFrom(protocol, promises)) };
}

function search({ request, order, shared }: SearchTask, { protocol, properties }: Loaded): SearchAnswer {
  const { open, choices, limits, reduction, maxBytes } = order;
  const problem = caseProblem(protocol, { ...request, choices, limits }, open);
  const onProgress = (states: number, _: number, draws: boolean) => {
    Atomics.store(shared, STATES, states);
    if (draws) Atomics.store(shared, DRAWS, 1);
    return Atomics.load(shared, STOP) === 0;
  };
  const { symmetry, maxStates } = request;
  const work = searchingCase(problem, { properties, reduction, symmetry, maxBytes, maxStates, onProgress });
  for (let pauses = 0; ; pauses++) {
    Atomics.store(shared, PAUSES, pauses);
    const { done, value } = work.next();
    if (done !== true) continue;
    const { violation, ...counts } = value;
    if (violation === null) return { ...counts, violation, pauses };
    const { problem: _, network, steps, ...found } = violation;
    return { ...counts, violation: { ...found, path: pathOrdinals({ network, steps }) }, pauses };
  }
}
