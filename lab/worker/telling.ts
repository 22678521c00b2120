/** The events of a run that is stepped through, told one by one. */
import type { Happening } from "../../src/host/step-recorder.ts";
import type { StepEvent, SteppedRun } from "../../src/host/stepping.ts";
import type { Part, Scene, Seen } from "../../src/narrator.ts";
import type { AnyProtocol, Verdict } from "../../src/protocol.ts";
import { narratorOf } from "../../src/registry/all.ts";
import { messageText } from "../../src/trace/describe.ts";
import { generalNarrator } from "../../src/trace/general-narrator.ts";
import type { Sending, Told } from "../run/types.ts";

/** Where whoever lets a larger id pass cannot win any more. */
const BY_LARGEST_ID = ["chang-roberts", "hirschberg-sinclair"];

/** Tells each event of a run as it is stepped through; it must see all of them, in order. */
export class Narration {
  private readonly protocol: AnyProtocol;
  private readonly run: SteppedRun;
  private readonly scene: Scene;
  private readonly states = new Map<number, unknown>();
  /** Which cuts come from where: the sentence of a cut is about what was asked for. */
  private readonly cuts: readonly string[];
  private cut = 0;
  /** Contenders past hope: a larger id has passed them. They do not know it, but the viewer does. */
  private readonly beaten = new Set<number>();

  constructor(protocol: AnyProtocol, run: SteppedRun, scene: Scene) {
    this.protocol = protocol;
    this.run = run;
    this.scene = scene;
    this.cuts = run.injected.flatMap(({ action }) => {
      if ("heal" in action) return ["the network is whole again"];
      return "cut" in action ? [`the network is cut: ${nodes(action.cut[0])} can no longer reach the rest`] : [];
    });
  }

  tell(event: StepEvent): Told {
    const { run } = this;
    const { node } = event;
    const verdict: Pick<Verdict, "status" | "leader"> =
      node === null ? { status: "undecided", leader: null } : run.verdict(node);
    const { says, part } = this.words(event);
    const struck =
      event.struck === null ? "" : `, and ${event.struck === "crash" ? "crashes" : "is paused"} in the middle of it`;
    return {
      time: event.time,
      kind: event.kind,
      node,
      text: sentence(`${says}${struck}`),
      part: event.struck === "crash" ? "crashed" : part,
      pause: event.kind === "pause" || event.struck === "pause" ? true : event.kind === "resume" ? false : null,
      verdict: { status: verdict.status, leader: verdict.leader },
      messages: run.view.messages,
      ends: "flight" in event ? event.flight : null,
      fate: event.kind === "deliver" ? "arrives" : event.kind === "lose" ? "lost" : null,
      from: "from" in event ? event.from : null,
      sends: event.sends.filter(({ to }) => to >= 0).map(sendingOf),
    };
  }

  private words(event: StepEvent): { says: string; part: Told["part"] } {
    if (event.node === null) return { says: this.cuts[this.cut++] ?? "the network changes", part: null };
    const name = this.scene.name(event.node);
    const seen = seenIn(event);
    if (seen !== null) return this.narrated(event.node, seen);
    switch (event.kind) {
      case "crash":
        return { says: `${name} has crashed`, part: "crashed" };
      case "pause":
        return { says: `${name} stands still until t = ${round(event.to)}`, part: null };
      case "resume":
        return { says: `${name} goes on`, part: null };
      case "lose":
        return { says: this.lost(event, name), part: null };
      default:
        return { says: `${name}: ${event.kind}`, part: null };
    }
  }

  private lost({ from, message, why }: Extract<Happening, { kind: "lose" }>, name: string): string {
    const what = `${messageText(message)} from ${this.scene.name(from)}`;
    if (why === "loss") return `${what} to ${name} is lost on the way`;
    if (why === "refused") return `${name} refuses ${what}`;
    return `${what} finds that ${name} has ${why === "leave" ? "left" : "crashed"}`;
  }

  private narrated(node: number, seen: Seen<unknown>): { says: string; part: Part } {
    const begins = seen.do === "start" || seen.do === "restart" || seen.do === "join";
    const before = begins ? null : (this.states.get(node) ?? null);
    const after = this.run.state(node);
    this.states.set(node, after);
    const own = narratorOf(this.protocol)?.(before, seen, after, this.scene) ?? null;
    const telling = own ?? generalNarrator(before, seen, after, this.scene);
    const part = telling.part ?? partOf(this.protocol.verdict(after));
    if (begins) this.beaten.delete(node);
    if (BY_LARGEST_ID.includes(this.protocol.name) && seen.do === "deliver") this.watchFor(node, seen.message);
    return {
      says: `${telling.as ?? this.scene.name(node)} ${telling.says}`,
      part: part === "contends" && this.beaten.has(node) ? "out" : part,
    };
  }

  private watchFor(node: number, message: unknown): void {
    const passing = numberIn(message);
    if (passing !== null && passing > (this.scene.id(node) ?? Infinity)) this.beaten.add(node);
  }
}

export function partOf({ status, leader }: Verdict): Part {
  if (status === "elected") return "leads";
  if (status === "undecided") return "contends";
  return leader === null ? "out" : "informed";
}

export function sendingOf(sent: {
  readonly flight: number | null;
  readonly to: number;
  readonly message: unknown;
  readonly lost: unknown;
}): Sending {
  const { flight, to, message, lost } = sent;
  const value = numberIn(message);
  return { flight, to, text: messageText(message), token: tokenOf(message, value), value, lost: lost !== null };
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

/** What a handler saw and sent; null where none ran. */
function seenIn(event: StepEvent): Seen<unknown> | null {
  if (event.node === null) return null;
  const { node } = event;
  const sent = event.sends.map(({ to, message }) => ({ to, message }));
  switch (event.kind) {
    case "start":
    case "restart":
    case "join":
    case "leave":
    case "end-round":
      return { do: event.kind, node, sent };
    case "deliver":
      return { do: "deliver", node, sent, from: event.from, message: event.message };
    case "expire":
      return { do: "timer", node, sent, timer: event.timer };
    case "command":
      return { do: "command", node, sent, message: event.message };
    default:
      return null;
  }
}

export const round = (time: number): number => Math.round(time * 1000) / 1000;

/** With a capital and a full stop. */
export function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}

const MOST_NAMED = 6;

function nodes(side: readonly number[]): string {
  if (side.length === 1) return `node ${side[0]}`;
  if (side.length > MOST_NAMED) return `${side.length} nodes`;
  return `nodes ${side.slice(0, -1).join(", ")} and ${side.at(-1)}`;
}
