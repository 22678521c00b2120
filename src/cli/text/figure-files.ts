/** Figures as files: the format by the ending of the name, size and title by options. */
import type { Command } from "commander";
import { InputError } from "../../errors.ts";
import { checkFormat, FORMATS, type Format, pictureOf } from "../../plot/picture.ts";
import type { Look, Plot } from "../../plot/plot.ts";
import { writeOutput } from "../files.ts";
import { wholeNumber } from "../options/options.ts";

export interface LookOptions {
  readonly width?: string;
  readonly height?: string;
  readonly title?: string;
}

export function addLook(command: Command): Command {
  return command
    .option("--width <pixels>", "of the figure")
    .option("--height <pixels>", "of the figure")
    .option("--title <text>", "of the figure");
}

/** Below it there is no room for axes, above it no use. */
const [LEAST, MOST] = [200, 10_000];

export function lookOf({ width, height, title }: LookOptions): Look {
  const pixels = (text: string | undefined, option: string) =>
    text === undefined ? undefined : wholeNumber(text, option, LEAST, MOST);
  return { title, width: pixels(width, "--width"), height: pixels(height, "--height") };
}

export async function writeFigure(file: string, plot: Plot, look: Look, title: string): Promise<void> {
  writeOutput(file, await bytesOf(plot, formatOf(file, "a figure"), look, title));
}

async function bytesOf(plot: Plot, format: Format, look: Look, title: string): Promise<string | Uint8Array> {
  if (format === "json") return `${JSON.stringify(await plot.specification!(look), null, 2)}\n`;
  const svg = await plot.svg(look);
  return format === "svg" ? svg : pictureOf(svg, format, look.title ?? title);
}

/** By the ending of its name; a missing package is told at once. */
export async function checkFigure(file: string, option: string): Promise<void> {
  await checkFormat(formatOf(file, option));
}

function formatOf(file: string, option: string): Format {
  const format = FORMATS.find((one) => file.toLowerCase().endsWith(`.${one}`));
  if (format !== undefined) return format;
  const endings = FORMATS.map((one) => `.${one}`);
  throw new InputError(`${option} must end in ${endings.slice(0, -1).join(", ")} or ${endings.at(-1)}, not "${file}"`);
}

/** "png,pdf". */
export async function formatsOf(text: string, option: string): Promise<readonly Format[]> {
  const formats = text.split(",").map((name) => {
    const format = FORMATS.find((one) => one === name.trim().toLowerCase());
    if (format === undefined) throw new InputError(`${option} has no "${name}": choose from ${FORMATS.join(", ")}`);
    return format;
  });
  for (const format of formats) await checkFormat(format);
  return [...new Set(formats)];
}
