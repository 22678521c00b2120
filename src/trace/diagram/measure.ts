/** How a diagram looks: how wide text can be at most, without a browser, by a table of wide letters (DejaVu Sans); and its colours. */
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

/**
 * Colours of the Lab's series, told apart with any colour vision; each kind of message also has a pattern of its own, so
 * that a print in grey says the same. Parts have shapes (marks.ts).
 */
export type ThemeName = "paper" | "print";

export interface Theme {
  readonly page: string;
  readonly ink: string;
  readonly muted: string;
  readonly line: string;
  readonly kinds: readonly string[];
  readonly stands: string;
  readonly answers: string;
  readonly leads: string;
  readonly leadsRim: string;
  readonly out: string;
  readonly trouble: string;
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  paper: {
    page: "#FBFBFA",
    ink: "#15191F",
    muted: "#545D69",
    line: "#D3D7DD",
    kinds: ["#1B54A8", "#B3261E", "#2F7D5B", "#A8478A", "#866A00", "#15191F"],
    stands: "#1B54A8",
    answers: "#449B74",
    leads: "#F2B632",
    leadsRim: "#8A5A00",
    out: "#747C8C",
    trouble: "#A8201A",
  },
  print: {
    page: "#FFFFFF",
    ink: "#000000",
    muted: "#444444",
    line: "#CCCCCC",
    kinds: ["#000000"],
    stands: "#000000",
    answers: "#808080",
    leads: "#FFFFFF",
    leadsRim: "#000000",
    out: "#808080",
    trouble: "#000000",
  },
};

/** Solid, dashes, dots, and mixtures: as many as there are colours; the pair is unique for six times as many kinds. */
const DASHES = ["none", "8 3", "2 3", "10 3 2 3", "5 2 1 2 1 2", "14 4"] as const;

export const dashOf = (kind: number): string => DASHES[(kind + Math.floor(kind / DASHES.length)) % DASHES.length];
export const colourOf = (theme: Theme, kind: number): string => theme.kinds[kind % theme.kinds.length];

export const SIZE = { text: 12, head: 13, title: 16 } as const;
export const LINE = 15;
