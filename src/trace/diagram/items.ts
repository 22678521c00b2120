/** What a diagram shows of a story: one item for each thing that happened to a node, with what is said there. */
import type { Part } from "../../narrator.ts";
import { kindOf, PLAIN, pictureLabel } from "../describe.ts";
import { happens, type TraceEvent } from "../events.ts";
import type { Sentence, Story } from "../story.ts";

export type Mark = Part | "crash" | "pause" | "resume" | "leave" | "refuse" | "lost";

export interface Arrow {
  readonly from: number;
  /** The number of the item that sent it; -1 where nobody knows. */
  readonly tail: number;
  readonly kind: string;
}

export interface Item {
  readonly number: number;
  readonly node: number;
  readonly at: number;
  readonly mark: Mark;
  /** A timer set it off. */
  readonly timer: boolean;
  /** The message that arrives here, or never does. */
  readonly arrow: Arrow | null;
  /** Stands at the head of the arrow; empty where the sender says it for all. */
  readonly label: string;
  readonly words: string;
  /** What it sends to many at once. */
  readonly cast: { readonly text: string; readonly kind: string } | null;
}

/** From this many equal messages on, the sender says what it sends, and not each arrow. */
const MANY = 4;

const MARKS: Readonly<Partial<Record<TraceEvent["do"], Mark>>> = {
  crash: "crash",
  pause: "pause",
  resume: "resume",
  leave: "leave",
  refuse: "refuse",
  lose: "lost",
};

const NOT_DELIVERED = { loss: "lost", crash: "it has crashed", leave: "it has left", nobody: "not there yet" } as const;

/** A picture shows by itself that a node starts and that a round ends. */
const SAID: Readonly<Partial<Record<TraceEvent["do"], string>>> = {
  ...PLAIN,
  start: "",
  "end-round": "",
  refuse: "refuses it",
};

export function itemsOf(
  story: Story,
  wanted: (event: TraceEvent, number: number) => boolean,
  withWords: boolean,
): Item[] {
  const { events, told } = story;
  const sends = sendsByCause(events);
  const cast = new Map<number, string>();
  for (const numbers of sends.values()) {
    for (const alike of groupedByLabel(events, numbers).values()) {
      if (alike.length >= MANY) for (const number of alike) cast.set(number, pictureLabel(messageOf(events[number])));
    }
  }
  const delivered = new Set<number>();
  const believes = verdictsByCause(events);
  return events.flatMap((event, number): Item[] => {
    if (!(happens(event) || event.do === "lose") || !wanted(event, number)) return [];
    const sentence = told.get(number);
    const sent = sends.get(number) ?? [];
    const verdict = believes.get(number);
    const silent = sent.length === 0 && (sentence?.brief ?? null) === null;
    const routine = event.do === "end-round" || (event.do === "timer" && sentence?.general === false);
    if (routine && silent && verdict === undefined) return [];
    // A message brings it into being: that it begins just then goes without saying.
    if (event.do === "start" && silent && touchedNow(events, number)) return [];
    const sending = event.cause === null ? undefined : events[event.cause];
    const arrives = sending?.do === "send" && event.cause !== null;
    const again = arrives && delivered.has(event.cause) ? " again" : "";
    if (arrives) delivered.add(event.cause);
    const many = sent.find((one) => cast.has(one));
    const label = !arrives || cast.has(event.cause) ? again.trim() : `${pictureLabel(sending.message)}${again}`;
    return [
      {
        number,
        node: event.node,
        at: event.at,
        mark: MARKS[event.do] ?? sentence?.part ?? "contends",
        timer: event.do === "timer",
        arrow: arrives ? { from: sending.node, tail: sending.cause ?? -1, kind: kindOf(sending.message) } : null,
        label: event.do === "lose" && label !== "" ? `${label}, ${NOT_DELIVERED[event.why]}` : label,
        words: withWords ? wordsOf(event, sentence, verdict) : "",
        cast:
          many === undefined
            ? null
            : { text: `${cast.get(many)} → ${sent.length} nodes`, kind: kindOf(messageOf(events[many])) },
      },
    ];
  });
}

/** Whether something else happens to the node in the same instant. */
function touchedNow(events: readonly TraceEvent[], number: number): boolean {
  const { node, at } = events[number];
  for (let i = number + 1; i < events.length && events[i].at === at; i++) {
    if (events[i].node === node && happens(events[i])) return true;
  }
  return false;
}

type Verdict = Extract<TraceEvent, { do: "verdict" }>;

function wordsOf(event: TraceEvent, sentence: Sentence | undefined, verdict: Verdict | undefined): string {
  const { brief = null, part = null, general = true } = sentence ?? {};
  const said = [SAID[event.do] ?? "", brief ?? (event.do === "timer" && general ? event.timer : "")];
  if (event.do === "command") said.unshift(`told ${pictureLabel(event.message)}`);
  if (verdict?.status === "elected" && part === "leads" && !/lead/.test(brief ?? "")) said.push("leads");
  return said.filter((part) => part !== "").join(": ");
}

const messageOf = (event: TraceEvent): unknown => ("message" in event ? event.message : null);

function sendsByCause(events: readonly TraceEvent[]): Map<number | null, number[]> {
  const sends = events.flatMap((event, number) => (event.do === "send" ? [number] : []));
  return grouped(sends, (number) => events[number].cause);
}

const groupedByLabel = (events: readonly TraceEvent[], numbers: readonly number[]): Map<string, number[]> =>
  grouped(numbers, (number) => pictureLabel(messageOf(events[number])));

function grouped<K>(numbers: readonly number[], keyOf: (number: number) => K): Map<K, number[]> {
  const groups = new Map<K, number[]>();
  for (const number of numbers) {
    const group = groups.get(keyOf(number));
    if (group === undefined) groups.set(keyOf(number), [number]);
    else group.push(number);
  }
  return groups;
}

function verdictsByCause(events: readonly TraceEvent[]): Map<number, Verdict> {
  const verdicts = new Map<number, Verdict>();
  for (const event of events) if (event.do === "verdict" && event.cause !== null) verdicts.set(event.cause, event);
  return verdicts;
}
