/** A recorded run, of the explorer or of a simulation, as the page shows runs. */
import { InputError } from "../../src/errors.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { happens, type TraceEvent } from "../../src/trace/events.ts";
import { parseTrace, type TraceHeader } from "../../src/trace/file.ts";
import { playAgain, recordedProtocol } from "../../src/trace/replay.ts";
import { type Story, sentenceOf } from "../../src/trace/story.ts";
import type { Facts, Sending, Told } from "../run/types.ts";
import { MOST_DRAWN } from "./opened.ts";
import { sendingOf, sentence } from "./telling.ts";

const MOST_BYTES = 64 * 2 ** 20;

export interface Recorded {
  readonly facts: Facts;
  readonly events: readonly Told[];
}

export async function openFile(text: string, name: string): Promise<Recorded> {
  if (text.length > MOST_BYTES) throw new InputError(`"${name}" is too large for a page`);
  const trace = parseTrace(text, `"${name}"`);
  const { header } = trace;
  const own = header.trace === "run" && header.protocol === "group" ? await groupMachine() : null;
  const { protocol } = recordedProtocol(header, own);
  const n = sizeIn(header);
  if (n > MOST_DRAWN)
    throw new InputError(`"${name}" records ${n} processes, more than the ${MOST_DRAWN} that can be drawn`);
  const { story, difference } = playAgain(trace, own);
  if (difference !== null) {
    throw new InputError(
      `"${name}" comes out differently at event #${difference}: it was recorded by another version, or changed`,
    );
  }
  const events = toldOf(story, protocol);
  return { facts: factsOf(header, protocol, story, name), events };
}

const groupMachine = async (): Promise<AnyProtocol> => (await import("../../src/elector/group.ts")).group();

/** A file can say it twice, and differently. */
const sizeIn = (header: TraceHeader): number =>
  header.trace === "simulation"
    ? Math.max(header.settings.n, header.settings.network.n ?? 0)
    : header.trace === "run"
      ? header.n
      : header.request.n;

function factsOf(header: TraceHeader, protocol: AnyProtocol, { scene }: Story, name: string): Facts {
  const size = scene.n;
  const ids = Array.from({ length: size }, (_, node) => scene.id(node));
  const { topology } = protocol.assumes;
  const network = topology === "connected" ? "complete" : topology;
  const ring = network === "ring" ? ids.map((_, node) => [node, (node + 1) % size] as const) : [];
  const star = network === "star" ? ids.slice(1).map((_, i) => [0, i + 1] as const) : [];
  const what = header.trace === "simulation" ? "a recorded trial" : header.what;
  return {
    protocol: protocol.name,
    title: protocol.title,
    size,
    n: sizeIn(header),
    ids: ids.includes(null) ? null : (ids as number[]),
    network,
    topology: network,
    links: [...ring, ...star],
    crashed: [],
    host: header.trace === "simulation" ? header.settings.host : "events",
    marks: [],
    counts: "all that were sent",
    command: `sortition trace ${name}`,
    params: {},
    kernel: null,
    readings: [],
    recorded: sentence(what),
  };
}

/** Sends and verdicts are told with the event that caused them. */
function toldOf(story: Story, protocol: AnyProtocol): Told[] {
  const { events } = story;
  const told: Told[] = [];
  const verdicts = new Map<number, Told["verdict"]>();
  /** By the number of a recorded event, where it is told. */
  const place = new Map<number, number>();
  let messages = 0;
  for (const [number, event] of events.entries()) {
    if (event.do === "send") {
      if (protocol.counts?.(event.message) ?? true) messages++;
      attach(told, place, event, number, messages);
    } else if (event.do === "verdict") {
      const verdict = { status: event.status, leader: event.leader };
      verdicts.set(event.node, verdict);
      const at = event.cause === null ? undefined : place.get(event.cause);
      if (at !== undefined) told[at] = { ...told[at], verdict };
    } else if (happens(event) || event.do === "lose") {
      const sending = event.cause === null ? undefined : events[event.cause];
      if (event.do === "lose" && sending !== undefined && loseAtOnce(told, place, sending, event.cause!)) continue;
      place.set(number, told.length);
      told.push(tell(story, number, event, sending, verdicts.get(event.node), messages));
    }
  }
  return told;
}

function attach(
  told: Told[],
  place: Map<number, number>,
  event: Extract<TraceEvent, { do: "send" }>,
  number: number,
  messages: number,
): void {
  const at = event.cause === null ? undefined : place.get(event.cause);
  if (at === undefined) return;
  const { to, message } = event;
  const sending: Sending = sendingOf({ flight: number, to, message, lost: null });
  told[at] = { ...told[at], sends: [...told[at].sends, sending], messages };
  place.set(number, at);
}

/** What is lost in the very event that sent it never was on its way. */
function loseAtOnce(told: Told[], place: Map<number, number>, sending: TraceEvent, flight: number): boolean {
  const at = place.get(flight);
  if (sending.do !== "send" || at !== told.length - 1) return false;
  const sends = told[at].sends.map((sent) => (sent.flight === flight ? { ...sent, flight: null, lost: true } : sent));
  told[at] = { ...told[at], sends };
  return true;
}

function tell(
  story: Story,
  number: number,
  event: TraceEvent,
  sending: TraceEvent | undefined,
  verdict: Told["verdict"] = { status: "undecided", leader: null },
  messages: number,
): Told {
  const isFlight = sending?.do === "send";
  return {
    time: event.at,
    kind: event.do === "timer" ? "expire" : event.do,
    node: event.node,
    text: sentence(sentenceOf(story, number)),
    part: event.do === "crash" ? "crashed" : (story.told.get(number)?.part ?? null),
    pause: event.do === "pause" ? true : event.do === "resume" ? false : null,
    verdict,
    messages,
    ends: isFlight ? event.cause : null,
    fate: !isFlight ? null : event.do === "lose" || event.do === "refuse" ? "lost" : "arrives",
    from: isFlight ? sending.node : null,
    sends: [],
  };
}
