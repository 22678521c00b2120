/** What people see of a group's seats; nothing is written. */
import type { Holder, LeaseAnswer, LeaseRequest, SeatSeen } from "./messages.ts";
import { leaseLeft, type RegisterClock, reservedLeft } from "./register-clock.ts";
import type { LeaseRow, Rows, SeatRow } from "./register-rows.ts";

export function holderOf(lease: LeaseRow, rows: Rows): Holder {
  const { name, life } = rows.session(lease.session)!;
  return { name, life, token: lease.token, lease: lease.id, frozen: lease.until !== null };
}

export function look(rows: Rows, { id, life }: LeaseRequest, clock: RegisterClock): LeaseAnswer {
  return { kind: "seen", id, to: life, seats: rows.seats().map(([name, seat]) => seen(name, seat, rows, clock)) };
}

function seen(name: string, seat: SeatRow, rows: Rows, clock: RegisterClock): SeatSeen {
  const { token, preemptible, lease, reserved } = seat;
  const left = Math.ceil(leaseLeft(name, lease, rows, clock));
  const kept = Math.ceil(reservedLeft(name, seat, rows, clock));
  return {
    seat: name,
    token,
    preemptible,
    holder: lease !== null && left > 0 ? { ...holderOf(lease, rows), left } : null,
    reserved: reserved !== null && kept > 0 ? { name: reserved.name, left: kept } : null,
  };
}
