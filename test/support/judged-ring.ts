/** A ring protocol judged: every schedule of small rings, every arrangement of ids, and drawn larger rings, against its costs. */
import { type ExploreRequest, explore } from "../../src/explorer/explore.ts";
import { runEvents } from "../../src/host/events.ts";
import { NO_FAULTS } from "../../src/host/faults/faults.ts";
import type { Observer } from "../../src/host/observer.ts";
import { type Property, promisesOf } from "../../src/properties/properties.ts";
import type { AnyProtocol, Id } from "../../src/protocol.ts";
import { resolveParameters } from "../../src/protocols/parameters.ts";
import { HostStream } from "../../src/random/streams.ts";
import { ring } from "../../src/topology/ring.ts";

/** What an independent program says of an election in which these nodes start: who leads, after how many messages. */
export type Reckoned = (ids: readonly Id[], starters: readonly number[]) => { leader: Id; messages: number };

const MOST_STATES = 30_000;
/** More deliveries than any of these elections needs. */
const ENDLESS = 20_000;

/** In the end the node with this id leads; the one with the largest where it is null. */
const leads = (wanted: Id | null): Property => ({
  name: "right-leader",
  about: "the right node leads in the end",
  when: "end",
  violated(view) {
    const nodes = Array.from({ length: view.size }, (_, node) => node);
    const id = wanted ?? Math.max(...nodes.map((node) => view.id(node)!));
    const holds = nodes.some((node) => view.id(node) === id && view.verdict(node).status === "elected");
    return holds ? null : `id ${id} does not lead`;
  },
});

/** The first thing that is wrong with it, or null. */
export function ringComplaint(protocol: AnyProtocol, reckoned: Reckoned): string | null {
  return explored(protocol, reckoned) ?? drawn(protocol, reckoned);
}

interface Sought {
  readonly request: ExploreRequest;
  /** Whether the largest id leads, and whether the program's count is that of every schedule. */
  readonly largest: boolean;
  readonly exact: boolean;
}

/** Every order of ids up to three, and one of four in which two stay active longer than the others. */
function soughtOf({ assumes }: AnyProtocol): readonly Sought[] {
  const small = [1, 2, 3].map((n) => ({ request: { n }, largest: true, exact: true }));
  const two: ExploreRequest = { n: 3, ids: [2, 3, 1] };
  return [
    ...small,
    { request: { n: 4, ids: [4, 1, 3, 2] }, largest: true, exact: true },
    { request: { ...two, initiators: [0] }, largest: false, exact: true },
    { request: { ...two, initiators: [0, 2] }, largest: false, exact: true },
    { request: { n: 3, initiators: "any", params: { passive: "join" } }, largest: true, exact: false },
    { request: { ...two, params: { spread: 1 } }, largest: false, exact: false },
    ...(assumes.fifo ? [] : [{ request: { ...two, fifo: false }, largest: true, exact: true }]),
  ];
}

function explored(protocol: AnyProtocol, reckoned: Reckoned): string | null {
  for (const { request, largest, exact } of soughtOf(protocol)) {
    const promises = promisesOf(protocol);
    const given = Array.isArray(request.initiators) ? reckoned(request.ids as Id[], request.initiators).leader : null;
    const properties = largest || given !== null ? [...promises, leads(given)] : promises;
    const { complete, violation, cases } = explore(protocol, { ...request, properties, maxStates: MOST_STATES });
    if (violation !== null) return `${violation.property}: ${violation.what}`;
    if (!complete) return "too many states";
    if (!exact) continue;
    for (const { ids, initiators, messages } of cases) {
      const { messages: count } = reckoned(ids!, initiators);
      if (messages.min !== count || messages.max !== count) {
        return `${messages.min} to ${messages.max} messages with ids ${ids}, not ${count}`;
      }
    }
  }
  return null;
}

const impatient = (): Observer => {
  let deliveries = 0;
  return {
    delivered: () => {
      if (++deliveries > ENDLESS) throw new Error("the run does not end");
    },
  } as Partial<Observer> as Observer;
};

/** Rings of up to 40 with drawn ids, starters and delays; and of a few, on links that do not keep the order, where they need not. */
function drawn(protocol: AnyProtocol, reckoned: Reckoned): string | null {
  const inOrder = 30;
  for (let trial = 0; trial < (protocol.assumes.fifo ? inOrder : 5 * inOrder); trial++) {
    const fifo = trial < inOrder;
    const dice = new HostStream(26, trial, "plan");
    const n = fifo ? 5 + dice.choose(36) : 4 + dice.choose(4);
    const ids = new Set<Id>();
    while (ids.size < n) ids.add(dice.choose(1000));
    const starters = [...ids]
      .map((_, node) => node)
      .filter((node) => trial % 3 === 0 || node === 2 || dice.choose(2) === 0);
    const { census, messages } = runEvents({
      protocol,
      params: resolveParameters(protocol, {}, n),
      topology: ring(n),
      ids: Float64Array.from(ids),
      initiators: starters,
      crashed: [],
      faults: NO_FAULTS,
      seed: trial,
      trial,
      delay: fifo && trial % 2 === 0 ? { kind: "fixed", value: 1 } : { kind: "exponential", mean: 1 },
      fifo,
      observer: impatient(),
    });
    const wanted = reckoned([...ids], starters);
    if (messages !== wanted.messages) return `${messages} messages on a ring of ${n}, not ${wanted.messages}`;
    if (census.leaders.length !== 1 || census.leaders[0] !== wanted.leader) return `${census.leaders} lead`;
    if (census.beliefs.get(wanted.leader) !== n) return "not everybody knows who leads";
  }
  return null;
}
