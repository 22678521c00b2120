/**
 * What formulas and recursions lead one to expect, and the formulas of the papers by themselves. Needs no Node.
 *
 * @module sortition/theory
 */

export { InputError, ProtocolError } from "../errors.ts";
export type { Kernel } from "../kernels/kernel.ts";
export { type ProtocolQuestion, predict, register } from "../registry/all.ts";
export type { Entry } from "../registry/entry.ts";
export type { Attempt, Planning, PlanSetting, Tries, Way } from "../registry/planning.ts";
export { questionOf, type SettingQuestion } from "../simulation/question.ts";
export {
  type EpidemicDelivery,
  type EpidemicSetting,
  epidemicDelivery,
  obtainedLoss,
} from "../theory/gupta/epidemic.ts";
export {
  type GuptaFactors,
  type GuptaSetting,
  type Optimum,
  optimumK,
  roundFactors,
  roundSuccess,
} from "../theory/gupta/gupta.ts";
export {
  lowerBounds,
  missProbability,
  paperSizes,
  type RefereeSizes,
  refereesMessageBound as messageBound,
} from "../theory/kutten/kutten.ts";
export type { Losses, Method, Prediction, Question } from "../theory/prediction.ts";
export { expectedContenders, quorumMiss, severalLeadersBound } from "../theory/ramanathan/ramanathan.ts";
export { type Design, quorumSize } from "../theory/ramanathan/sigma.ts";
export type { Tuned } from "../theory/raz/optimum.ts";
export type { CouncilDesign, Search } from "../theory/raz/raz.ts";
export {
  type CouncilName as Council,
  type CouncilSetting as Setting,
  type CouncilTheory,
  councilCost,
  councilTheory,
  masksTheory,
} from "../theory/raz/report.ts";
export type { Cost } from "../theory/raz/restarts.ts";
export { type ItaiRodehMeans, itaiRodehMeans } from "../theory/rings/itai-rodeh.ts";
export { petersonPhases, petersonRounds } from "../theory/rings/peterson.ts";
export {
  changRobertsBest,
  changRobertsMean,
  changRobertsWorst,
  harmonic,
  hirschbergSinclairBound,
  hirschbergSinclairMean,
  petersonBound,
  petersonMessages,
  type Stop,
  timeSliceCost,
} from "../theory/rings/rings.ts";
