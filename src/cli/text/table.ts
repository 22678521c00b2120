/** Aligned columns of text. */

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
  /** Too long for the terminal: broken into lines within its column. Only for the last one. */
  readonly wrap?: boolean;
}

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
