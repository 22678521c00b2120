/** Flight records of live members, as the page shows runs: run again, put together, without the steps in which members only watch each other. */
import { group } from "../../src/elector/group.ts";
import { InputError } from "../../src/errors.ts";
import type { FlightFile } from "../../src/flight/lives.ts";
import { conformanceText, type FlightReplay, replayFlight } from "../../src/flight/replay.ts";
import { isTelling, selectStory } from "../../src/flight/story.ts";
import { MOST_DRAWN } from "../run/limits.ts";
import type { Facts, Told } from "../run/types.ts";
import { MOST_BYTES, type Recorded, tell } from "./file.ts";
import { sentence } from "./telling.ts";
import { waysIn } from "./words.ts";

export function openFlight(files: readonly FlightFile[]): Recorded {
  const tooLarge = files.find(({ bytes }) => bytes.length > MOST_BYTES);
  if (tooLarge !== undefined) throw new InputError(`"${tooLarge.name}" is too large for a page`);
  const machine = group();
  const replay = replayFlight(files.map(({ name, bytes }) => ({ name: `"${name}"`, bytes })));
  const { story } = replay;
  if (story.scene.n > MOST_DRAWN) {
    throw new InputError(`the records are of ${story.scene.n} members, more than the ${MOST_DRAWN} that can be drawn`);
  }
  const shown = selectStory(story, (_, number) => isTelling(story, number));
  const facts = factsOf(files, replay, machine);
  return { facts, events: tell(shown, machine).map((told) => ({ ...told, text: asNamed(told, facts.names) })) };
}

/** A member's name is written as it is, also at the beginning of a sentence. */
function asNamed({ text, node }: Told, names: readonly string[]): string {
  const name = node === null ? "" : names[node];
  return text.toLowerCase().startsWith(name.toLowerCase()) ? `${name}${text.slice(name.length)}` : text;
}

/** Above the picture: of when it is, whether it is a run of this machine, and what went wrong. */
function aboutOf({ lives, story, incidents, notes }: FlightReplay): string {
  const odd = lives.filter(({ difference }) => difference !== null).map(conformanceText);
  const runs = odd.length === 0 ? ["the machine makes the same run again"] : odd;
  const from = new Date(story.from).toISOString();
  return [`flight record from ${from} by the clock of ${story.clockOf}`, ...runs, ...incidents, ...notes].join("; ");
}

function factsOf(files: readonly FlightFile[], replay: FlightReplay, machine: ReturnType<typeof group>): Facts {
  const { scene } = replay.story;
  return {
    protocol: machine.name,
    title: machine.title,
    size: scene.n,
    n: scene.n,
    ids: null,
    network: "open",
    topology: "open",
    links: [],
    crashed: [],
    host: "events",
    marks: [],
    ways: waysIn("open", machine),
    // What went wrong in a recorded run is told by its events.
    faults: [],
    names: Array.from({ length: scene.n }, (_, node) => scene.name(node)),
    counts: "without those by which members only watch each other",
    phase: "phase",
    parts: {},
    command: `sortition replay ${files.map(({ name }) => name).join(" ")}`,
    params: {},
    kernel: null,
    readings: [],
    recorded: sentence(aboutOf(replay)),
  };
}
