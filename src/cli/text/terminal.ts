/** Where text goes: colour only on a terminal (and never with NO_COLOR), and a reader who leaves early is no error. */
import { styleText } from "node:util";
import type { Io, Output } from "../io.ts";

type Style = Parameters<typeof styleText>[0];

export type Paint = (style: Style, text: string) => string;

/** Colours for text that is meant for this stream; without a terminal behind it, text stays as it is. */
export function painter(stream: Output): Paint {
  return (style, text) => (stream.isTTY ? styleText(style, text, { stream, validateStream: true }) : text);
}

export function print({ stdout }: Io, text: string): void {
  stdout.write(`${text}\n`);
}

/** The columns of the terminal behind stdout; null if there is none and lines may be as long as they are. */
export const terminalWidth = ({ stdout }: Io): number | null => (stdout.isTTY ? (stdout.columns ?? 80) : null);

/**
 * `sortition ... | head` closes the pipe while we write: there is nobody left to tell. Any other error of a stream, such
 * as a full disk behind `>`, is told where that is possible.
 */
export function endWhenOutputFails(io: Io): void {
  for (const stream of [io.stdout, io.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") io.exit();
      if (stream === io.stdout) io.stderr.write(`sortition: cannot write the output: ${error.message}\n`);
      io.exit(2);
    });
  }
}

/** A bar that is filled up to a share. */
export function barOf(paint: Paint, share: number, width: number): string {
  const full = Math.round(share * width);
  return paint("cyan", "█".repeat(full)) + paint("dim", "░".repeat(width - full));
}

// The parts that the help of every command has in common.

/** Examples with what each shows, and where to read on. */
export function examples(lines: readonly (readonly [command: string, shows: string])[], readOn: string): string {
  const shown = lines.map(([command, shows]) => `  ${command}\n      ${shows}`);
  return `\nExamples:\n${shown.join("\n")}\n\nRead on: ${readOn}`;
}
