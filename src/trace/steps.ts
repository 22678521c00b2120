/** The steps of a trace, as if somebody stepped through the run that it records. */
import type { Sent, StepEvent } from "../host/stepping/step-recorder.ts";
import type { Verdict } from "../protocol.ts";
import type { TraceEvent } from "./events.ts";

/** A step's number is that of its event, and a message's is that of its sending. */
type TracedStep = StepEvent & {
  /** What the node believes afterwards. */
  readonly verdict: Pick<Verdict, "status" | "leader">;
};

type Growing = TracedStep & { sends: Sent[]; verdict: TracedStep["verdict"]; struck: TracedStep["struck"] };

export function stepsOf(events: readonly TraceEvent[]): TracedStep[] {
  const steps: Growing[] = [];
  /** By the number of an event: the step that it is, or that sent it. */
  const stepOf = new Map<number, Growing>();
  /** By the number of a sending: its copies that are on their way. */
  const copies = new Map<number, number[]>();
  const verdicts = new Map<number, TracedStep["verdict"]>();
  for (const [number, event] of events.entries()) {
    const { node, cause } = event;
    const before = cause === null ? undefined : stepOf.get(cause);
    if (event.do === "verdict") {
      const verdict = { status: event.status, leader: event.leader };
      verdicts.set(node, verdict);
      if (before !== undefined) before.verdict = verdict;
    } else if (event.do === "send") {
      before?.sends.push({ flight: number, to: event.to, message: event.message, lost: null });
      if (before !== undefined) stepOf.set(number, before);
      copies.set(number, [number]);
    } else if (event.do === "duplicate") {
      const { message } = events[cause!] as Extract<TraceEvent, { do: "send" }>;
      before?.sends.push({ flight: number, to: node, message, lost: null });
      copies.get(cause!)?.push(number);
    } else if (event.do === "crash" && before !== undefined) before.struck = "crash";
    else if (event.do === "lose" && before !== undefined && before === steps.at(-1)) {
      // What is lost in the very event that sent it never was on its way.
      const flight = copies.get(cause!)?.pop();
      const place = before.sends.findIndex((sent) => sent.flight === flight);
      before.sends[place] = { ...before.sends[place], flight: null, lost: event.why };
    } else {
      const sending = cause === null ? undefined : events[cause];
      const isMessage = sending?.do === "send";
      const step = {
        ...event,
        ...(isMessage ? { from: sending.node, message: sending.message } : {}),
        number,
        time: event.at,
        flight: isMessage ? (copies.get(cause!)?.shift() ?? cause) : null,
        sends: [],
        struck: null,
        verdict: verdicts.get(node) ?? { status: "undecided", leader: null },
      } as Growing;
      stepOf.set(number, step);
      steps.push(step);
    }
  }
  return steps;
}
