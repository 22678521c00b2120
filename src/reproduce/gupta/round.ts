/** Gupta et al., sections 3.1 and 3.2: the phases of a round, and Fig. 2. */
import { runEvents } from "../../host/events.ts";
import { type FaultPlan, NO_FAULTS } from "../../host/faults/faults.ts";
import type { Observer } from "../../host/observer.ts";
import type { Result } from "../../host/setup.ts";
import type { Id } from "../../protocol.ts";
import { filterRelay } from "../../protocols/group/filter-relay.ts";
import type { FilterRelayMessage } from "../../protocols/group/filter-relay-round.ts";
import { filterValue, viewValue } from "../../protocols/group/hash.ts";
import type { Params } from "../../protocols/parameters.ts";
import { HostStream } from "../../random/streams.ts";
import { resolve } from "../../simulation/settings.ts";
import { runTrial } from "../../simulation/trial.ts";
import { type Rate, rateOf } from "../../statistics/intervals.ts";
import { surviving } from "../../theory/gupta/gupta.ts";
import { complete } from "../../topology/complete.ts";
import type { DeclaredRun } from "../claim.ts";
import { all, equalTo, given, verdictOr } from "../criteria.ts";
import { gupta } from "../texts.ts";
import { FIG4, guptaElection } from "./setting.ts";

const SEED = 1;

/** One run, and what each relay of the first round multicast at its end: ids 1..n in the order of the nodes, node 0 initiates. */
function watch(n: number, params: Params, trial: number, faults: Partial<FaultPlan> = {}) {
  const finals = new Map<Id, Id>();
  // When each multicast of the first round was sent: the initiation, the final choices, and the re-initiations that end it.
  const multicasts = new Map<string, number>();
  const observer: Observer = {
    sent(_flight, _from, _to, sent, time) {
      const message = sent as FilterRelayMessage;
      if (message.kind === "final" && message.round === 1) finals.set(message.from, message.leader);
      const ends = message.kind === "initiate" && message.round === 2;
      if (message.kind !== "prefer" && (message.round === 1 || ends)) {
        multicasts.set(`${message.kind} ${message.from} ${message.round}`, time);
      }
    },
  };
  const settings = resolve({ protocol: filterRelay.name, n, params });
  const result = runEvents({
    protocol: filterRelay,
    params: settings.params,
    topology: complete(n),
    delay: settings.delay,
    fifo: true,
    ids: Float64Array.from(idsTo(n)),
    initiators: [0],
    crashed: [],
    faults: { ...NO_FAULTS, ...faults },
    seed: SEED,
    trial,
    observer,
  });
  return { result, finals, sentAt: [...multicasts.values()].sort((a, b) => a - b) };
}

/** In how many first rounds at most `most` multicasts are on their way at any time, a delivery taking one longest delay. */
export function atOnceAtMost(
  most: number,
  n: number,
  params: Params,
  faults: Partial<FaultPlan>,
  trials: number,
): Rate {
  const within = Array.from({ length: trials }, (_, trial) => {
    const { sentAt } = watch(n, params, trial, faults);
    return Math.max(...sentAt.map((from) => sentAt.filter((at) => at >= from && at < from + 1).length)) <= most;
  });
  return rateOf(within.filter(Boolean).length, trials);
}

const electionOf = (trial: number): number => new HostStream(SEED, trial, "election").choose(2 ** 53);

const idsTo = (n: number): Id[] => Array.from({ length: n }, (_, i) => i + 1);

const admittedIn = (trial: number, n: number, k: number): Id[] =>
  idsTo(n).filter((id) => filterValue(electionOf(trial), 1, id) < k / n);

const COMPONENT_RUNS = 40;
const PARTED_RUNS = 200;
const SET_RUNS = 20;

