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
