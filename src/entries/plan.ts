/**
 * Which protocol, with which numbers, for a network and a wanted chance of success. Needs no Node, but for graph files and
 * for simulations on threads.
 *
 * @module sortition/plan
 */
import "../campaign/graph-files.ts";

export { InputError, ProtocolError } from "../errors.ts";
export {
  type Advice,
  type Candidate,
  type Plan,
  type PlanOptions,
  type PlanRequest,
  plan,
  type Rejection,
  type Verified,
  type VerifiedTime,
} from "../planner/plan.ts";
export type { Interval } from "../planner/verify.ts";
export type { Council } from "../registry/planning.ts";
export type { Runner, RunOptions } from "../statistics/chunk.ts";
