/**
 * Whether members fit together. All members must have the same transport, policy and lease TTL (or no leases), and the same seats for each
 * office. Each member tells its rules in its record. A member that does not fit learns so when it joins, and does not become a member.
 */
import { memberNamed, size } from "../protocols/membership/parent.ts";
import { isLiveStatus, type KnownMember } from "../protocols/membership/records.ts";
import { type GroupParams, readOffice } from "./params.ts";
import type { Misfit, Turn } from "./state.ts";

/** The rules in a record. Usual values are left out: UDP, no lease, the policy `available`, offices of one seat. */
interface ToldRules {
  readonly transport?: string;
  readonly ttl?: number;
  readonly policy?: string;
  /** By office, where it has several seats or a council: "3", "3..5". */
  readonly seats?: Readonly<Record<string, string>>;
}

/** A record has room for 256 bytes, and keys, names and zones are told too. */
const MOST_BYTES = 96;

const NONE: ToldRules = {};

export function rulesOf({
  transport,
  lease,
  policy,
  offices,
}: Pick<GroupParams, "transport" | "lease" | "policy" | "offices">): ToldRules {
  const special = offices
    .filter((office) => office.includes(":"))
    .map((office) => office.split(":") as [string, string]);
  const seats = Object.fromEntries(special);
  const isShort = JSON.stringify(seats).length <= MOST_BYTES;
  return {
    ...(transport !== "udp" && { transport }),
    ...(lease !== null && { ttl: lease.ttl }),
    ...(policy !== "available" && { policy }),
    ...(special.length > 0 && isShort && { seats }),
  };
}

function rulesIn({ meta }: KnownMember): ToldRules {
  const { rules } = (typeof meta === "object" && meta !== null ? meta : {}) as { readonly rules?: unknown };
  return typeof rules === "object" && rules !== null ? (rules as ToldRules) : NONE;
}

/** The first difference between two members' rules, in words for each side. */
function misfit(params: GroupParams, own: ToldRules, other: ToldRules): Misfit | null {
  const carrier = ({ transport = "udp" }: ToldRules) => `has the transport "${transport}"`;
  if (own.transport !== other.transport) return { what: "transport", own: carrier(own), other: carrier(other) };
  const leases = ({ ttl }: ToldRules) => (ttl === undefined ? "no leases" : `leases of ${ttl} ms`);
  if (own.ttl !== other.ttl) {
    const what = own.ttl === undefined || other.ttl === undefined ? "mode" : "ttl";
    return { what, own: `has ${leases(own)}`, other: `has ${leases(other)}` };
  }
  const policy = ({ policy = "available" }: ToldRules) => `has the policy "${policy}"`;
  if (own.policy !== other.policy) return { what: "policy", own: policy(own), other: policy(other) };
  const seats = typeof other.seats === "object" && other.seats !== null ? other.seats : {};
  for (const office of params.offices) {
    const { name } = readOffice(office);
    const [, mine = "1"] = office.split(":");
    if (!Object.hasOwn(seats, name) || seats[name] === mine) continue;
    return { what: "seats", own: `has "${name}" as ${office}`, other: `has it as ${name}:${seats[name]}` };
  }
  return null;
}

/** Members have come, changed or gone: remembers those that do not fit. The others are not looked at, since thousands may come together. */
export function countMisfits({ state }: Turn, changed: ReadonlySet<string>): void {
  const { params, members, misfits, name: self } = state;
  const own = rulesOf(params);
  for (const name of changed) {
    const member = memberNamed(members, name);
    const isOther = member !== undefined && isLiveStatus(member.status) && name !== self;
    const found = isOther ? misfit(params, own, rulesIn(member)) : null;
    if (found === null) misfits.delete(name);
    else misfits.set(name, found);
  }
}

/** Why this member does not fit, in words; null while it fits. A member without leases gives way to leases, and a minority to the majority. */
export function unfitness({ state }: Turn): string | null {
  const { params, members, name, misfits } = state;
  if (params.mixed || misfits.size === 0) return null;
  const who = [...misfits.keys()].sort();
  const { what, own: here, other } = misfits.get(who[0])!;
  const isSure = what === "mode" && rulesOf(params).ttl === undefined;
  const fitting = size(members) - who.length;
  const isOutnumbered = who.length > fitting || (who.length === fitting && what !== "mode" && name > who[0]);
  if (!isSure && !isOutnumbered) return null;
  const more = who.length > 3 ? ` and ${who.length - 3} more` : "";
  return `this member ${here}, but ${who.slice(0, 3).join(", ")}${more} ${other.replace(/^has/, who.length > 1 ? "have" : "has")}: give all members the same, or set "mixed" while you change them one by one`;
}

/** Why another member does not fit, in words; null if it fits. */
export function misfitOf({ state: { misfits } }: Turn, name: string): string | null {
  const it = misfits.get(name);
  return it === undefined ? null : `${name} ${it.other}, and this member ${it.own}`;
}
