/** A run with its sentences: what happened at each event, and why. */
import type { AnyNarrate, Part, Scene, Seen } from "../narrator.ts";
import type { AnyProtocol } from "../protocol.ts";
import { narratorOf } from "../registry/all.ts";
import { eventText, messageText } from "./describe.ts";
import type { TraceEvent, TraceLog } from "./events.ts";
import { generalNarrator } from "./general-narrator.ts";

/** What an event means, in words. */
export interface Sentence {
  readonly node: number;
  /** "node 4 swallows id 11: its own id, 12, is larger". */
  readonly text: string;
  /** The sentence without the node. */
  readonly says: string;
  /** What the node is called in this part, where that is not "node 4". */
  readonly as: string | null;
  /** Few words for a picture; null where it needs none. */
  readonly brief: string | null;
  readonly part: Part;
  readonly about: readonly number[];
  /** Told in general words, because the protocol has none of its own. */
  readonly general: boolean;
}

/** A recorded run, with what each event means. */
export interface Story {
  readonly events: readonly TraceEvent[];
  /** By the number of the event; only where a handler ran and its state was seen. */
  readonly told: ReadonlyMap<number, Sentence>;
  readonly scene: Scene;
}

/** Tells each handler call of a run as it happens. */
export class Teller {
  readonly told = new Map<number, Sentence>();
  private readonly protocol: AnyProtocol;
  private readonly scene: Scene;
  private readonly narrate: AnyNarrate;
  private readonly hasOwn: boolean;
  private readonly states = new Map<number, unknown>();

  constructor(protocol: AnyProtocol, scene: Scene) {
    this.protocol = protocol;
    this.scene = scene;
    const own = narratorOf(protocol);
    this.hasOwn = own !== null;
    this.narrate = own ?? generalNarrator;
  }

  /** A handler has run and left its node in this state, which will change: it is copied. */
  settled({ events, handling }: TraceLog, state: unknown): void {
    const { node } = events[handling!];
    const after = structuredClone(state);
    this.tell(events, handling!, this.states.get(node) ?? null, after);
    this.states.set(node, after);
  }

  /** As `settled`, where states are never changed and somebody else knows the one before. */
  tell(events: readonly TraceEvent[], number: number, before: unknown, after: unknown): void {
    const seen = seenAt(events, number);
    if (seen === null) return;
    // A process that begins anew has nothing from its life before.
    if (seen.do === "start" || seen.do === "restart" || seen.do === "join") before = null;
    const own = this.narrate(before, seen, after, this.scene);
    const telling = own ?? generalNarrator(before, seen, after, this.scene);
    const { node } = seen;
    const as = telling.as ?? null;
    const { says, brief = null, about = [] } = telling;
    const part = telling.part ?? partOf(this.protocol, after);
    const text = `${as ?? this.scene.name(node)} ${says}`;
    this.told.set(number, { node, text, says, as, brief, part, about, general: !this.hasOwn || own === null });
  }
}

function partOf(protocol: AnyProtocol, state: unknown): Part {
  const { status, leader } = protocol.verdict(state);
  if (status === "elected") return "leads";
  if (status === "undecided") return "contends";
  return leader === null ? "out" : "informed";
}

/** What a handler saw and sent; null where none ran. */
function seenAt(events: readonly TraceEvent[], number: number): Seen<unknown> | null {
  const event = events[number];
  const sent: { to: number; message: unknown }[] = [];
  for (let i = number + 1; i < events.length; i++) {
    const effect = events[i];
    if (effect.do === "send" && effect.cause === number) sent.push({ to: effect.to, message: effect.message });
  }
  const { node } = event;
  switch (event.do) {
    case "start":
    case "restart":
    case "join":
    case "leave":
    case "end-round":
      return { do: event.do, node, sent };
    case "deliver":
      return { do: "deliver", node, sent, from: event.from, message: event.message };
    case "timer":
      return { do: "timer", node, sent, timer: event.timer };
    case "command":
      return { do: "command", node, sent, message: event.message };
    default:
      return null;
  }
}

/** One sentence for any event of a story. */
export function sentenceOf({ events, told, scene }: Story, number: number): string {
  const event = events[number];
  const own = told.get(number);
  if (own !== undefined) return own.text;
  const name = scene.name(event.node);
  const sending = event.cause === null ? undefined : events[event.cause];
  if (sending?.do === "send") {
    const what = `${messageText(sending.message)} from ${scene.name(sending.node)}`;
    if (event.do === "lose") return lossText(what, name, event.why);
    if (event.do === "duplicate") return `${what} to ${name} will arrive twice`;
  }
  return `${name} ${eventText(event, scene.name)}`;
}

export function lossText(what: string, name: string, why: Extract<TraceEvent, { do: "lose" }>["why"]): string {
  if (why === "loss") return `${what} to ${name} is lost on the way`;
  return `${what} finds that ${name} has ${why === "crash" ? "crashed" : "left"}`;
}

/** What a list of events adds to one that a handler ran for; null where it would only say again what stands there. */
export function listedWords({ told }: Story, number: number): string | null {
  const sentence = told.get(number);
  if (sentence === undefined) return null;
  return sentence.general ? sentence.brief : sentence.text;
}
