/** The colours of the page's style sheet, for drawing on a canvas. */
export type Palette = Readonly<Record<(typeof NAMES)[number], string>>;

const NAMES = [
  "page",
  "panel",
  "ink",
  "muted",
  "edge",
  "line",
  "stands",
  "answers",
  "leads",
  "leads-fill",
  "out",
  "trouble",
] as const;

export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as never;
}
