/**
 * Offices with a council ("audit:3..5"): who holds the office is one of its members, and keeps between L - 1 and U - 1 others
 * in their seats (see council/councils.ts).
 */
import type { Port } from "../protocol.ts";
import { companyIn } from "./company.ts";
import * as councils from "./council/councils.ts";
import type { SeatMessage } from "./council/messages.ts";
import { resignSeats } from "./council/seats.ts";
import type { ProfileName } from "./params.ts";
import { leads } from "./presence.ts";
import type { OfficeReport } from "./report.ts";
import type { Office, Turn } from "./state.ts";

/** Milliseconds. */
const TICKS: Readonly<Record<ProfileName, number>> = { local: 1000, lan: 2000, wan: 4000 };

function companyOf(turn: Turn): councils.CouncilCompany {
  const { state, ctx } = turn;
  return {
    ...companyIn(turn),
    tick: TICKS[state.params.profile],
    send: (port, message) => ctx.send(port, { kind: "council", message }),
    arm: (timer, after) => ctx.arm(timer, after),
  };
}

export function hearCouncil(turn: Turn, port: Port, message: SeatMessage): void {
  councils.receive(turn.state.councils, port, message, companyOf(turn));
  touch(turn);
}

/** A member takes seats in councils of offices that it wants. */
export function hearCouncilNote(turn: Turn, value: unknown): void {
  const { state } = turn;
  const isWilling = (office: string) => state.eligible && !state.leaving && state.offices.get(office)?.wanted === true;
  councils.hearNote(state.councils, value, isWilling, companyOf(turn));
  touch(turn);
}

export function tickCouncils(turn: Turn): void {
  councils.expire(turn.state.councils, companyOf(turn));
  touch(turn);
}

export const leaveCouncils = (turn: Turn): void => councils.leave(turn.state.councils, companyOf(turn));

/** What is reported of offices with a council may have changed. */
function touch({ state }: Turn): void {
  for (const office of state.ranges.keys()) if (state.offices.has(office)) state.touched.add(office);
}

/** At the end of a handler: this member keeps the councils of the offices that it holds, and no others. */
export function followCouncils(turn: Turn): void {
  const { state } = turn;
  if (state.ranges.size === 0) return;
  for (const [office, { L, U }] of state.ranges) {
    const holds = state.led.has(office);
    if (holds === state.councils.kept.has(office)) continue;
    if (holds) councils.keepCouncil(state.councils, office, { L: L - 1, U: U - 1 }, companyOf(turn));
    else councils.closeCouncil(state.councils, office, companyOf(turn));
    state.touched.add(office);
  }
  if (state.eligible || state.councils.seats.held.size === 0) return;
  resignSeats(state.councils.seats, companyOf(turn));
  touch(turn);
}

/** The fields of the report; none for offices without a council. */
export function councilOf(
  turn: Turn,
  office: Office,
  leader: string | null,
): Pick<OfficeReport, "council" | "seat"> | Record<string, never> {
  const { councils: state, ranges } = turn.state;
  if (!ranges.has(office.name)) return {};
  const seat = leads(turn, office) || councils.hasSeat(state, office.name);
  const others = councils.memberNames(state, office.name).filter((name) => name !== leader);
  return { council: leader === null ? others : [leader, ...others], seat };
}
