/**
 * The worker thread of `sortition explore`. The search runs here, so that the main thread can show progress and can end a search that
 * hangs in a user's code. It reports each level and the outcome by message, and its counts through shared memory.
 */
import { parentPort, workerData } from "node:worker_threads";
import { type Refused, refused } from "../../../campaign/refusal.ts";
import { flagOf, InputError, ProtocolError } from "../../../errors.ts";
import type { Level } from "../../../explorer/search/deepen.ts";
import { showCalls } from "../../../protocols/calls.ts";
import {
  CASES_DONE,
  CASES_IN_ALL,
  type SearchJob,
  type SearchOutcome,
  STATES_FOUND,
  STOPS,
  searchedHere,
} from "./searched.ts";

export interface ThreadTask extends SearchJob {
  readonly shared: Float64Array;
}

/** What this thread posts: that a level begins, the outcome, or the error that ended the search. */
export type ThreadReport = { readonly level: Pick<Level, "choices" | "limits"> } | SearchOutcome | Refused;

const { shared, ...job } = workerData as ThreadTask;
const say = (said: ThreadReport) => parentPort!.postMessage(said);

showCalls(job.calls!);
try {
  const outcome = await searchedHere(job, {
    onLevel: (level) => say({ level }),
    onProgress(states, done, cases) {
      shared[STATES_FOUND] = states;
      shared[CASES_DONE] = done;
      shared[CASES_IN_ALL] = cases;
    },
    isInterrupted: () => shared[STOPS] === 1,
  });
  say(outcome);
} catch (error) {
  // Errors name settings as flags: the function that words them cannot be sent to the main thread.
  const isPlain = error instanceof InputError && !(error instanceof ProtocolError);
  say(refused(isPlain ? new InputError(error.wording(flagOf)) : error));
}
