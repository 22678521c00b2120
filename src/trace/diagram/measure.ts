/** How wide text can be at most, without a browser: a table of wide letters (DejaVu Sans), and breaking lines by it. */

const EM: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;'|!()[\]]/, 0.39],
  [/[ frt/"-]/, 0.42],
  [/[mwMWQ@%→←★]/, 1.02],
  [/[A-Z0-9=+<>~]/, 0.78],
];
const OTHER = 0.65;

const widths = new Map<string, number>();

function letterWidth(letter: string): number {
  let width = widths.get(letter);
  if (width === undefined) {
    width = EM.find(([letters]) => letters.test(letter))?.[1] ?? OTHER;
    widths.set(letter, width);
  }
  return width;
}

/** Bold letters are wider. */
export function textWidth(text: string, size: number, bold = false): number {
  let sum = 0;
  for (const letter of text) sum += letterWidth(letter);
  return sum * size * (bold ? 1.12 : 1);
}

/** Breaks at spaces, so that no line is wider than asked unless one word is. */
export function wrapped(text: string, most: number, size: number, bold = false): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && textWidth(`${last} ${word}`, size, bold) <= most)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
