/** What the API answers about its member: made when it is asked for, never kept. */
import type * as v from "valibot";
import type { Council, Fence, Members, Office, Seat, Self, Status } from "../../../api/schemas.ts";
import { EPSILON_CAVEAT } from "../../../elector/report.ts";
import { version } from "../../../version.ts";
import { GroupError } from "../../join/errors.ts";
import type { GroupMember } from "../../join/member.ts";
import type { MemberKeys } from "../../join/view.ts";

/** One seat, or all seats of an office that has several. */
export function officeAnswer(member: GroupMember, office: string | undefined): v.InferOutput<typeof Office> {
  const { group } = member;
  const seats = member.seats(office);
  if (seats.length === 1) return seatAnswer(member, seats[0], true);
  const name = seats[0].slice(0, seats[0].lastIndexOf("#"));
  return { group, office: name, seats: seats.map((seat) => seatAnswer(member, seat, true)) };
}

/** `promises`: whether somebody will work by it. Who only looks should not keep others from leading. */
export function seatAnswer(member: GroupMember, seat: string, promises: boolean): v.InferOutput<typeof Seat> {
  const { term, leader, epsilon, council, asker, protocol } = member.office(seat);
  const isStrict = member.facts.leaseTtl !== null;
  const odds = isStrict ? null : epsilon;
  return {
    group: member.group,
    office: seat,
    term,
    leader: leader && {
      name: leader.name,
      address: member.members.find(({ name }) => name === leader.name)?.address ?? null,
      mine: leader.mine,
      state: leader.state,
    },
    token: leader?.token?.toString() ?? null,
    validForMs: promises && leader?.mine ? member.promise(seat) : 0,
    epsilon: odds,
    caveat: odds === null ? null : EPSILON_CAVEAT,
    council: council && [...council],
    asker,
    election: protocol === null ? null : { protocol, epsilon, caveat: EPSILON_CAVEAT },
  };
}

/** For the program beside this member: what it shows to guards. */
export function fenceAnswer(member: GroupMember, office: string | undefined): v.InferOutput<typeof Fence> {
  const held = member.seats(office).flatMap((seat) => {
    const [fence, token, validForMs] = [member.fence(seat), member.office(seat).leader?.token, member.promise(seat)];
    return fence === null || token == null ? [] : [{ office: seat, token: String(token), fence, validForMs }];
  });
  if (held.length === 1) return { group: member.group, ...held[0] };
  if (held.length > 1) {
    const advice = `name one, such as ${held[0].office}`;
    throw new GroupError("BAD_OPTION", "this member leads several of its seats", advice);
  }
  const isStrict = member.facts.leaseTtl !== null;
  const why = isStrict ? "this member does not lead it" : "there are no leases, so there is nothing to fence with";
  throw new GroupError("NOT_HELD", why, isStrict ? "ask the member that does" : "start all members with --lease");
}

export function councilAnswer(member: GroupMember, office: string | undefined): v.InferOutput<typeof Council> {
  const [seat] = member.seats(office);
  const { council, seated } = member.office(seat);
  return { group: member.group, office: seat, council: council && [...council], seated };
}

export const keysAnswer = ({ seals, opens }: MemberKeys) => ({ seals, opens: [...opens] });

export function membersAnswer(member: GroupMember): v.InferOutput<typeof Members> {
  return {
    group: member.group,
    self: member.name,
    members: member.members.map(({ name, address, state, zone, priority, weight, self, keys }) => {
      return { name, address, state, zone, priority, weight, self, keys: keys && keysAnswer(keys) };
    }),
    recent: member.recent.map(({ name, address, state, agoMs, keys }) => {
      return { name, address, state, agoMs: Math.max(0, Math.round(agoMs)), keys: keys && keysAnswer(keys) };
    }),
  };
}

export function selfAnswer(member: GroupMember): v.InferOutput<typeof Self> {
  const { offices, members, engine, quorate } = member.status();
  const { leaseTtl, profile, traffic, offices: given } = member.facts;
  const { count, longestMs } = member.stalls;
  return {
    name: member.name,
    group: member.group,
    address: member.address,
    version,
    mode: leaseTtl === null ? "probabilistic" : "strict",
    offices: [...given],
    leads: Object.values(offices).flatMap(({ office, term, leader }) => {
      if (!leader?.mine) return [];
      return [{ office, term, token: leader.token?.toString() ?? null, leaseMs: member.leaseLeft(office) }];
    }),
    engine: { state: engine.state, why: engine.why },
    quorate,
    members: members.length,
    profile,
    leaseTtlMs: leaseTtl,
    keys: keysAnswer(member.keys),
    stalls: { count, longestMs },
    traffic,
  };
}

/** All of it, of one moment, for whoever shows it: nothing is promised. */
export function statusAnswer(member: GroupMember, at: number): v.InferOutput<typeof Status> {
  const seats = Object.keys(member.status().offices);
  return {
    at,
    self: selfAnswer(member),
    members: membersAnswer(member),
    offices: seats.map((seat) => seatAnswer(member, seat, false)),
  };
}
