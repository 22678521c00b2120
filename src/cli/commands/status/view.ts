/** What an agent knows, as text for a terminal: leaders first, members as far as there is room, what is unusual before what is not. */

import type { AgentMembers, AgentSeat, AgentStatus } from "../../../api/client.ts";
import { epsilonInWords } from "../../../elector/report.ts";
import { secondsText } from "../../text/figures.ts";
import { harmless, named, shortened, table, wrap } from "../../text/table.ts";
import type { Paint } from "../../text/terminal.ts";

type OneMember = AgentMembers["members"][number];
type OneRecent = AgentMembers["recent"][number];

interface StatusRoom {
  /** Of members and of offices, at most. */
  readonly rows: number;
  readonly width: number;
  readonly paint: Paint;
  /** Milliseconds since it was asked for: so much less is left of leases. */
  readonly elapsed: number;
}

const LONGEST_NAME = 24;
const LONGEST_ZONE = 12;
/** Who has gone is of interest for a while; `sortition keys ls` names all. */
const MOST_GONE = 5;

const short = (name: string, most = LONGEST_NAME): string => shortened(harmless(name), most);
export function statusText(status: AgentStatus, room: StatusRoom): string {
  const { width } = room;
  return [
    ...wrap(headline(status), width),
    ...troubles(status).flatMap((line) => wrap(line, width).map((part) => room.paint("yellow", part))),
    "",
    officeTable(status, room),
    ...councils(status).flatMap((line) => wrap(line, width)),
    "",
    ...memberLines(status, room),
    ...oddsLines(status).flatMap((line) => ["", ...wrap(line, width)]),
  ].join("\n");
}

const HELD = { cgroup: "a cgroup", "process table": "the process table" };

function headline({ self, members }: AgentStatus): string {
  const mode = self.mode === "strict" ? `strict (leases of ${secondsText(self.leaseTtlMs ?? 0)})` : "probabilistic";
  const { length } = members.members;
  const count = length === 1 ? "1 member" : `${length} members`;
  const held = self.commandHeld === undefined ? "" : `, which holds its command by ${HELD[self.commandHeld]}`;
  return `Group "${harmless(self.group)}", ${mode}, ${count}, as ${harmless(self.name)} knows it (${harmless(self.address)}, sortition ${harmless(self.version)})${held}.`;
}

function troubles({ self: { engine, quorate, stalls } }: AgentStatus): string[] {
  return [
    ...(engine.state === "silent" ? [`The lease store does not answer: ${harmless(engine.why ?? "")}`] : []),
    ...(quorate ? [] : ["This side of the group sees no more than half of it, and elects nobody (policy majority)."]),
    ...(stalls.count > 0
      ? [`The agent paused ${stalls.count === 1 ? "once" : `${stalls.count} times`}, for up to ${stalls.longestMs} ms.`]
      : []),
  ];
}

function officeTable({ offices, self }: AgentStatus, { rows, width, paint, elapsed }: StatusRoom): string {
  const isStrict = self.mode === "strict";
  // Those without a leader first, if not all can be shown.
  const unusual = (seat: AgentSeat) => (seat.leader?.state === "live" ? 1 : 0);
  const most = Math.max(4, rows);
  const shown = offices.length <= most ? offices : [...offices].sort((a, b) => unusual(a) - unusual(b)).slice(0, most);
  const columns = [
    { title: "office" },
    { title: "term", align: "right" as const },
    ...(isStrict ? [{ title: "token", align: "right" as const }] : []),
    { title: "leader", wrap: true },
  ];
  const text = table(
    columns,
    shown.map((seat) => [
      short(seat.office),
      String(seat.term),
      ...(isStrict ? [seat.token ?? "-"] : []),
      leaderText(seat, elapsed),
    ]),
    { width, heading: (line) => paint("bold", line) },
  );
  if (shown.length === offices.length) return text;
  const rest = offices.filter((seat) => !shown.includes(seat));
  const vacant = rest.filter((seat) => unusual(seat) === 0).length;
  return `${text}\n... and ${rest.length} more, ${vacant === 0 ? "all led" : `${vacant} of them without a live leader`}`;
}

function leaderText({ leader, validForMs, asker }: AgentSeat, elapsed: number): string {
  const asks = asker === null || asker === leader?.name ? "" : `; ${short(asker)} asks the lease store`;
  if (leader === null) return `nobody${asks}`;
  const left = validForMs - elapsed;
  const mine = validForMs > 0 ? `this member, ${left > 0 ? `${secondsText(left)} left` : "lease over"}` : "this member";
  const notes = [
    ...(leader.mine ? [mine] : []),
    ...(leader.state === "unreachable" ? ["has the lease, but nobody reaches it"] : []),
    ...(leader.state === "stale" ? ["may be out of date"] : []),
  ];
  return `${short(leader.name)}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}${asks}`;
}

