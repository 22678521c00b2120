/** A step of a run, live or recorded, as the page shows it. */
import type { Sent, StepEvent } from "../../src/host/stepping/step-recorder.ts";
import type { Scene } from "../../src/narrator.ts";
import { messageText } from "../../src/trace/describe.ts";
import { type Sentence, stepText } from "../../src/trace/story.ts";
import type { Sending, Told } from "../run/types.ts";

/** `said` is the sentence of the step's handler, where one ran; the counts are of all that was sent up to then. */
export function toldOf(
  step: StepEvent,
  said: Sentence | null,
  scene: Scene,
  verdict: Told["verdict"],
  { messages, multicasts }: Pick<Told, "messages" | "multicasts">,
): Told {
  const { struck, flight } = step;
  return {
    time: step.time,
    do: step.do,
    node: step.node,
    text: sentence(stepText(step, said, scene)),
    part: step.do === "crash" || struck === "crash" ? "crashed" : partOf(said),
    pause: step.do === "pause" || struck === "pause" ? true : step.do === "resume" ? false : null,
    verdict: { status: verdict.status, leader: verdict.leader },
    held: said === null ? undefined : said.held,
    messages,
    multicasts,
    cut: step.do === "cut" ? (step.partition?.groups[0] ?? null) : undefined,
    ends: flight,
    fate: flight === null ? null : step.do === "deliver" ? "arrives" : "lost",
    from: "from" in step ? step.from : null,
    sends: step.sends.filter(({ to }) => to >= 0).map(sendingOf),
  };
}

/** Contenders past hope do not know it, but the viewer does. */
function partOf(said: Sentence | null): Told["part"] {
  if (said === null) return null;
  return said.part === "contends" && said.beaten ? "out" : said.part;
}

/** The kinds of messages that answer a question. */
const REPLIES = ["reply", "answer", "yes", "no", "here", "endorsed", "refused", "accept", "reject", "echo", "back"];

function sendingOf({ flight, to, message, lost, multicast = false }: Sent): Sending {
  const value = numberIn(message);
  const { kind } = (message ?? {}) as { readonly kind?: unknown };
  return {
    flight,
    to,
    text: messageText(message),
    token: tokenOf(message, value),
    value,
    lost: lost !== null,
    multicast,
    isReply: typeof kind === "string" && REPLIES.includes(kind),
  };
}

/** How many multicasts a step has made, by whether they count as messages; each has at most one copy for a receiver. */
export function multicastsIn(
  sends: readonly Sent[],
  counts: ((message: unknown) => boolean) | undefined,
): Told["multicasts"] {
  let [counted, uncounted] = [0, 0];
  let last: unknown = null;
  const reached = new Set<number>();
  for (const { to, message, multicast } of sends) {
    if (multicast !== true) continue;
    if (message === last && !reached.has(to)) {
      reached.add(to);
      continue;
    }
    if (counts?.(message) ?? true) counted++;
    else uncounted++;
    last = message;
    reached.clear();
    reached.add(to);
  }
  return { counted, uncounted };
}

/** The number that a message is about: the id or the rank that it carries. */
function numberIn(message: unknown): number | null {
  if (typeof message !== "object" || message === null) return null;
  const { id, rank } = message as Record<string, unknown>;
  return typeof id === "number" ? id : typeof rank === "number" ? rank : null;
}

/** What can be read in a disc of 22 pixels. */
function tokenOf(message: unknown, value: number | null): string {
  const id = typeof message === "object" && message !== null && "id" in message ? message.id : null;
  return typeof id === "number" && id === value && id < 10_000 ? String(id) : "";
}

/** With a capital and a full stop. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
