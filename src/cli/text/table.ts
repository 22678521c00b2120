/** Text for a terminal: aligned columns, and names that came over the network. */
export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Too long for the terminal: broken into lines within its column. Only for the last one. */
  readonly wrap?: boolean;
}

/** A column of numbers. */
export const rightColumn = (title: string): Column => ({ title, align: "right" });

interface TableOptions {
  readonly width?: number | null;
  readonly heading?: (text: string) => string;
  readonly indent?: number;
}

const GAP = "  ";
const NARROWEST = 20;

export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  options: TableOptions = {},
): string {
  const { width = null, heading = (text) => text, indent = 0 } = options;
  const margin = " ".repeat(indent);
  const widths = columns.map(({ title }, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  const before = indent + widths.slice(0, -1).reduce((sum, w) => sum + w + GAP.length, 0);
  const room = width === null ? Infinity : Math.max(NARROWEST, width - before);

  const line = (cells: readonly string[]) =>
    `${margin}${cells
      .map((cell, i) => (columns[i].align === "right" ? cell.padStart(widths[i]) : cell.padEnd(widths[i])))
      .join(GAP)}`.trimEnd();

  const lines = rows.flatMap((row) => {
    if (columns.at(-1)?.wrap !== true) return [line(row)];
    const [first, ...more] = wrap(row[row.length - 1], room);
    return [line([...row.slice(0, -1), first]), ...more.map((text) => " ".repeat(before) + text)];
  });
  return [heading(line(columns.map(({ title }) => title))), ...lines].join("\n");
}

/** Words into lines of at most `width` characters; a longer word stands alone. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

// Names come over the network, and a terminal obeys more than letters: what is no letter, digit, sign or space is shown by its number.

/** Control characters, those that turn the direction of writing, and those that nobody sees. */
const HARMFUL = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;

export const harmless = (text: string): string =>
  text.replace(HARMFUL, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);

/** Of at most this many characters, the last of which says that there are more. */
export function shortened(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most - 1).join("")}…`;
}

/** Names in a sentence: a few of them, and how many more. */
export function named(names: readonly string[], most = 10): string {
  const shown = names.slice(0, most).map(harmless);
  const more = names.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}
