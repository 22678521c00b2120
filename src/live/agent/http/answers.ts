/** What the API answers about its member: made when it is asked for, never kept. What a program sees is answered as it is. */
import type * as v from "valibot";
import type {
  AnswerOf,
  BeginSchema,
  BegunSchema,
  CouncilSchema,
  FenceSchema,
  FinishedSchema,
  FinishSchema,
  JobSchema,
  MembersSchema,
  OfficeSchema,
  SeatSchema,
  SelfSchema,
  StatusSchema,
} from "../../../api/schemas.ts";
import { EPSILON_CAVEAT } from "../../../elector/report.ts";
import type { JobRecord } from "../../../protocols/lease/messages.ts";
import { version } from "../../../version.ts";
import { GroupError } from "../../join/errors.ts";
import type { GroupMember } from "../../join/member.ts";
import type { MemberView, OfficeView } from "../../join/view.ts";

/** Tokens outgrow the whole numbers of most readers of JSON. */
const tokenText = (token: bigint | null | undefined): string | null => token?.toString() ?? null;

/** What became of a request for an office. */
export const withTokenText = <T extends { readonly token: bigint | null }>(done: T) => ({
  ...done,
  token: tokenText(done.token),
});

/** One seat, or all seats of an office that has several. */
export function officeAnswer(member: GroupMember, office: string | undefined): AnswerOf<typeof OfficeSchema> {
  const { group, members } = member;
  const seats = member.seats(office).map((seat) => {
    const view = member.office(seat);
    return seatAnswer(member, view, members, view.leader?.mine ? member.promise(seat) : 0);
  });
  if (seats.length === 1) return seats[0];
  const [{ office: first }] = seats;
  return { group, office: first.slice(0, first.lastIndexOf("#")), seats };
}

/** `validForMs`: a promise to a program that works by it. A request that only looks must not delay a hand-over. */
function seatAnswer(
  { group, facts }: GroupMember,
  { office, term, leader, epsilon, council, asker, protocol }: OfficeView,
  members: readonly MemberView[],
  validForMs: number,
): AnswerOf<typeof SeatSchema> {
  const odds = facts.leaseTtl === null ? epsilon : null;
  return {
    group,
    office,
    term,
    leader: leader && {
      name: leader.name,
      address: members.find(({ name }) => name === leader.name)?.address ?? null,
      mine: leader.mine,
      state: leader.state,
    },
    token: tokenText(leader?.token),
    validForMs,
    epsilon: odds,
    caveat: odds === null ? null : EPSILON_CAVEAT,
    council,
    asker,
    election: protocol === null ? null : { protocol, epsilon, caveat: EPSILON_CAVEAT },
  };
}

/** For the program beside this member: what it shows to guards. */
export function fenceAnswer(member: GroupMember, office: string | undefined): AnswerOf<typeof FenceSchema> {
  const held = member.seats(office).flatMap((seat) => {
    const [fence, token, validForMs] = [member.fence(seat), member.office(seat).leader?.token, member.promise(seat)];
    return fence === null || token == null ? [] : [{ office: seat, token: String(token), fence, validForMs }];
  });
  if (held.length === 1) return { group: member.group, ...held[0] };
  if (held.length > 1) {
    const advice = `name one, such as ${held[0].office}`;
    throw new GroupError("BAD_OPTION", "this member leads several of its seats", advice);
  }
  if (member.facts.leaseTtl !== null) {
    throw new GroupError("NOT_HELD", "this member does not lead it", "ask the member that does");
  }
  const why = "there are no leases, so there is nothing to fence with";
  throw new GroupError("BAD_LEASE", why, "start all members with --lease");
}

export function councilAnswer(member: GroupMember, name: string | undefined): AnswerOf<typeof CouncilSchema> {
  const { office, council, seated } = member.office(member.seats(name)[0]);
  return { group: member.group, office, council, seated };
}

const recordAnswer = (record: JobRecord | null) => record && { ...record, token: String(record.token) };

export async function jobAnswer(member: GroupMember, key: string): Promise<AnswerOf<typeof JobSchema>> {
  return { group: member.group, record: recordAnswer(await member.job(key)) };
}

/** For the program beside this member: whether it may begin, and what it shows to guards. */
export async function begunAnswer(
  member: GroupMember,
  { key, office, scheduledAt = 0, noted, afterMs, attempts, keepMs }: v.InferOutput<typeof BeginSchema>,
): Promise<AnswerOf<typeof BegunSchema>> {
  const begun = await member.beginJob(key, {
    office,
    occurrence: scheduledAt,
    noted,
    repeat: afterMs,
    attempts,
    keep: keepMs,
  });
  const { verdict, wait, attempt, seat, token, record } = begun;
  const isBegun = verdict === "begun";
  return {
    group: member.group,
    office: seat,
    verdict,
    waitMs: Math.ceil(wait),
    attempt: isBegun ? attempt : null,
    token: isBegun ? tokenText(token) : null,
    fence: isBegun ? member.fence(seat) : null,
    validForMs: isBegun ? member.promise(seat) : 0,
    record: recordAnswer(record),
  };
}

export async function finishedAnswer(
  member: GroupMember,
  { key, attempt, outcome, status, keepMs }: v.InferOutput<typeof FinishSchema>,
): Promise<AnswerOf<typeof FinishedSchema>> {
  const { recorded, record } = await member.finishJob(key, attempt, outcome, status ?? null, keepMs);
  return { group: member.group, recorded, record: recordAnswer(record) };
}

export const membersAnswer = ({ group, name, members, recent }: GroupMember): AnswerOf<typeof MembersSchema> => ({
  group,
  self: name,
  members,
  recent,
});

/** What holds all that the command of `sortition run` starts. */
export type CommandHeld = NonNullable<AnswerOf<typeof SelfSchema>["commandHeld"]>;

export function selfAnswer(member: GroupMember, commandHeld?: CommandHeld): AnswerOf<typeof SelfSchema> {
  const { offices, members, engine, quorate } = member.status();
  const { leaseTtl, profile, traffic, offices: given } = member.facts;
  return {
    name: member.name,
    group: member.group,
    address: member.address,
    version,
    mode: leaseTtl === null ? "probabilistic" : "strict",
    offices: given,
    leads: Object.values(offices).flatMap(({ office, term, leader }) =>
      leader?.mine ? [{ office, term, token: tokenText(leader.token), leaseMs: member.leaseLeft(office) }] : [],
    ),
    engine,
    quorate,
    members: members.length,
    profile,
    leaseTtlMs: leaseTtl,
    keys: member.keys,
    stalls: member.stalls,
    traffic,
    ...(commandHeld !== undefined && { commandHeld }),
  };
}

/** All of it at one moment, for display: nothing is promised. */
export function statusAnswer(
  member: GroupMember,
  at: number,
  commandHeld?: CommandHeld,
): AnswerOf<typeof StatusSchema> {
  const { offices, members, history } = member.status();
  return {
    at,
    self: selfAnswer(member, commandHeld),
    members: membersAnswer(member),
    offices: Object.values(offices).map((office) => seatAnswer(member, office, members, 0)),
    history: history.map(withTokenText),
  };
}
