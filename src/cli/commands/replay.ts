/** `sortition replay FILE...`: flight records of members, run again step by step, put together and explained. */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Command } from "commander";
import { InputError } from "../../errors.ts";
import { conformanceText, type FlightLife, type FlightReplay, replayFlight } from "../../flight/replay.ts";
import { type FlightStory, isTelling, selectStory } from "../../flight/story.ts";
import { jsonOf, type TraceEvent } from "../../trace/events.ts";
import { shiviz } from "../../trace/shiviz.ts";
import { sentenceOf } from "../../trace/story.ts";
import { checkFiles, checkNew, writeOutput } from "../files.ts";
import type { Io } from "../io.ts";
import { forceOption } from "../options/options.ts";
import { addDrawing, type DrawingOptions, draw } from "../text/drawing.ts";
import { examples, type Paint, painter, print } from "../text/terminal.ts";
import { openInLab } from "./lab.ts";

interface ReplayOptions extends DrawingOptions {
  readonly from?: string;
  readonly to?: string;
  readonly members?: string;
  readonly all?: true;
  readonly shiviz?: string;
  readonly asTest?: string;
  readonly open?: true;
  readonly force?: true;
  readonly json?: true;
}

/** As for `trace`: the machine does something else than what was recorded. */
const DIFFERENT = 3;

export function define(command: Command, io: Io): void {
  command
    .description(
      "Runs the machine of one or more members again, step by step, from their flight records. Says whether the machine does what was recorded (exit status 3 if not), and explains what happened. Records of several members become one run, by the messages that they exchanged.",
    )
    .argument("<files...>", "flight records, which members write with --record")
    .option(
      "--from <time>",
      "only from then on: milliseconds since the beginning, or a time such as 2026-11-17T05:12:19Z",
    )
    .option("--to <time>", "only up to then")
    .option("--members <names>", "only what happens at these members, separated by commas")
    .option("--all", "every step, also those in which members only watch each other");
  addDrawing(command)
    .option("--shiviz <file>", "write a log with vector clocks for ShiViz")
    .option(
      "--as-test <file>",
      "write a test for node --test that fails while the incident occurs, with copies of the records",
    )
    .option("--open", "watch it in the Lab, in the browser")
    .addOption(forceOption())
    .option("--json", "print one JSON object")
    .addHelpText(
      "after",
      examples(
        [
          ["sortition replay a.flight", "what member a did in its last minutes, and whether the machine does it again"],
          ["sortition replay a.flight b.flight c.flight --svg run.svg", "three members in one diagram"],
          ["sortition replay a.flight --as-test incident.test.mjs", "an incident as a test"],
        ],
        "docs/flight-recorder.md",
      ),
    )
    .action(run.bind(null, io));
}

async function run(io: Io, files: readonly string[], options: ReplayOptions): Promise<void> {
  const inputs = Object.fromEntries(files.map((file, i) => [`record ${i + 1}`, file]));
  const { svg, shiviz: log, asTest } = options;
  checkFiles(inputs, { "--svg": svg, "--shiviz": log, "--as-test": asTest }, options.force);
  if (options.open === true && options.json === true) throw new InputError("--open prints no JSON: give one of them");
  const records = files.map((name) => ({ name, bytes: readBytes(name) }));
  const replay = replayFlight(records);
  const { story, lives } = replay;
  const wanted = selection(story, options);
  const told = selectStory(story, wanted);
  const headline = headlineOf(replay);
  if (svg !== undefined) writeOutput(svg, draw(told, { ...headline, unit: "ms" }, options));
  if (log !== undefined) writeOutput(log, shiviz(told.events));
  if (asTest !== undefined) writeTest(asTest, records, replay, options.force);
  if (lives.some(({ difference }) => difference !== null)) io.exitCode = DIFFERENT;
  if (options.json === true) {
    print(io, jsonOf(asJson(replay, wanted)));
    return;
  }
  const paint = painter(io.stdout);
  print(
    io,
    [
      paint("bold", headline.title),
      headline.subtitle,
      ...clockLines(replay),
      ...replay.notes.map((note) => paint("yellow", `! ${note}`)),
      "",
      ...sentences(story, wanted),
      "",
      ...verdictLines(replay, paint),
      ...(svg === undefined ? [] : [`drawn in ${svg}`]),
      ...(asTest === undefined ? [] : [`written as a test: node --test ${asTest}`]),
    ].join("\n"),
  );
  if (options.open === true) await openInLab(io, records);
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new InputError(`cannot read the record ${file}: ${why}`);
  }
}

type Wanted = (event: TraceEvent, number: number) => boolean;

function selection(story: FlightStory, { from, to, members, all }: ReplayOptions): Wanted {
  const earliest = from === undefined ? -Infinity : timeIn(story, from, "--from");
  const latest = to === undefined ? Infinity : timeIn(story, to, "--to");
  const nodes = members === undefined ? null : new Set(members.split(",").map((name) => nodeOf(story, name.trim())));
  return (event, number) =>
    earliest <= event.at &&
    event.at <= latest &&
    (nodes === null || nodes.has(event.node)) &&
    (all === true || isTelling(story, number));
}

