/**
 * A run with its sentences: what happened at each event, and why. The command line and the Lab take their sentences from here,
 * for live and for recorded runs.
 */

import type { Partition } from "../host/faults/faults.ts";
import { copy } from "../host/stepping/copy.ts";
import type { Happening, StepEvent } from "../host/stepping/step-recorder.ts";
import type { AnyNarrate, Held, Part, Scene, Seen, Telling } from "../narrator.ts";
import type { AnyProtocol } from "../protocol.ts";
import { isObject } from "../protocols/shape.ts";
import { entryOf, narratorOf } from "../registry/all.ts";
import { eventText, messageText } from "./describe.ts";
import { jsonOf, type TraceEvent, type TraceLog, type TraceStep } from "./events.ts";

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
  /** The node cannot win any more, which the node itself does not know. */
  readonly beaten: boolean;
  readonly about: readonly number[];
  /** What the node holds after the event. */
  readonly held: Held | null;
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
  private readonly beaten = new Set<number>();

  constructor(protocol: AnyProtocol, scene: Scene) {
    this.protocol = protocol;
    this.scene = scene;
    const own = narratorOf(protocol);
    this.hasOwn = own !== null;
    this.narrate = own ?? generalNarrator;
  }

  /** The handler of the log's present event has run and left its node in this state, which will change. */
  settled({ events, handling }: TraceLog, state: unknown): void {
    const seen = seenAt(events, handling!);
    if (seen !== null) this.told.set(handling!, this.handled(seen, state));
  }

  /** As `settled`, where states are never changed and the caller knows the one before. */
  tell(events: readonly TraceEvent[], number: number, before: unknown, after: unknown): void {
    const seen = seenAt(events, number);
    if (seen !== null) this.told.set(number, this.sentence(seen, before, after));
  }

  /** The sentence of one handler call. The state will change: it is copied. */
  handled(seen: Seen<unknown>, state: unknown): Sentence {
    const after = copy(state);
    const before = this.states.get(seen.node) ?? null;
    this.states.set(seen.node, after);
    return this.sentence(seen, before, after);
  }

  private sentence(seen: Seen<unknown>, before: unknown, after: unknown): Sentence {
    const { node } = seen;
    // A process that begins anew has nothing from its life before.
    if (seen.do === "start" || seen.do === "restart" || seen.do === "join") {
      before = null;
      this.beaten.delete(node);
    }
    const own = this.narrate(before, seen, after, this.scene);
    const telling = own ?? generalNarrator(before, seen, after, this.scene);
    const { says, brief = null, about = [], as = null } = telling;
    if (telling.beaten) this.beaten.add(node);
    return {
      node,
      text: `${as ?? this.scene.name(node)} ${says}`,
      says,
      as,
      brief,
      part: telling.part ?? partOf(this.protocol, after),
      beaten: this.beaten.has(node),
      about,
      held: entryOf(this.protocol)?.page?.holds?.(after) ?? null,
      general: !this.hasOwn || own === null,
    };
  }
}

function partOf(protocol: AnyProtocol, state: unknown): Part {
  const { status, leader } = protocol.verdict(state);
  if (status === "elected") return "leads";
  if (status === "undecided") return "contends";
  return leader === null ? "out" : "informed";
}

/** What sets off a handler; nothing else that happens does. */
const HANDLED: readonly TraceEvent["do"][] = [
  "start",
  "restart",
  "join",
  "leave",
  "end-round",
  "deliver",
  "timer",
  "command",
];

/** What a handler saw and sent; null where none ran. */
function seenAt(events: readonly TraceEvent[], number: number): Seen<unknown> | null {
  const event = events[number];
  if (!HANDLED.includes(event.do)) return null;
  const sent: { to: number; message: unknown }[] = [];
  for (let i = number + 1; i < events.length; i++) {
    const effect = events[i];
    if (effect.do === "send" && effect.cause === number) sent.push({ to: effect.to, message: effect.message });
  }
  return { ...event, sent } as Seen<unknown>;
}

/** One sentence for any event of a story. */
export function sentenceOf({ events, told, scene }: Story, number: number): string {
  const event = events[number];
  const own = told.get(number);
  if (own !== undefined) return own.text;
  const sending = event.cause === null ? undefined : events[event.cause];
  if (sending?.do === "send") {
    const { node: from, message } = sending;
    if (event.do === "lose" || event.do === "refuse") return happeningText({ ...event, from, message }, scene);
    if (event.do === "duplicate")
      return `${messageText(message)} from ${scene.name(from)} to ${scene.name(event.node)} will arrive twice`;
  }
  return plainText(event, scene);
}

