/** How runs are drawn: the options that trace, play and explore share. */
import { type Command, Option } from "commander";
import { InputError } from "../../errors.ts";
import { diagram } from "../../trace/diagram/diagram.ts";
import { THEMES, type ThemeName } from "../../trace/diagram/measure.ts";
import type { TraceEvent } from "../../trace/events.ts";
import type { Headline } from "../../trace/headline.ts";
import type { Story } from "../../trace/story.ts";
import { listOf, numberOf, wholeNumber } from "../options/options.ts";

export interface DrawingOptions {
  readonly svg?: string;
  readonly width?: string;
  readonly title?: string;
  readonly theme: ThemeName;
  readonly legend: boolean;
  readonly words: boolean;
}

export interface SelectionOptions {
  readonly nodes?: string;
  /** What --nodes was called in 0.1. */
  readonly node?: string;
  readonly from?: string;
  readonly to?: string;
  readonly events?: string;
}

export function addDrawing(command: Command): Command {
  return command
    .option("--svg <file>", "draw a space-time diagram, which any browser shows and prints")
    .option("--width <pixels>", "of the diagram; by default what its lanes need, from 640 to 1280")
    .option("--title <text>", "of the diagram, instead of protocol, size and outcome")
    .addOption(
      new Option("--theme <name>", "paper: in colour; print: in black and grey")
        .choices(Object.keys(THEMES))
        .default("paper"),
    )
    .option("--no-legend", "a diagram without a legend")
    .option("--no-words", "a diagram without words at its events, a list without sentences");
}

export function addSelection(command: Command): Command {
  return command
    .option("--nodes <list>", "only what happens at these nodes, such as 0,2")
    .addOption(new Option("--node <list>").hideHelp())
    .option("--from <time>", "only from this time on")
    .option("--to <time>", "only up to this time")
    .option("--events <first..last>", "only the events with these numbers, such as 10..40");
}

type Wanted = (event: TraceEvent, number: number) => boolean;

export function selection({ node: old, nodes = old, from, to, events }: SelectionOptions): Wanted {
  const chosen = nodes === undefined ? null : new Set(listOf(nodes, "--nodes"));
  const earliest = from === undefined ? -Infinity : numberOf(from, "--from");
  const latest = to === undefined ? Infinity : numberOf(to, "--to");
  const [first, last] = eventRange(events);
  return ({ node, at }, number) =>
    (chosen === null || chosen.has(node)) && earliest <= at && at <= latest && first <= number && number <= last;
}

function eventRange(text: string | undefined): readonly [number, number] {
  if (text === undefined) return [0, Infinity];
  const match = /^(\d+)?\.\.(\d+)?$/.exec(text);
  if (match === null) throw new InputError(`--events must be two numbers such as 10..40, not "${text}"`);
  return [Number(match[1] ?? 0), match[2] === undefined ? Infinity : Number(match[2])];
}

export function draw(story: Story, headline: Headline, options: DrawingOptions & SelectionOptions): string {
  const { width, nodes = options.node, title } = options;
  return diagram(story, {
    title: title ?? headline.title,
    subtitle: headline.subtitle,
    unit: headline.unit,
    ...(width === undefined ? {} : { width: wholeNumber(width, "--width", 1) }),
    ...(nodes === undefined ? {} : { nodes: listOf(nodes, "--nodes") }),
    wanted: selection(options),
    legend: options.legend,
    words: options.words,
    theme: options.theme,
  });
}
