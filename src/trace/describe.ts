/** A trace in words. */
import { canonicalText } from "../explorer/space/plain.ts";
import type { Verdict } from "../protocol.ts";
import type { TraceEvent, TraceStep } from "./events.ts";

/** A message as people write it: its kind, then its fields. */
export function messageText(message: unknown): string {
  if (typeof message !== "object" || message === null) return String(message);
  const { kind, ...fields } = message as Record<string, unknown>;
  const list = Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${partText(value)}`)
    .join(", ");
  if (kind === undefined) return list;
  return list === "" ? String(kind) : `${kind} (${list})`;
}

function partText(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? canonicalText(value) : `(${messageText(value)})`;
}

/** What a message is called in a legend. */
export function kindOf(message: unknown): string {
  if (typeof message !== "object" || message === null) return typeof message === "string" ? message : "message";
  return "kind" in message ? String(message.kind) : "message";
}

/** A message in few words, for a picture: its kind and what is short in it, an id without saying so. */
export function pictureLabel(message: unknown): string {
  if (typeof message !== "object" || message === null) return String(message);
  const { kind, id, ...fields } = message as Record<string, unknown>;
  const parts = Object.entries({ id, ...fields }).flatMap(([name, value]) => {
    if (typeof value === "boolean") return [value ? name : `not ${name}`];
    if (typeof value !== "number" && typeof value !== "string") return [];
    return [name === "id" || name === kind ? String(value) : `${name} ${value}`];
  });
  return [...(kind === undefined ? [] : [String(kind)]), parts.join(", ")].filter((part) => part !== "").join(" ");
}

/** What needs no more words than this. */
export const PLAIN = {
  start: "starts",
  restart: "starts again",
  join: "joins",
  leave: "leaves",
  crash: "crashes",
  pause: "is paused",
  resume: "goes on",
  "end-round": "ends the round",
  duplicate: "will get it twice",
} as const;

const UNDELIVERED = {
  loss: "lost on the way",
  crash: "it has crashed",
  leave: "it has left",
  nobody: "it is not there yet",
} as const;

const nodeNumber = (node: number): string => `node ${node}`;

/** What happened at a node, without the node; `name` says what others are called. */
export function eventText(event: TraceStep, name: (node: number) => string = nodeNumber): string {
  switch (event.do) {
    case "send":
      return `sends ${messageText(event.message)} to ${event.to === event.node ? "itself" : name(event.to)}`;
    case "deliver":
      return `receives ${messageText(event.message)} from ${event.from === event.node ? "itself" : name(event.from)}`;
    case "lose":
      return `never gets it: ${UNDELIVERED[event.why]}`;
    case "refuse":
      return `refuses ${messageText(event.message)}: it does not have the shape of a message`;
    case "timer":
      return `timer "${event.timer}" expires`;
    case "command":
      return `is told ${messageText(event.message)} by its user`;
    case "verdict":
      return verdictText(event);
    default:
      return PLAIN[event.do];
  }
}

function verdictText({ status, leader, term }: Verdict): string {
  const inTerm = term === 0 ? "" : ` in term ${term}`;
  if (status === "elected") return `IS ELECTED${inTerm}`;
  const follows = leader === null ? "" : `, follows id ${leader}`;
  return `is ${status === "not-elected" ? "not elected" : status}${follows}${inTerm}`;
}

/** One line an event: number, time, node, what, and the number of its cause. `words` may add what it means. */
export function lines(
  events: readonly TraceEvent[],
  wanted: (event: TraceEvent, number: number) => boolean = () => true,
  words: (number: number) => string | null = () => null,
): string[] {
  const numbers = String(events.length).length + 1;
  const times = events.reduce((most, { at }) => Math.max(most, time(at).length), 4);
  return events.flatMap((event, i) => {
    if (!wanted(event, i)) return [];
    const why = event.cause === null ? "" : `  ← #${event.cause}`;
    const head = `${`#${i}`.padStart(numbers)}  t=${time(event.at).padEnd(times)} `;
    const line = `${head}node ${event.node}  ${eventText(event)}${why}`;
    const said = words(i);
    return said === null ? [line] : [line, `${" ".repeat(head.length)}${said}`];
  });
}

export const time = (at: number) => String(Math.round(at * 1000) / 1000);