/** What happened to a node, and no more than that. */
export function plainText(step: TraceStep, scene: Scene): string {
  return `${scene.name(step.node)}${step.do === "timer" ? "'s" : ""} ${eventText(step, scene.name)}`;
}

/** One sentence for a step; `told` is that of its handler, where one ran. */
export function stepText(step: StepEvent, told: Sentence | null, scene: Scene): string {
  const text = told?.text ?? happeningText(step, scene);
  if (step.struck === null) return text;
  return `${text}, and ${step.struck === "crash" ? "crashes" : "is paused"} in the middle of it`;
}

/** What happens, where no handler runs that could be told. */
function happeningText(happening: Happening, scene: Scene): string {
  if (happening.do === "cut") return cutText(happening.partition);
  if (happening.do !== "lose" && happening.do !== "refuse") return plainText(happening, scene);
  const name = scene.name(happening.node);
  const what = `${messageText(happening.message)} from ${scene.name(happening.from)}`;
  if (happening.do === "refuse") return `${name} refuses ${what}: it does not have the shape of a message`;
  if (happening.why === "loss") return `${what} to ${name} is lost on the way`;
  return `${what} finds that ${name} ${FOUND[happening.why]}`;
}

const FOUND = { crash: "has crashed", leave: "has left", nobody: "is not there yet" } as const;

/** More nodes than this are not listed. */
const MOST_NAMED = 6;

function cutText(partition: Partition | null): string {
  if (partition === null) return "the network is whole again";
  const [side] = partition.groups;
  const nodes =
    side.length === 1
      ? `node ${side[0]}`
      : side.length > MOST_NAMED
        ? `${side.length} nodes`
        : `nodes ${side.slice(0, -1).join(", ")} and ${side.at(-1)}`;
  return `the network is cut: ${nodes} can no longer reach the rest`;
}

/** What a list of events adds to one that a handler ran for; null where it would only say again what stands there. */
export function listedWords({ told }: Story, number: number): string | null {
  const sentence = told.get(number);
  if (sentence === undefined) return null;
  return sentence.general ? sentence.brief : sentence.text;
}

// Any protocol in words: what a node received, what changed in its state, what it sent.

const MOST_CHANGES = 3;
const MOST_SENDS = 2;

const CHANGED = " has changed";

const isShort = (value: unknown): boolean => typeof value !== "object" || value === null;

export function generalNarrator(before: unknown, event: Seen<unknown>, after: unknown, scene: Scene): Telling {
  const changes = before === null ? [] : changesOf(before, after);
  const parts = [happening(event, scene.name), ...changes, sends(event, scene.name)];
  return {
    says: parts.filter((part) => part !== "").join(", "),
    // Beside an event of a diagram only news have room, not that something long is different again.
    brief: changes.filter((change) => !change.endsWith(CHANGED)).join(", ") || null,
  };
}

function happening(event: Seen<unknown>, name: (node: number) => string): string {
  switch (event.do) {
    case "deliver": {
      const from = event.from === event.node ? "itself" : name(event.from);
      return `receives ${messageText(event.message)} from ${from}`;
    }
    case "command":
      return `is told ${messageText(event.message)} by its user`;
    case "timer":
      return `has its timer "${event.timer}" expire`;
    case "end-round":
      return "ends its round";
    case "restart":
      return "starts again";
    case "leave":
      return "leaves";
    default:
      return event.do === "join" ? "joins" : "starts";
  }
}

/** What has changed in the state: scalars with their new value, what is longer only by name. */
function changesOf(before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  const names = Object.keys(after).filter((name) => jsonOf(after[name]) !== jsonOf(before[name]));
  const told = names
    .slice(0, MOST_CHANGES)
    .map((name) => (isShort(after[name]) ? `${name} is ${after[name]}` : `${name}${CHANGED}`));
  return names.length > MOST_CHANGES ? [...told, `${names.length - MOST_CHANGES} more have changed`] : told;
}

function sends({ node, sent }: Seen<unknown>, name: (node: number) => string): string {
  if (sent.length === 0) return "";
  const alike = sent.every(({ message }) => messageText(message) === messageText(sent[0].message));
  if (alike && sent.length > MOST_SENDS) return `sends ${messageText(sent[0].message)} to ${sent.length} nodes`;
  if (sent.length > MOST_SENDS) return `sends ${sent.length} messages`;
  const each = sent.map(({ to, message }) => `${messageText(message)} to ${to === node ? "itself" : name(to)}`);
  return `sends ${each.join(" and ")}`;
}