const councils = ({ offices }: AgentStatus): string[] =>
  offices.flatMap(({ office, council }) =>
    council === null ? [] : [`Council of ${harmless(office)}: ${named(council, 40)}`],
  );

/** A column is left out where it would say the same of everybody, which is said once instead. */
function memberLines({ members: { members, recent }, offices }: AgentStatus, room: StatusRoom): string[] {
  const { rows, width, paint } = room;
  const leaders = new Set(offices.flatMap(({ leader }) => (leader === null ? [] : [leader.name])));
  const usual = commonKeys(members);
  const isUsual = ({ keys }: OneMember) => keysText(keys) === usual;
  const rank = (one: OneMember) =>
    one.state !== "alive" || !isUsual(one) ? 0 : leaders.has(one.name) ? 1 : one.self ? 2 : 3;
  const shown =
    members.length <= rows
      ? members
      : [...members].sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)).slice(0, Math.max(3, rows - 2));
  const hasZones = members.some(({ zone }) => zone !== "");
  const hasKeys = !members.every(isUsual);
  const marked = (one: OneMember) =>
    `${one.state}${leaders.has(one.name) ? ", leads" : ""}${one.self ? ", this one" : ""}`;
  const columns = [
    { title: "member" },
    { title: "state" },
    ...(hasZones ? [{ title: "zone" }] : []),
    ...(hasKeys ? [{ title: "keys" }] : []),
    { title: "address", wrap: true },
  ];
  const text = table(
    columns,
    shown.map((one) => [
      short(one.name),
      marked(one),
      ...(hasZones ? [short(one.zone, LONGEST_ZONE)] : []),
      ...(hasKeys ? [keysText(one.keys)] : []),
      harmless(one.address),
    ]),
    { width, heading: (line) => paint("bold", line) },
  );
  const rest = members.length - shown.length;
  const keys = hasKeys ? [] : [`All seal with ${usual.replace(" +", " and also open ").replaceAll(" +", ", ")}.`];
  return [
    text,
    ...(rest > 0 ? wrap(`... and ${restText(members, shown)}`, width) : []),
    ...keys.flatMap((line) => ["", ...wrap(line, width)]),
    ...goneLines(recent).flatMap((line) => wrap(line, width)),
  ];
}

function restText(members: readonly OneMember[], shown: readonly OneMember[]): string {
  const seen = new Set(shown);
  const rest = members.filter((one) => !seen.has(one));
  const alive = rest.filter(({ state }) => state === "alive").length;
  const zones = new Map<string, number>();
  for (const { zone } of rest) if (zone !== "") zones.set(zone, (zones.get(zone) ?? 0) + 1);
  const where = [...zones]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([zone, count]) => `${short(zone, LONGEST_ZONE)} ${count}`);
  const states = alive === rest.length ? "all alive" : `${alive} alive, ${rest.length - alive} suspected`;
  return `${rest.length} more, ${states}${where.length === 0 ? "" : ` (${named(where, 8)})`}`;
}

/** The sealing key, and those that are only opened. */
function keysText(keys: OneMember["keys"]): string {
  if (keys === null) return "not said";
  const others = keys.opens.filter((id) => id !== keys.seals).map((id) => ` +${harmless(id)}`);
  return `${harmless(keys.seals)}${others.join("")}`;
}

function commonKeys(members: readonly OneMember[]): string {
  const counts = new Map<string, number>();
  for (const { keys } of members) counts.set(keysText(keys), (counts.get(keysText(keys)) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? "";
}

function goneLines(recent: readonly OneRecent[]): string[] {
  if (recent.length === 0) return [];
  const shown = recent.slice(0, MOST_GONE).map(({ name, state, agoMs }) => `${short(name)} ${state} ${ago(agoMs)} ago`);
  const more = recent.length - shown.length;
  return [`Gone within a day: ${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`];
}

function ago(ms: number): string {
  const [minutes, hours] = [ms / 60_000, ms / 3_600_000];
  if (hours >= 1) return `${Math.round(hours)} h`;
  return minutes >= 1 ? `${Math.round(minutes)} min` : `${Math.round(ms / 1000)} s`;
}

/** Never without what it leaves out; the worst of all offices. */
function oddsLines({ offices }: AgentStatus): string[] {
  const known = offices.flatMap(({ epsilon }) => (epsilon === null ? [] : [epsilon]));
  if (known.length === 0) return [];
  const words = epsilonInWords({ epsilon: Math.max(...known), protocol: "" });
  return [`${words[0].toUpperCase()}${words.slice(1)}.`];
}