/** In milliseconds since the beginning of the story. */
function timeIn({ from }: FlightStory, text: string, option: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    throw new InputError(
      `${option} must be milliseconds since the beginning, or a time such as 2026-11-17T05:12:19Z, not "${text}"`,
    );
  }
  return time - from;
}

function nodeOf({ scene }: FlightStory, name: string): number {
  const names = Array.from({ length: scene.n }, (_, node) => scene.name(node));
  const node = names.indexOf(name);
  if (node < 0)
    throw new InputError(`--members: there is no member ${name} in the records; there are ${names.join(", ")}`);
  return node;
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

const membersOf = (lives: readonly FlightLife[]): string[] => [...new Set(lives.map(({ member }) => member))].sort();

function headlineOf({ lives, story }: FlightReplay): { readonly title: string; readonly subtitle: string } {
  const groups = [...new Set(lives.map(({ group }) => group))];
  const steps = lives.reduce((sum, life) => sum + life.steps, 0);
  const seconds = (Math.max(...lives.map(({ to }) => to)) - story.from) / 1000;
  return {
    title: `${groups.length === 1 ? "group" : "groups"} ${listed(groups)}: ${listed(membersOf(lives))}`,
    subtitle: `${steps.toLocaleString("en")} steps in ${seconds.toFixed(1)} s, from ${new Date(story.from).toISOString()} by the clock of ${story.clockOf}`,
  };
}

/** How the clocks of several processes were brought together. */
function clockLines({ lives, story }: FlightReplay): string[] {
  if (lives.length === 1) return [];
  return lives.flatMap(({ member, clockWithin, clockMessages, steps }) => {
    if (clockWithin === 0 || steps === 0) return [];
    return clockWithin === null
      ? [
          `the clock of ${member} is taken from the wall: too few messages tell how it differs from that of ${story.clockOf}`,
        ]
      : [
          `the clock of ${member} was set by ${clockMessages} messages, and may be wrong by ${clockWithin.toFixed(1)} ms`,
        ];
  });
}

function sentences(story: FlightStory, wanted: Wanted): string[] {
  const width = String(Math.round(story.events.at(-1)?.at ?? 0)).length + 2;
  return story.events.flatMap((event, number) => {
    if (event.do === "send" || event.do === "verdict" || !wanted(event, number)) return [];
    return [`${event.at.toFixed(1).padStart(width)} ms  ${sentenceOf(story, number)}`];
  });
}

function verdictLines({ lives, incidents }: FlightReplay, paint: Paint): string[] {
  return [
    ...lives.map((life) => {
      const missing = life.missing === 0 ? "" : `; ${life.missing} steps are missing between parts of the record`;
      const text = `${conformanceText(life)} (${life.steps.toLocaleString("en")} steps${missing})`;
      return life.difference === null ? paint("green", `✓ ${text}`) : paint("red", `✗ ${text}`);
    }),
    ...incidents.map((incident) => paint("red", `✗ incident: ${incident}`)),
  ];
}

function asJson({ lives, notes, incidents, story }: FlightReplay, wanted: Wanted): unknown {
  return {
    from: story.from,
    clockOf: story.clockOf,
    lives: lives.map((life) => ({ ...life, conforms: life.difference === null })),
    notes,
    incidents,
    names: Array.from({ length: story.scene.n }, (_, node) => story.scene.name(node)),
    events: story.events.flatMap((event, number) =>
      wanted(event, number) ? [{ number, ...event, says: sentenceOf(story, number) }] : [],
    ),
  };
}

// An incident as a test: the machine of today with the inputs of then.

function writeTest(
  file: string,
  records: readonly { readonly bytes: Uint8Array }[],
  { lives, story }: FlightReplay,
  force: boolean | undefined,
): void {
  if (!/\.(m?js|m?ts)$/.test(file))
    throw new InputError(`--as-test writes a program: name it such as incident.test.mjs, not ${file}`);
  const base = basename(file).replace(/(\.test)?\.(m?js|m?ts)$/, "");
  const copies = records.map((_, i) => `${base}.${i + 1}.flight`);
  for (const copy of copies) checkNew(join(dirname(file), copy), "--as-test", force);
  for (const [i, { bytes }] of records.entries()) writeOutput(join(dirname(file), copies[i]), bytes);
  writeOutput(file, testText(copies, `${listed(membersOf(lives))}, ${new Date(story.from).toISOString()}`));
}

const testText = (
  copies: readonly string[],
  whose: string,
): string => `// Written by "sortition replay --as-test". Run it with: node --test
import { deepEqual } from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { replayFlight } from "sortition/trace";

const records = ${JSON.stringify(copies)}.map((name) => ({ name, bytes: readFileSync(new URL(name, import.meta.url)) }));

// The machine of the installed version is led by the recorded inputs, also where it does something else than what was recorded.
test(${JSON.stringify(`the run of ${whose}, has no incident`)}, () => {
  deepEqual(replayFlight(records, { goesOn: true }).incidents, []);
});
`;
