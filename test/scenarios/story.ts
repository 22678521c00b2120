/** What a group did, in the words of a transcript: who acts, and below it what followed. */
import type { Verdict } from "../../src/protocol.ts";
import { eventText, messageText, time } from "../../src/trace/describe.ts";
import type { TraceEvent } from "../../src/trace/events.ts";

const HANDLED: readonly TraceEvent["do"][] = ["start", "restart", "crash", "deliver", "timer", "end-round"];

/** The events from number `from` on. */
export function storyLines(events: readonly TraceEvent[], from: number, timed: boolean): string[] {
  const lines: string[] = [];
  let at = from === 0 ? 0 : (events[from - 1]?.at ?? 0);
  for (const event of events.slice(from)) {
    if (timed && event.at !== at) lines.push(`at ${time(event.at)}`);
    at = event.at;
    if (event.do === "timer") lines.push(`node ${event.node}'s ${eventText(event)}`);
    else if (HANDLED.includes(event.do)) lines.push(`node ${event.node} ${eventText(event)}`);
    else if (event.do === "lose") lines.push(lossText(event, events));
    else lines.push(`  ${eventText(event)}`);
  }
  return lines;
}

function lossText(event: Extract<TraceEvent, { do: "lose" }>, events: readonly TraceEvent[]): string {
  const sent = events[event.cause!];
  const what = sent.do === "send" ? `${messageText(sent.message)} from ${sent.node}` : "";
  return event.why === "loss" ? `${what} to ${event.node} is lost` : `  ${what} finds node ${event.node} crashed`;
}

export function verdictLine(node: number, verdict: Verdict | null): string {
  if (verdict === null) return `node ${node} has crashed`;
  const { status, leader } = verdict;
  if (status === "elected") return `node ${node} is elected`;
  if (status === "undecided") return `node ${node} is undecided`;
  return `node ${node} is not elected${leader === null ? "" : `, follows ${leader}`}`;
}
