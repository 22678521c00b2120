/** Opens a trace file (of the explorer, a simulation or a live run): replays it, and gives what the page shows of a run. */
import { recordedMachine } from "../../src/elector/recorded.ts";
import { InputError } from "../../src/errors.ts";
import type { AnyProtocol } from "../../src/protocol.ts";
import { entryOf } from "../../src/registry/all.ts";
import { parseTrace, type TraceHeader } from "../../src/trace/file.ts";
import { playAgain, recordedProtocol } from "../../src/trace/replay.ts";
import { stepsOf } from "../../src/trace/steps.ts";
import type { Story } from "../../src/trace/story.ts";
import { MOST_DRAWN } from "../run/limits.ts";
import type { Facts, Told } from "../run/types.ts";
import { countsOf } from "./opened.ts";
import { sentence, toldOf } from "./telling.ts";
import { waysIn } from "./words.ts";

export const MOST_BYTES = 64 * 2 ** 20;

export interface Recorded {
  readonly facts: Facts;
  readonly events: readonly Told[];
}

export async function openFile(text: string, name: string): Promise<Recorded> {
  if (text.length > MOST_BYTES) throw new InputError(`"${name}" is too large for a page`);
  const trace = parseTrace(text, `"${name}"`);
  const { header } = trace;
  const own = await recordedMachine(header);
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
  return { facts: factsOf(header, protocol, story, name), events: tell(story, protocol) };
}

/** A simulation's header has n twice; in a changed file the two may differ. */
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
  const what =
    header.trace === "simulation"
      ? "a recorded trial"
      : header.trace === "exploration"
        ? `it breaks the promise "${header.property.replaceAll("-", " ")}": ${header.what}`
        : header.what;
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
    ways: waysIn(network, protocol),
    // What went wrong in a recorded run is told by its events.
    faults: [],
    names: [],
    counts: protocol.assumes.multicast ? "each copy of a multicast by itself" : countsOf(protocol),
    phase: entryOf(protocol)?.page?.phase ?? "phase",
    parts: entryOf(protocol)?.page?.parts ?? {},
    command: `sortition trace ${name}`,
    params: {},
    kernel: null,
    readings: [],
    recorded: sentence(what),
  };
}

export function tell({ events, told, scene }: Story, protocol: AnyProtocol): Told[] {
  let messages = 0;
  return stepsOf(events).map((step) => {
    for (const { flight, message } of step.sends) {
      const isCopy = flight !== null && events[flight].do === "duplicate";
      if (!isCopy && (protocol.counts?.(message) ?? true)) messages++;
    }
    const multicasts = { counted: 0, uncounted: 0 };
    return toldOf(step, told.get(step.number) ?? null, scene, step.verdict, { messages, multicasts });
  });
}