/** The relay graph of some relays in a run: who knows whom, and its components. */
function relayGraph(relays: readonly Id[], view: number, trial: number) {
  const knows = (a: Id, b: Id) => a === b || viewValue(electionOf(trial), a, b) < view;
  return { knows, components: componentsOf(relays, (a, b) => knows(a, b) || knows(b, a)) };
}

/** In how many runs each component of the relay graph chose exactly the best that any of its members knows. */
function componentsAgree() {
  const [n, k, view] = [40, 30, 0.03];
  let [right, split] = [0, 0];
  for (let trial = 0; trial < COMPONENT_RUNS; trial++) {
    const relays = admittedIn(trial, n, k);
    const { knows, components } = relayGraph(relays, view, trial);
    const { finals } = watch(n, { K: k, view, rounds: 2 }, trial);
    const best = components.map((members) => Math.min(...idsTo(n).filter((id) => members.some((r) => knows(r, id)))));
    const all = components.every((members, i) => members.every((relay) => finals.get(relay) === best[i]));
    if (all && finals.size === relays.length) right++;
    if (new Set(finals.values()).size > 1) split++;
  }
  return { right, split };
}

/** Of first rounds with E1 and E2 in the network of Fig. 4, the share in which all relays that live announce the same: E3. */
export function agreeingRounds(k: number, trials: number): Rate {
  const { view, loss, multicastLoss, crash } = FIG4;
  const alive = surviving(k, FIG4);
  let [met, agreed] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const { finals } = watch(200, { K: k, view, rounds: 30, factor: 1 }, trial, { loss, multicastLoss, crash });
    const relays = [...finals.keys()];
    if (relays.length < alive / 2 || relays.length > (3 * alive) / 2) continue;
    if (relayGraph(relays, view, trial).components.length !== 1) continue;
    met++;
    if (new Set(finals.values()).size === 1) agreed++;
  }
  return rateOf(agreed, met);
}

/** Runs of one round that end well although the relay graph has several components: the best known is the same in each. */
function splitButRight() {
  const [n, k, view] = [40, 8, 0.2];
  let [right, split] = [0, 0];
  for (let trial = 0; trial < PARTED_RUNS; trial++) {
    if (relayGraph(admittedIn(trial, n, k), view, trial).components.length < 2) continue;
    split++;
    const { measures, census } = watch(n, { K: k, view, rounds: 2 }, trial).result;
    if (measures.rounds === 1 && census.beliefs.size === 1 && census.elected === 1) right++;
  }
  return { right, split };
}

/** How far the sets that relays compute with the sizes of their own views differ from the relays that there are. */
function setsDiffer(): number {
  const [n, k, view] = [2000, 7, 0.5];
  let [wrong, all] = [0, 0];
  for (let trial = 0; trial < SET_RUNS; trial++) {
    const election = electionOf(trial);
    const hash = idsTo(n).map((id) => filterValue(election, 1, id));
    const viewOf = (id: Id) => idsTo(n).filter((other) => other === id || viewValue(election, id, other) < view);
    // Only a hash below this can be a relay's: no view is half as large as it should be.
    const near = idsTo(n).filter((id) => hash[id - 1] < (2 * k) / (n * view));
    const views = new Map(near.map((id) => [id, viewOf(id)]));
    const share = (id: Id) => k / views.get(id)!.length;
    const relays = new Set(near.filter((id) => hash[id - 1] < share(id)));
    for (const relay of relays) {
      const known = views.get(relay)!.filter((id) => id !== relay);
      all += known.filter((id) => relays.has(id)).length;
      wrong += known.filter((id) => relays.has(id) !== hash[id - 1] < share(relay)).length;
    }
  }
  return wrong / all;
}

/** The largest share of the bound 2m²(m-1) that the unicasts of a round with m relays come to. */
function largestShare(trials: number): number {
  const shares = [0.1, 0.5, 1].flatMap((view) => {
    const settings = resolve(guptaElection(300, {}, { K: 20, view }));
    return Array.from({ length: trials }, (_, trial) => {
      const { measures, rounds } = runTrial(settings, trial);
      const m = measures.relays;
      return rounds > 1 || m < 2 ? 0 : measures.unicasts / (2 * m * m * (m - 1));
    });
  });
  return Math.max(...shares);
}

