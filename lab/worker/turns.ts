/** One trial with chances to be interrupted in between; its numbers are those of `runTrial`. */
import { EventsHost } from "../../src/host/events.ts";
import { LockstepHost } from "../../src/host/lockstep.ts";
import type { Stage } from "../../src/host/stage.ts";
import type { Settings } from "../../src/simulation/settings.ts";
import { runTrial, setUp, summarize, type Trial, timed } from "../../src/simulation/trial.ts";

/** Steps between two chances: some microseconds each. */
const TURN = 64;

/** `watch` sees the host after each step; a kernel, the fast path of the command line, is over in one turn and shows nothing. */
export function* trialInTurns(
  settings: Settings,
  number: number,
  watch: (host: Stage) => void = () => {},
): Generator<void, Trial> {
  if (settings.kernel !== null) return runTrial(settings, number);
  const setup = setUp(settings, number);
  yield;
  const host =
    settings.host === "lockstep" ? new LockstepHost(setup, true) : new EventsHost(timed(settings, setup), true);
  host.begin();
  for (let step = 0; host.advance(); step++) {
    watch(host);
    if (step % TURN === 0) yield;
  }
  return summarize(settings, number, host.result());
}
