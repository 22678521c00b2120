/** What somebody does to a run by hand, as text in a link: "31:crash:1", after event 31. */
import type { Injected, Intervention } from "../../src/host/stepping/stepping.ts";

/** More in one link would be a mistake or an attack. */
const MOST_FAULTS = 500;

export function faultText({ event, action }: Injected): string {
  if ("crash" in action) return `${event}:crash:${action.crash}`;
  if ("pause" in action) return `${event}:pause:${action.pause}:${action.for}`;
  if ("restart" in action) return `${event}:restart:${action.restart}`;
  if ("drop" in action) return `${event}:drop:${action.drop}`;
  if ("cut" in action) return `${event}:cut:${rangesOf(action.cut[0])}`;
  if ("heal" in action) return `${event}:heal`;
  throw new Error("nobody does this by hand in the Lab");
}

/** Null: this is no fault. */
export function parseFault(text: string): Injected | null {
  const [at, what, ...rest] = text.split(":");
  const event = count(at);
  const [first, second] = [count(rest[0]), Number(rest[1] ?? "")];
  if (event === null) return null;
  const of = (action: Intervention): Injected => ({ event, action });
  if (what === "heal") return of({ heal: true });
  if (what === "cut") {
    const side = nodesIn(rest[0] ?? "");
    return side === null ? null : of({ cut: [side] });
  }
  if (first === null) return null;
  if (what === "crash") return of({ crash: first });
  if (what === "restart") return of({ restart: first });
  if (what === "drop") return of({ drop: first });
  return what === "pause" && second > 0 && second < 1e9 ? of({ pause: first, for: second }) : null;
}

/** The faults of a link, those that are none, and how many more there were than can be taken. */
export function parseFaults(texts: readonly string[]): {
  readonly faults: Injected[];
  readonly wrong: string[];
  readonly tooMany: number;
} {
  const read = texts.slice(0, MOST_FAULTS).map((text) => [text, parseFault(text)] as const);
  const faults = read.flatMap(([, fault]) => (fault === null ? [] : [fault]));
  return {
    faults: faults.sort((a, b) => a.event - b.event),
    wrong: read.filter(([, fault]) => fault === null).map(([text]) => text),
    tooMany: Math.max(0, texts.length - MOST_FAULTS),
  };
}

/** In words, for the chip that stands for it. */
export function faultWords({ event, action }: Injected): string {
  const when = `after event ${event}`;
  if ("crash" in action) return `node ${action.crash} crashes ${when}`;
  if ("pause" in action) return `node ${action.pause} pauses for ${action.for} ${when}`;
  if ("restart" in action) return `node ${action.restart} starts again ${when}`;
  if ("drop" in action) return `a message is dropped ${when}`;
  if ("cut" in action) return `${rangesOf(action.cut[0])} cut off ${when}`;
  return `the cut heals ${when}`;
}

/** Whether it is about a node that the run has not. */
export function isForeign({ action }: Injected, size: number): boolean {
  if ("crash" in action) return action.crash >= size;
  if ("pause" in action) return action.pause >= size;
  if ("restart" in action) return action.restart >= size;
  return "cut" in action && action.cut[0].some((node) => node >= size);
}

const count = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;

/** 0,1,2,5 as "0-2,5". */
function rangesOf(nodes: readonly number[]): string {
  const sorted = [...nodes].sort((a, b) => a - b);
  const ranges: [number, number][] = [];
  for (const node of sorted) {
    const last = ranges.at(-1);
    if (last !== undefined && node === last[1] + 1) last[1] = node;
    else ranges.push([node, node]);
  }
  return ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(",");
}

const MOST_NODES = 100_000;

function nodesIn(text: string): number[] | null {
  const nodes: number[] = [];
  for (const range of text.split(",")) {
    const match = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(range);
    if (match === null) return null;
    const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
    if (to < from || to - from + nodes.length > MOST_NODES) return null;
    for (let node = from; node <= to; node++) nodes.push(node);
  }
  return nodes;
}