function componentsOf(nodes: readonly Id[], linked: (a: Id, b: Id) => boolean): Id[][] {
  const left = new Set(nodes);
  const components: Id[][] = [];
  for (const first of nodes) {
    if (!left.delete(first)) continue;
    const members = [first];
    for (const member of members) {
      for (const other of [...left]) if (linked(member, other) && left.delete(other)) members.push(other);
    }
    components.push(members);
  }
  return components;
}

/** Fig. 2: relays 2, 3 and N = 6; 2 fails in the relay phase, member 1 misses what 3 multicasts, member 5 what N does. */
function figure2(): Result {
  let trial = 0;
  while (admittedIn(trial, 6, 3).join() !== "2,3,6") trial++;
  const missed = { rate: 1, kind: "multicast", from: 2, to: Number.POSITIVE_INFINITY } as const;
  const losses = [
    { ...missed, link: [2, 0] },
    { ...missed, link: [5, 4] },
  ] as const;
  return watch(6, { K: 3 }, trial, { crashes: [{ node: 1, at: 1.5 }], losses }).result;
}

const admittedOf = (n: number): DeclaredRun => [guptaElection(n, {}, { K: 10, view: 1 }), [60, 300]];
const viewed = (reading: string): DeclaredRun => [
  guptaElection(200, {}, { K: 8, view: 0.25, factor: 1, rounds: 30, reading }),
  [60, 300],
];
const equals = (value: number, reading: string): DeclaredRun => [
  { ...guptaElection(40, {}, { K: 6, view: 1, tau: 1, reading }), delay: { kind: "fixed", value } },
  [40, 200],
];

gupta("fig2", {
  relays: admittedOf(3000),
  fewer: admittedOf(100),
  printed: viewed("printed"),
  repaired: viewed("repaired"),
  silent: equals(1, "repaired"),
  slow: equals(1, "printed"),
  fast: equals(0.1, "printed"),
})(({ relays, fewer, printed, repaired, silent, slow, fast }, { tell, claims, ...bench }) => {
  const most = largestShare(bench.trials(20, 100));
  bench.step("Gupta, section 3.1: components");
  const luck = splitButRight();
  const { right, split } = componentsAgree();
  const { measures, census } = figure2();
  const agreed = census.beliefs.size === 1 ? (census.beliefs.get(1) ?? 0) : 0;
  const endless = fast.measures.unicasts.mean! >= 2 * slow.measures.unicasts.mean!;
  const ofViews = repaired.measures.relays.mean! / repaired.rounds.mean!;
  tell({ ofViews, split, right, COMPONENT_RUNS, luck, measures, agreed, most });
  claims({
    filter: [relays.measures.relays, all(...[relays, fewer].map(({ measures }) => equalTo(measures.relays, 10, 1)))],
    "filter-views": [
      printed.measures.relays,
      verdictOr(
        equalTo(printed.measures.relays, 8, 0.8),
        equalTo(repaired.measures.relays, 8 * repaired.rounds.mean!, 1.6 * repaired.rounds.mean!),
      ),
    ],
    "sets-differ": [setsDiffer(), (x) => x < 0.05],
    components: given({ right, split }, (runs) => runs.right === COMPONENT_RUNS && runs.split > COMPONENT_RUNS / 2),
    iff: luck.right === 0,
    "fig2-round": given(
      { rounds: measures.rounds, relays: measures.relays, multicasts: measures.multicasts, agreed },
      (found) => found.rounds === 1 && found.relays === 3 && found.multicasts === 3 && found.agreed === 5,
    ),
    "cubic-unicasts": [
      silent.measures.unicasts,
      given({ endless, most }, (found) => verdictOr(!found.endless, found.most <= 1)),
    ],
  });
});
