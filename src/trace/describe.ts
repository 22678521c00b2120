/** A trace in words. */
import { encode } from "../explorer/plain.ts";
import type { TraceEvent } from "./events.ts";

/** A message as people write it: its kind, then its fields. */
export const messageText = (message: unknown): string => text(message, () => true);

/** As `messageText`, without what is itself made of parts: a label has little room. */
export const labelText = (message: unknown): string =>
  text(message, (value) => typeof value !== "object" || value === null);

function text(message: unknown, wanted: (value: unknown) => boolean): string {
  if (typeof message !== "object" || message === null) return String(message);
  const { kind, ...fields } = message as Record<string, unknown>;
  const list = Object.entries(fields)
    .filter(([, value]) => value !== undefined && wanted(value))
    .map(([name, value]) => `${name} ${partText(value)}`)
    .join(", ");
  if (kind === undefined) return list;
  return list === "" ? String(kind) : `${kind} (${list})`;
}

function partText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? encode(value) : `(${messageText(value)})`;
}

export function eventText(event: TraceEvent): string {
  switch (event.do) {
    case "start":
      return "starts";
    case "restart":
      return "starts again after a crash";
    case "crash":
      return "crashes";
    case "send":
      return `sends ${messageText(event.message)} to ${event.to === event.node ? "itself" : event.to}`;
    case "deliver":
      return `receives ${messageText(event.message)} from ${event.from === event.node ? "itself" : event.from}`;
    case "lose":
      return event.why === "loss" ? "never gets it: lost on the way" : "never gets it: it has crashed";
    case "timer":
      return `timer «${event.timer}» expires`;
    case "end-round":
      return "ends the round";
    case "verdict":
      return verdictText(event);
  }
}

function verdictText({ status, leader, term }: Extract<TraceEvent, { do: "verdict" }>): string {
  const inTerm = term === 0 ? "" : ` in term ${term}`;
  if (status === "elected") return `IS ELECTED${inTerm}`;
  const follows = leader === null ? "" : `, follows ${leader}`;
  return `is ${status}${follows}${inTerm}`;
}

/** One line an event: number, time, node, what, and the number of its cause. */
export function lines(events: readonly TraceEvent[], wanted: (event: TraceEvent) => boolean = () => true): string[] {
  const numbers = String(events.length).length + 1;
  const times = events.reduce((most, { at }) => Math.max(most, time(at).length), 4);
  return events.flatMap((event, i) => {
    if (!wanted(event)) return [];
    const why = event.cause === null ? "" : `  ← #${event.cause}`;
    return [
      `${`#${i}`.padStart(numbers)}  t=${time(event.at).padEnd(times)} node ${event.node}  ${eventText(event)}${why}`,
    ];
  });
}

export const time = (at: number) => String(Math.round(at * 1000) / 1000);
