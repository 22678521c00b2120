/** One trial: the random choices of its setting, a run on a host, and the outcome. */
import { runEvents } from "../host/events.ts";
import { runLockstep } from "../host/lockstep.ts";
import type { Result, Setup } from "../host/setup.ts";
import { kernelNamed } from "../kernels/catalogue.ts";
import type { AnyProtocol, Census, Outcome } from "../protocol.ts";
import { protocolNamed } from "../protocols/catalogue.ts";
import { HostStream } from "../random/streams.ts";
import { bernoulliSubset, permutation, sample } from "../random/subsets.ts";
import { complete } from "../topology/complete.ts";
import { ring } from "../topology/ring.ts";
import { CENTRE, star } from "../topology/star.ts";
import type { Topology } from "../topology/topology.ts";
import type { Settings } from "./settings.ts";

export interface Trial {
  readonly trial: number;
  readonly outcome: Outcome;
  /** The id of the only leader, where there is one and it has an id. */
  readonly leader: number | null;
  readonly messages: number;
  readonly rounds: number;
  readonly bits: number;
  readonly measures: Readonly<Record<string, number>>;
  readonly series: Readonly<Record<string, readonly number[]>>;
}

export function runTrial(settings: Settings, trial: number): Trial {
  const setup = setUp(settings, trial);
  const result = run(settings, setup);
  const { protocol } = setup;
  const { census, time } = result;
  return {
    trial,
    outcome: protocol.judge?.(setup.params, census) ?? byLeaders(census),
    leader: census.elected === 1 ? census.leaders[0] : null,
    messages: result.messages,
    rounds: rounds(protocol, settings, result),
    bits: result.bits,
    measures: { ...result.measures, steps: time, undecided: census.undecided },
    series: result.series,
  };
}

function run({ kernel, host, delay, fifo }: Settings, setup: Setup): Result {
  if (kernel !== null) return kernelNamed(kernel).run(setup);
  return host === "lockstep" ? runLockstep(setup) : runEvents({ ...setup, delay, fifo });
}

const byLeaders = ({ elected }: Census): Outcome => (elected === 0 ? "none" : elected === 1 ? "one" : "many");

function rounds(protocol: AnyProtocol, { host }: Settings, { time, measures }: Result): number {
  if (protocol.rounds === "reported") return measures.rounds;
  return protocol.rounds === "exchanges" && host === "lockstep" ? time / 2 : time;
}

function setUp(settings: Settings, trial: number): Setup {
  const { seed, faults } = settings;
  const protocol = protocolNamed(settings.protocol);
  const crashed = crashedBefore(settings, trial);
  return {
    protocol,
    params: settings.params,
    topology: topologyOf(settings, crashed),
    ids: protocol.assumes.identity === "anonymous" ? null : idsOf(settings, trial),
    initiators: settings.topology === "star" ? [CENTRE] : initiatorsOf(settings, trial),
    crashed,
    faults,
    seed,
    trial,
  };
}

function topologyOf({ topology, n }: Settings, crashed: readonly number[]): Topology {
  if (topology === "star") return star(n);
  if (topology !== "ring") return complete(n);
  const skipped = new Uint8Array(n);
  for (const node of crashed) skipped[node] = 1;
  return ring(n, skipped);
}

function crashedBefore({ topology, n, seed, faults }: Settings, trial: number): number[] {
  // The centre of a star is trusted: only the hosts, nodes 1 .. n, crash by chance.
  const first = topology === "star" ? 1 : 0;
  const drawn = bernoulliSubset(new HostStream(seed, trial, "crashes"), n, faults.crash).map((node) => node + first);
  const planned = faults.crashes.filter(({ at }) => at <= 0).map(({ node }) => node);
  return [...new Set([...drawn, ...planned])].sort((a, b) => a - b);
}

function idsOf({ ids, n, seed }: Settings, trial: number): Float64Array {
  if (ids === "random") return permutation(new HostStream(seed, trial, "ids"), n);
  if (ids === "increasing") return Float64Array.from({ length: n }, (_, node) => node + 1);
  if (ids === "decreasing") return Float64Array.from({ length: n }, (_, node) => n - node);
  return Float64Array.from(ids);
}

function initiatorsOf({ initiators, n, seed }: Settings, trial: number): number[] | null {
  if (initiators === "all") return null;
  const source = new HostStream(seed, trial, "initiators");
  return sample((m) => source.choose(m), initiators, n).sort((a, b) => a - b);
}
