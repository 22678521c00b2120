/**
 * Joining a group (`join`), and what most other programs need, in one place; the parts, with more in each, are `sortition/protocol`, `/simulate`, `/explore`,
 * `/plan`, `/theory`, `/trace` and `/live`. Needs Node.
 *
 * @module sortition
 */
export { type CampaignOptions, campaign } from "../campaign/campaign.ts";
export { loadProtocol } from "../campaign/load-protocol.ts";
export { estimateMiss, type MissEstimate, type MissOptions, type MissQuestion } from "../campaign/rare.ts";
export { type Simulation, simulate } from "../campaign/simulate.ts";
export { type Planned, type Point, type Sweep, type SweepOptions, sweep } from "../campaign/sweep.ts";
export { InputError, ProtocolError } from "../errors.ts";
export type {
  MemberEvent as GroupEvent,
  MemberEventFields as GroupEventFields,
  MemberEventName as GroupEventName,
  MemberEventOf as GroupEventOf,
} from "../events/events.ts";
export { type Exploration, type ExploreRequest, explore } from "../explorer/explore.ts";
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
  type Spike,
} from "../host/faults/faults.ts";
export { runLockstep } from "../host/lockstep.ts";
export type { EventsSetup, Result, Setup } from "../host/setup.ts";
export type { LeaderCause, LeaderChange } from "../live/group/history.ts";
export type { JobLeadership, JobWork } from "../live/jobs/job.ts";
export type { JobDone, OnceOptions, ScheduleHandle, ScheduleOptions } from "../live/jobs/member-jobs.ts";
export type { When } from "../live/jobs/when.ts";
export type { GroupChange, GroupChanges } from "../live/join/changes.ts";
export type { Resigned, Transferred } from "../live/join/departures.ts";
export type { Elected } from "../live/join/elections.ts";
export { GroupError, type GroupErrorCode } from "../live/join/errors.ts";
export { join } from "../live/join/join.ts";
export { GroupMember, type ShardWork } from "../live/join/member.ts";
export type { JoinOptions } from "../live/join/options.ts";
export type { GroupStatus, Leader, MemberKeys, MemberView, OfficeView, RecentMember } from "../live/join/view.ts";
export type { Leadership, LeadHandle, LeadOptions, Work, WorkFailure } from "../live/leading/scope.ts";
export { NotLeading } from "../live/leading/scope.ts";
export type { StallReport } from "../live/stalls.ts";
export { type Candidate, type Plan, type PlanRequest, plan, type Rejection, type Verified } from "../planner/plan.ts";
export {
  type Address,
  type AnyProtocol,
  type Assumptions,
  type Census,
  type Context,
  type Experiment,
  type GraphFacts,
  type Id,
  type Machine,
  type NetworkFacts,
  type Outcome,
  type Parameter,
  type ParameterValue,
  type Port,
  type Protocol,
  SELF,
  type Self,
  type Verdict,
  type WakeSchedule,
} from "../protocol.ts";
export { catalogue, protocolNamed } from "../protocols/catalogue.ts";
export { defineProtocol, type GivenProtocol } from "../protocols/check.ts";
export { byAttribute, type Choice, defineChoice } from "../protocols/group/choice.ts";
export type { JobRecord } from "../protocols/lease/messages.ts";
export { type Params, resolveParameters } from "../protocols/parameters.ts";
export type { Found, ModuleSource, ProtocolChoice, ProtocolSource } from "../protocols/registry.ts";
export { type ProtocolQuestion, predict, register } from "../registry/all.ts";
export type { Entry } from "../registry/entry.ts";
export type { Attempt, Planning, PlanSetting, Tries, Way } from "../registry/planning.ts";
export {
  type HostName,
  type Ids,
  type Initiators,
  type Request,
  resolve,
  type Settings,
} from "../simulation/settings.ts";
export { runTrial, type Trial } from "../simulation/trial.ts";
export type { Summary } from "../statistics/distribution.ts";
export type { Rate } from "../statistics/intervals.ts";
export type { Report } from "../statistics/report.ts";
export type { Method, Prediction, Question } from "../theory/prediction.ts";
export { complete } from "../topology/complete.ts";
export { NEXT, PREVIOUS, ring } from "../topology/ring.ts";
export type { Topology } from "../topology/topology.ts";
export type { TraceEvent } from "../trace/events.ts";
export { traceTrial } from "../trace/replay.ts";
export { version } from "../version.ts";
