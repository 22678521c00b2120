/** Seats of a group as tables and as data. */
import type { Holder, SeatSeen } from "../../protocols/lease/messages.ts";
import { table } from "./table.ts";
import type { Paint } from "./terminal.ts";

/** Said before and after a release by hand. */
export const NOT_FREE_OF_DANGER =
  "The holder is not told before its next renewal, and may be working still; from the next lease on, only guards that check tokens keep its writes out.";

export const nameOf = ({ name, life }: Holder): string => `${name} (life ${life.toString(36)})`;

const COLUMNS = [
  { title: "seat" },
  { title: "holder" },
  { title: "left", align: "right" },
  { title: "token", align: "right" },
  { title: "lease" },
  { title: "also", wrap: true },
] as const;

export function seatTable(seats: readonly SeatSeen[], group: string, paint: Paint, width: number | null): string {
  if (seats.length === 0) return `Nobody in group "${group}" has asked for a lease yet.`;
  const rows = seats.map((seat) => {
    const { holder } = seat;
    return [
      seat.seat,
      holder === null ? "free" : holder.name,
      holder === null ? "-" : seconds(holder.left),
      String(seat.token),
      holder?.lease ?? "-",
      notes(seat).join(", "),
    ];
  });
  return table(COLUMNS, rows, { width, heading: (text) => paint("bold", text) });
}

export function details(seat: SeatSeen): string {
  const { holder, reserved } = seat;
  const lines: [string, string][] = [
    ["seat", seat.seat],
    ["holder", holder === null ? "nobody" : nameOf(holder)],
    ...(holder === null
      ? ([["highest token", String(seat.token)]] as [string, string][])
      : ([
          ["token", String(holder.token)],
          ["lease", holder.lease],
          ["left", `${seconds(holder.left)}${holder.frozen ? ", whatever is renewed" : ", if it is not renewed"}`],
        ] as [string, string][])),
    ["pre-emptible", seat.preemptible ? "yes" : "no"],
    ...(reserved === null
      ? []
      : ([["reserved", `for ${reserved.name}, ${seconds(reserved.left)}`]] as [string, string][])),
  ];
  const longest = Math.max(...lines.map(([title]) => title.length));
  return lines.map(([title, value]) => `${title.padEnd(longest)}  ${value}`).join("\n");
}

function notes({ holder, reserved, preemptible }: SeatSeen): string[] {
  return [
    ...(holder?.frozen ? ["end is fixed"] : []),
    ...(reserved === null ? [] : [`reserved for ${reserved.name} (${seconds(reserved.left)})`]),
    ...(preemptible ? ["pre-emptible"] : []),
  ];
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Tokens as text: they outgrow what JSON's readers take for whole numbers. */
export function asData({ seat, token, preemptible, holder, reserved }: SeatSeen) {
  return {
    seat,
    token: String(token),
    preemptible,
    holder: holder && {
      name: holder.name,
      life: holder.life,
      token: String(holder.token),
      lease: holder.lease,
      frozen: holder.frozen,
      leftMs: holder.left,
    },
    reserved: reserved && { name: reserved.name, leftMs: reserved.left },
  };
}
