/** One trial: the random choices of its setting, a run on a host, and the outcome. */

import { crashedBefore, hasCentre, initiatorsOf, nodeIdsOf } from "../host/beginning.ts";
import { runEvents } from "../host/events.ts";
import { runLockstep } from "../host/lockstep.ts";
import type { EventsSetup, Result, Setup } from "../host/setup.ts";
import { openRun, type StepOptions, type SteppedRun } from "../host/stepping/stepping.ts";
import type { AnyProtocol, Census, Outcome } from "../protocol.ts";
import { isSynchronous } from "../protocols/parameters.ts";
import { kernelNamed } from "../registry/all.ts";
import { CENTRE } from "../topology/lattices.ts";
import { trialTopology } from "./network.ts";
import type { Settings } from "./settings.ts";

/** One election: how it ended and what it cost. */
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

/**
 * Runs one trial of a setting; the same number gives the same trial, wherever it runs.
 *
 * @example
 * ```ts
 * import { resolve, runTrial } from "sortition/simulate";
 *
 * const { leader, messages } = runTrial(resolve({ protocol: "chang-roberts", n: 5, seed: 7 }), 0);
 * ```
 */
export function runTrial(settings: Settings, trial: number): Trial {
  if (settings.kernel === null) return runSetup(settings, setUp(settings, trial));
  return summarize(settings, trial, kernelNamed(settings.protocol, settings.kernel).run(settings, trial));
}

/** Runs a trial whose random choices have been made; somebody may watch it (see `Setup.observer`). */
export function runSetup(settings: Settings, setup: Setup): Trial {
  const result = settings.host === "lockstep" ? runLockstep(setup) : runEvents(timed(settings, setup));
  return summarize(settings, setup.trial, result);
}

/** One trial to be walked through, event by event, forward and back; never by a kernel. */
export function openTrial(settings: Settings, trial: number, options: StepOptions = {}): SteppedRun {
  const setup = setUp(settings, trial);
  return openRun(settings.host === "lockstep" ? setup : timed(settings, setup), options);
}

/** What the events host needs besides. */
export const timed = ({ delay, fifo }: Settings, setup: Setup): EventsSetup => ({ ...setup, delay, fifo });

/** What a host's result amounts to, as a trial of these settings. */
export function summarize(settings: Settings, trial: number, result: Result): Trial {
  const { protocol } = settings;
  const { census, time } = result;
  return {
    trial,
    outcome: protocol.judge?.(settings.params, census) ?? byLeaders(census),
    leader: census.elected === 1 ? census.leaders[0] : null,
    messages: result.messages,
    rounds: rounds(protocol, settings, result),
    bits: result.bits,
    measures: {
      ...result.measures,
      ...protocol.summarise?.(settings.params, census),
      steps: time,
      undecided: census.undecided,
    },
    series: result.series,
  };
}

const byLeaders = ({ elected }: Census): Outcome => (elected === 0 ? "none" : elected === 1 ? "one" : "many");

function rounds(protocol: AnyProtocol, { params }: Settings, { time, measures }: Result): number {
  if (protocol.rounds === "reported") return measures.rounds;
  return protocol.rounds === "exchanges" && isSynchronous(protocol, params) ? time / 2 : time;
}

/** Makes the random choices of a trial: who has crashed, who has which id, who starts. */
export function setUp(settings: Settings, trial: number): Setup {
  const { protocol, seed, faults } = settings;
  const crashed = crashedBefore(settings, trial);
  return {
    protocol,
    params: settings.params,
    topology: trialTopology(protocol.assumes.topology, settings, crashed),
    ids: protocol.assumes.identity === "anonymous" ? null : nodeIdsOf(settings, trial),
    initiators: hasCentre(protocol) ? [CENTRE] : initiatorsOf(settings, trial),
    crashed,
    faults,
    seed,
    trial,
    roles: settings.roles,
    until: settings.until,
    mostMessages: settings.mostMessages,
    // Where nodes find each other by address, everybody knows that of node 0.
    ...(protocol.assumes.topology === "open" ? { seeds: ["0"] } : {}),
  };
}
