/** Why a message was sent: what its sender had received since it last sent anything, what the sender of that had, and so on. */
import type { RunRecord } from "./record.ts";

/** Flights, the nearest cause first. It ends where a process began by itself, or by its clock. */
export function causesOf(record: RunRecord, flight: number, most: number): number[] {
  const causes: number[] = [];
  let at = causeOf(record, flight);
  while (at !== null && causes.length < most) {
    causes.push(at);
    at = causeOf(record, at);
  }
  return causes;
}

/** In rounds a process receives first and sends when the round begins. */
function causeOf({ flights, ended, before, sent }: RunRecord, flight: number): number | null {
  let event = flights[flight].sentBy - 1;
  while (event >= 0) {
    const received = ended[event];
    if (received !== null && flights[received].fate === "arrives") return received;
    event = before[event];
    if (event < 0 || sent[event].length > 0) return null;
  }
  return null;
}
