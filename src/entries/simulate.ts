/**
 * Elections on simulated networks: many of them with statistics, one of them in full, or a host by itself; networks, delays
 * and faults. Needs no Node, but for threads, for graph files and for protocols from modules.
 *
 * @module sortition/simulate
 */
export {
  type CampaignOptions,
  campaign,
  loadModule as loadProtocol,
  openPool,
  type Simulation,
  simulate,
} from "../campaign/campaign.ts";
export type { CampaignCrew } from "../campaign/ledger.ts";
export { estimateMiss, type MissEstimate, type MissOptions, type MissQuestion } from "../campaign/rare.ts";
export { type Planned, type Point, type Sweep, type SweepOptions, sweep } from "../campaign/sweep.ts";
export { InputError, ProtocolError } from "../errors.ts";
export type { Delay } from "../host/delays.ts";
export { runEvents } from "../host/events.ts";
export { parseFaultFile } from "../host/faults/fault-file.ts";
export {
  type Chance,
  type ClockRate,
  type Command,
  type Crash,
  type FaultPlan,
  type Moment,
  NO_FAULTS,
  type Partition,
  type Pause,
  type Restart,
  type Span,
  type Spike,
} from "../host/faults/faults.ts";
export { runLockstep } from "../host/lockstep.ts";
export type { Missed, Observer, Start } from "../host/observer.ts";
export type { EventsSetup, Result, Setup } from "../host/setup.ts";
export type { Happening, Sent, StepEvent } from "../host/stepping/step-recorder.ts";
export {
  events,
  type Flight,
  type Injected,
  type Intervention,
  openRun,
  type StepOptions,
  type SteppedRun,
} from "../host/stepping/stepping.ts";
export { Watch } from "../host/watch.ts";
export { type Breach, Monitor } from "../properties/monitor.ts";
export {
  agreement,
  atMostOneLeader,
  everyNodeDecides,
  type History,
  leaderKnown,
  messageBound,
  type Property,
  promisesOf,
  type RunView,
  someLeader,
  termsGrow,
  type View,
} from "../properties/properties.ts";
export type { Found, ProtocolSource } from "../protocols/registry.ts";
export type { Setting } from "../setting.ts";
export { LENGTH, SETTINGS } from "../settings/simulation.ts";
export {
  type FaultRequest,
  type HostName,
  type Ids,
  type Initiators,
  type Request,
  resolve,
  type Settings,
} from "../simulation/settings.ts";
export { openTrial, runSetup, runTrial, setUp, type Trial } from "../simulation/trial.ts";
export type { Summary } from "../statistics/distribution.ts";
export type { Rate } from "../statistics/intervals.ts";
export type { Estimate } from "../statistics/paired.ts";
export type { Precision } from "../statistics/precision.ts";
export type { Report } from "../statistics/report.ts";
export { type Analysis, analyse, type Degrees } from "../topology/analyse.ts";
export type { Walk } from "../topology/chain.ts";
export { complete } from "../topology/complete.ts";
export { type Dropped, EdgeList, type Graph, graphOf } from "../topology/csr.ts";
export type { Diameter } from "../topology/diameter.ts";
export type { ReadFile } from "../topology/files/file.ts";
export { hypercube, starGraph as star, torus } from "../topology/lattices.ts";
export type { MixingTime } from "../topology/mixing.ts";
export { NEXT, PREVIOUS, ring } from "../topology/ring.ts";
export { buildNetwork, type Network, type NetworkRequest, readFilesWith } from "../topology/spec.ts";
export type { Topology } from "../topology/topology.ts";
export { open } from "../topology/topology.ts";
export type { Kind, Share } from "../values.ts";
