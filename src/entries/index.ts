/**
 * Joining a group (`join`), its errors and its types. Guards, a testing kit and all studies have entries of their own: `sortition/guards`,
 * `/testing`, `/live`, `/protocol`, `/simulate`, `/explore`, `/plan`, `/theory` and `/trace`. Needs Node.
 *
 * @module sortition
 */
export { InputError, ProtocolError } from "../errors.ts";
export type {
  MemberEvent as GroupEvent,
  MemberEventFields as GroupEventFields,
  MemberEventName as GroupEventName,
  MemberEventOf as GroupEventOf,
} from "../events/events.ts";
export type { LeaderCause, LeaderChange } from "../live/group/history.ts";
export type { JobLeadership, JobWork } from "../live/jobs/job.ts";
export type { JobDone, OnceOptions, ScheduleHandle, ScheduleOptions } from "../live/jobs/member-jobs.ts";
export type { When } from "../live/jobs/when.ts";
export type { GroupChange, GroupChanges } from "../live/join/changes.ts";
export type { Resigned, Transferred } from "../live/join/departures.ts";
export type { Elected } from "../live/join/elections.ts";
export { GroupError, type GroupErrorCode } from "../live/join/errors.ts";
export { join } from "../live/join/join.ts";
export type { GroupMember, ShardWork } from "../live/join/member.ts";
export type { JoinOptions } from "../live/join/options.ts";
export type { GroupStatus, Leader, MemberKeys, MemberView, OfficeView, RecentMember } from "../live/join/view.ts";
export type { Leadership, LeadHandle, LeadOptions, Work, WorkFailure } from "../live/leading/scope.ts";
export { NotLeading } from "../live/leading/scope.ts";
export type { StallReport } from "../live/stalls.ts";
export type { JobRecord } from "../protocols/lease/messages.ts";
export { version } from "../version.ts";
