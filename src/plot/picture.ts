/** From the text of an SVG to PNG and PDF: the same bytes on every machine, since the letters come from a package too. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { InputError } from "../errors.ts";

export const FORMATS = ["svg", "png", "pdf", "json"] as const;
/** `json` is the Vega-Lite specification of a figure, to edit. */
export type Format = (typeof FORMATS)[number];
type PictureFormat = "png" | "pdf";

/** Pixels of a PNG for each of the picture: a column of print, 9 cm wide, then has 300 to the inch. */
const SCALE = 2;
const POINTS_PER_PIXEL = 0.75;

const NEEDED: Readonly<Record<PictureFormat, readonly string[]>> = {
  png: ["@resvg/resvg-js", "dejavu-fonts-ttf"],
  pdf: ["pdfmake", "dejavu-fonts-ttf"],
};

/** Says before long work which packages are missing. */
export async function checkFormat(format: Format): Promise<void> {
  if (format === "png" || format === "pdf") await loaded(format);
}

export async function pictureOf(svg: string, format: PictureFormat, title: string): Promise<Uint8Array> {
  return format === "png" ? png(svg) : pdf(svg, title);
}

async function png(svg: string): Promise<Uint8Array> {
  const { Resvg } = await loaded("png", () => import("@resvg/resvg-js"));
  const font = {
    loadSystemFonts: false,
    fontFiles: [...Object.values(fontsOf()), fontFile("DejaVuSansMono")],
    defaultFontFamily: "DejaVu Sans",
  };
  return new Resvg(svg, { font, fitTo: { mode: "zoom", value: SCALE }, background: "#ffffff" }).render().asPng();
}

async function pdf(svg: string, title: string): Promise<Uint8Array> {
  const { default: pdfmake } = await loaded("pdf", () => import("pdfmake"));
  pdfmake.setFonts({ DejaVu: fontsOf() });
  // A picture names no other file, but for the letters.
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy((file) => Object.values(fontsOf()).includes(file));
  const [width, height] = pictureSize(svg).map((pixels) => pixels * POINTS_PER_PIXEL);
  const document = pdfmake.createPdf({
    pageSize: { width, height },
    pageMargins: 0,
    content: [{ svg: overTheirRims(svg), width, height, font: "DejaVu" }],
    defaultStyle: { font: "DejaVu" },
    // Without a date the same figure is the same file.
    info: { title, creationDate: new Date(0) },
  });
  return document.getBuffer();
}

/**
 * The converter knows no paint-order and paints rims over letters, which are therefore written once more, without a rim; and it
 * takes a rule before an element's own style, which therefore becomes a rule.
 */
export function overTheirRims(svg: string): string {
  const rules = svg.match(/[^{}]*\{[^{}]*paint-order: stroke[^{}]*\}/g) ?? [];
  const rimmed = new Set(
    rules.flatMap((rule) => [...rule.split("{")[0].matchAll(/\.([\w-]+)/g)].map(([, name]) => name)),
  );
  if (rimmed.size === 0) return svg;
  const more = new Set([".rimless { stroke: none; }"]);
  const drawn = svg.replace(TEXT, (text, colour: string | undefined, name: string) => {
    if (!rimmed.has(name)) return text;
    if (colour !== undefined) more.add(`.ink-${colour} { fill: #${colour}; }`);
    return `${text}${text.replace(`"${name}"`, `"${name} rimless ink-${colour}"`)}`;
  });
  return drawn.replace("</style>", `${[...more].join(" ")}</style>`);
}

const TEXT = /<text(?: style="fill:#(\w+)")? class="([\w-]+)"[^>]*>[^<]*<\/text>/g;

/** In pixels, from the root element. */
export function pictureSize(svg: string): readonly [width: number, height: number] {
  const root = /<svg[^>]*>/.exec(svg)?.[0] ?? "";
  const of = (name: string) => Number(new RegExp(` ${name}="([\\d.]+)(?:px)?"`).exec(root)?.[1]);
  return [of("width"), of("height")];
}

const fontsOf = () => ({
  normal: fontFile("DejaVuSans"),
  bold: fontFile("DejaVuSans-Bold"),
  italics: fontFile("DejaVuSans-Oblique"),
  bolditalics: fontFile("DejaVuSans-BoldOblique"),
});

const require = createRequire(import.meta.url);
const fontFile = (name: string) => join(require.resolve("dejavu-fonts-ttf/package.json"), "..", "ttf", `${name}.ttf`);

async function loaded<T>(format: PictureFormat, load: () => Promise<T> = async () => undefined as T): Promise<T> {
  const missing = NEEDED[format].some((name) => !installed(name));
  if (!missing) return load();
  const names = NEEDED[format];
  throw new InputError(`a figure as .${format} needs ${names.join(" and ")}: npm install ${names.join(" ")}`);
}

function installed(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch {
    return false;
  }
}
