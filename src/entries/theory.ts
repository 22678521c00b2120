/**
 * What formulas and recursions lead one to expect, and the formulas of the papers by themselves. Needs no Node.
 *
 * @module sortition/theory
 */

export { InputError, ProtocolError } from "../errors.ts";
export { type ProtocolQuestion, predict, register } from "../registry/all.ts";
export type { Entry } from "../registry/entry.ts";
export type { Attempt, Planning, Setting as PlanSetting, Tries, Way } from "../registry/planning.ts";
export { questionOf } from "../simulation/question.ts";
export { type EpidemicDelivery, type EpidemicSetting, epidemicDelivery, obtainedLoss } from "../theory/epidemic.ts";
export {
  type GuptaFactors,
  type GuptaSetting,
  type Optimum,
  optimumK,
  roundFactors,
  roundSuccess,
} from "../theory/gupta.ts";
export { type ItaiRodehMeans, itaiRodehMeans } from "../theory/itai-rodeh.ts";
export { lowerBounds, messageBound, missProbability, paperSizes, type RefereeSizes } from "../theory/kutten.ts";
export { petersonPhases, petersonRounds } from "../theory/peterson.ts";
export type { Method, Prediction, Question } from "../theory/prediction.ts";
export { expectedContenders, quorumMiss, severalLeadersBound } from "../theory/ramanathan.ts";
export { type Council, type CouncilTheory, councilCost, councilTheory, masksTheory } from "../theory/raz-report.ts";
export {
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  harmonic,
  hirschbergSinclairBound,
  hirschbergSinclairMean,
  petersonBound,
  petersonMessages,
  timeSliceCost,
} from "../theory/rings.ts";
export { type Design, quorumSize } from "../theory/sigma.ts";
