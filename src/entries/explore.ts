/**
 * Every schedule of a small network: the shortest run that breaks a promise, or the knowledge that there is none. Custom
 * properties are plain objects. Needs no Node.
 *
 * @module sortition/explore
 */
export { InputError, ProtocolError } from "../errors.ts";
export { type Case, type Exploration, type ExploreRequest, explore, exploring } from "../explorer/explore.ts";
export type { Known, KnownSpan as Span } from "../explorer/probability/fraction.ts";
export { type Fraction, toDouble } from "../explorer/probability/fraction.ts";
export type { Spent } from "../explorer/probability/graph.ts";
export {
  computing,
  type Probabilities,
  type ProbabilityRequest,
  probabilities,
} from "../explorer/probability/probabilities.ts";
export type { Budget, Problem } from "../explorer/problem.ts";
export type { Clock } from "../explorer/search/deepen.ts";
export type { Paused, RepeatedSteps, SearchCounts, Violation } from "../explorer/search/search-terms.ts";
export type { PromiseStanding, PromiseVerdict } from "../explorer/search/verdicts.ts";
export type { Step } from "../explorer/space/configurations.ts";
export type { StateSpace } from "../explorer/space/state-space.ts";
export {
  agreement,
  atMostOneLeader,
  election,
  eventually,
  everyNodeDecides,
  leaderElected,
  leaderKnown,
  messageBound,
  notTooFew,
  notTooMany,
  type Property,
  promisesOf,
  propertyNames,
  someLeader,
  termination,
  timeBound,
  type View,
} from "../properties/properties.ts";
