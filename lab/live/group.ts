/** Members as they are shown: in which order, with which part, and which of them match what was typed. */
import type { MemberSeen, OfficeSeen, ProcessSeen } from "./checks.ts";

export type Part = "leads" | "asks" | "council" | "alive" | "suspected" | "paused" | "failed";

export const PARTS: Readonly<Record<Part, string>> = {
  leads: "leads",
  asks: "has won, and asks the lease store",
  council: "in the council",
  alive: "alive",
  suspected: "does not answer",
  paused: "paused",
  failed: "failed",
};

export interface Shown extends Pick<MemberSeen, "name" | "address" | "zone" | "priority" | "weight" | "keys"> {
  readonly part: Part;
  readonly isSelf: boolean;
  /** Of the group, as the asked agent knows it; others have failed, and are shown for a while. */
  readonly isMember: boolean;
  readonly process: ProcessSeen | null;
}

const order = new Intl.Collator("en", { numeric: true });

/** Everybody who is there, then who failed lately or whose process is known and dead; by zone and name. */
export function shownMembers(
  members: readonly MemberSeen[],
  recent: readonly MemberSeen[],
  processes: readonly ProcessSeen[],
  office: OfficeSeen | null,
  self: string,
): Shown[] {
  const council = new Set(office?.council ?? []);
  const known = new Map(processes.map((one) => [one.name, one]));
  const all = new Map<string, MemberSeen>();
  const present = new Set(members.map(({ name }) => name));
  for (const { name } of processes) all.set(name, gone(name));
  for (const one of recent) all.set(one.name, { ...one, state: "failed" });
  for (const one of members) all.set(one.name, one);
  return [...all.values()]
    .map(({ name, address, zone, priority, weight, keys, state }) => ({
      name,
      address,
      zone,
      priority,
      weight,
      keys,
      isSelf: name === self,
      process: known.get(name) ?? null,
      isMember: present.has(name),
      part: partOf(name, state, known.get(name), office, council),
    }))
    .sort((a, b) => order.compare(a.zone, b.zone) || order.compare(a.name, b.name));
}

const gone = (name: string): MemberSeen => ({
  name,
  address: "",
  state: "failed",
  zone: "",
  priority: 0,
  weight: 1,
  keys: null,
});

function partOf(
  name: string,
  state: MemberSeen["state"],
  process: ProcessSeen | undefined,
  office: OfficeSeen | null,
  council: ReadonlySet<string>,
): Part {
  if (process?.state === "dead") return "failed";
  if (process?.state === "paused") return "paused";
  // Who still holds the lease but does not answer is trouble first.
  if (state !== "alive") return state;
  if (office?.leader?.name === name && office.leader.state !== "stale") return "leads";
  if (council.has(name)) return "council";
  return office?.asker === name ? "asks" : "alive";
}

/** Every word of what was typed is in the name, the address, the zone or the part. */
export function matches({ name, address, zone, part }: Shown, typed: string): boolean {
  const text = `${name} ${address} ${zone} ${PARTS[part]}`.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Zones with their members, where there are several and not too many to be headings. */
export function byZone(shown: readonly Shown[]): readonly (readonly [string, readonly Shown[]])[] {
  const zones = new Map<string, Shown[]>();
  for (const one of shown) zones.set(one.zone, [...(zones.get(one.zone) ?? []), one]);
  return zones.size > 1 && zones.size <= 24 ? [...zones] : [["", shown]];
}

export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`;

/** Seconds, minutes or hours, short. */
export function span(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  return minutes < 60
    ? `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
