/**
 * Pictures of the run on the screen, as it is: an SVG file, a PNG, and a short animation. What is drawn as elements is read with the
 * styles that it has, so that a picture needs nothing of the page.
 */
import { tick } from "svelte";
import { currentSession } from "../watch/current.ts";

const FONT = "'Atkinson Hyperlegible Next', system-ui, sans-serif";
const GAP = 24;
const TOP = 96;
const FOOT = 34;
/** How long a film lasts, in milliseconds: an instant has as much as at normal speed, and the whole not too much. */
const INSTANT = 500;
const LONGEST = 8_000;
/** How long a busy machine has for the first bytes of a film. */
const PATIENCE = 30_000;

type Drawn = SVGSVGElement | HTMLCanvasElement;

/** The pictures of the view, from left to right. */
function parts(): Drawn[] {
  const main = document.querySelector("main");
  return [...(main?.querySelectorAll<Drawn>("svg[role=group], [role=application] canvas, canvas[role=img]") ?? [])];
}

export const hasPicture = (): boolean => parts().length > 0;

const sizeOf = (part: Drawn) => part.getBoundingClientRect();

function frame(): { readonly width: number; readonly height: number } {
  const boxes = parts().map(sizeOf);
  const width = boxes.reduce((sum, box) => sum + box.width + GAP, GAP);
  return {
    width: Math.round(width),
    height: Math.round(TOP + FOOT + Math.max(0, ...boxes.map(({ height }) => height))),
  };
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const sentenceNow = (): string =>
  [...document.querySelectorAll("main h2.sentence")]
    .map((one) => one.textContent?.trim().replace(/\s+/g, " "))
    .join(" | ");

/** Where the run is from, for those who see the picture elsewhere. */
function credit(): string {
  const { facts } = currentSession()?.run ?? { facts: null };
  return facts === null ? "Sortition Lab" : `Sortition Lab · ${facts.protocol}, ${facts.n} processes`;
}

const SHOWN = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
];

/** The whole picture as the text of an SVG file. */
export function svgOf(): string {
  const { width, height } = frame();
  const escaped = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const lines = wrapped(sentenceNow(), Math.floor(width / 12));
  const title = lines
    .map(
      (line, i) =>
        `<text x="${GAP}" y="${34 + 30 * i}" font-size="24" font-weight="600" fill="${colour("ink")}">${escaped(line)}</text>`,
    )
    .join("");
  let left = GAP;
  const drawn = parts().map((part) => {
    const box = sizeOf(part);
    const at = `x="${left}" y="${TOP}" width="${box.width}" height="${box.height}"`;
    left += box.width + GAP;
    if (part instanceof HTMLCanvasElement) return `<image ${at} href="${part.toDataURL()}"/>`;
    return `<svg ${at} overflow="visible">${inner(part)}</svg>`;
  });
  const foot = `<text x="${GAP}" y="${height - 12}" font-size="13" fill="${colour("muted")}">${escaped(credit())}</text>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="${FONT}"><rect width="100%" height="100%" fill="${colour("page")}"/>${title}${drawn.join("")}${foot}</svg>\n`;
}

function inner(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
  for (const [i, element] of from.entries()) {
    const style = getComputedStyle(element);
    for (const name of [...to[i].attributes].map((one) => one.name)) {
      if (/^(class|style|tabindex|role|aria-|data-)/.test(name)) to[i].removeAttribute(name);
    }
    for (const name of SHOWN) to[i].setAttribute(name, style.getPropertyValue(name));
  }
  return new XMLSerializer().serializeToString(copy).replace(/^<svg[^>]*>|<\/svg>$/g, "");
}

/** Lines of at most this many letters; more than two are cut. */
function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines.at(-1)} ${word}`.length > most) lines.push("");
    lines[lines.length - 1] = `${lines.at(-1)} ${word}`.trim();
  }
  return lines.slice(0, 2);
}

/** Draws the view as it is now. */
function draw(canvas: HTMLCanvasElement, ratio: number): void {
  const { width, height } = frame();
  const context = canvas.getContext("2d")!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colour("page");
  context.fillRect(0, 0, width, height);
  context.fillStyle = colour("ink");
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.font = `600 24px ${FONT}`;
  for (const [i, line] of wrapped(sentenceNow(), Math.floor(width / 12)).entries())
    context.fillText(line, GAP, 34 + 30 * i);
  context.fillStyle = colour("muted");
  context.font = `13px ${FONT}`;
  context.fillText(credit(), GAP, height - 12);
  let left = GAP;
  for (const part of parts()) {
    const box = sizeOf(part);
    if (part instanceof HTMLCanvasElement) context.drawImage(part, left, TOP, box.width, box.height);
    else drawSvg(context, part, left, ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    left += box.width + GAP;
  }
}

function drawSvg(context: CanvasRenderingContext2D, svg: SVGSVGElement, left: number, ratio: number): void {
  for (const element of svg.querySelectorAll<SVGGraphicsElement>("path, circle, line, text")) {
    const style = getComputedStyle(element);
    const ctm = element.getCTM();
    if (ctm === null) continue;
    const opacity = opacityOf(element, svg);
    if (opacity === 0) continue;
    context.setTransform(ratio, 0, 0, ratio, left * ratio, TOP * ratio);
    context.transform(ctm.a, ctm.b, ctm.c, ctm.d, ctm.e, ctm.f);
    context.globalAlpha = opacity;
    context.lineWidth = Number.parseFloat(style.strokeWidth) || 1;
    context.setLineDash(
      style.strokeDasharray === "none" ? [] : style.strokeDasharray.split(/[ ,]+/).map(Number.parseFloat),
    );
    const [fill, stroke] = [painted(style.fill), painted(style.stroke)];
    if (element instanceof SVGTextElement) write(context, element, style, fill, stroke);
    else {
      const path = pathOf(element);
      if (fill !== null) {
        context.fillStyle = fill;
        context.fill(path);
      }
      if (stroke !== null) {
        context.strokeStyle = stroke;
        context.stroke(path);
      }
    }
  }
  context.globalAlpha = 1;
  context.setLineDash([]);
}

const painted = (value: string): string | null =>
  value === "none" || value === "transparent" || /rgba\(.*, 0\)$/.test(value) ? null : value;

function opacityOf(element: Element, until: Element): number {
  let opacity = 1;
  for (let at: Element | null = element; at !== null && at !== until; at = at.parentElement) {
    opacity *= Number(getComputedStyle(at).opacity);
  }
  return opacity;
}

function write(
  context: CanvasRenderingContext2D,
  element: SVGTextElement,
  style: CSSStyleDeclaration,
  fill: string | null,
  stroke: string | null,
): void {
  const [x, y] = [Number(element.getAttribute("x")), Number(element.getAttribute("y"))];
  context.font = `${style.fontWeight} ${style.fontSize} ${FONT}`;
  context.textAlign = style.textAnchor === "middle" ? "center" : style.textAnchor === "end" ? "right" : "left";
  context.textBaseline = "middle";
  const text = element.textContent ?? "";
  if (stroke !== null) {
    context.strokeStyle = stroke;
    context.strokeText(text, x, y);
  }
  if (fill === null) return;
  context.fillStyle = fill;
  context.fillText(text, x, y);
}

function pathOf(element: SVGGraphicsElement): Path2D {
  if (element instanceof SVGPathElement) return new Path2D(element.getAttribute("d") ?? "");
  const path = new Path2D();
  const of = (name: string): number => Number(element.getAttribute(name) ?? 0);
  if (element instanceof SVGCircleElement) path.arc(of("cx"), of("cy"), of("r"), 0, 7);
  else {
    path.moveTo(of("x1"), of("y1"));
    path.lineTo(of("x2"), of("y2"));
  }
  return path;
}

function newCanvas(ratio: number): HTMLCanvasElement {
  const { width, height } = frame();
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  return canvas;
}

export async function pngOf(): Promise<Blob> {
  const canvas = newCanvas(2);
  draw(canvas, 2);
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => (blob === null ? reject(new Error("no picture came out")) : resolve(blob)), "image/png"),
  );
}

/** What this browser can record; null where it records nothing. */
export const animationType = (): string | null =>
  typeof MediaRecorder === "undefined"
    ? null
    : (["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm", "video/mp4"].find((type) =>
        MediaRecorder.isTypeSupported(type),
      ) ?? null);

/** The run from its start to its end, as a film of some seconds; `told` hears which share of it is made. */
export async function animationOf(told: (share: number) => void): Promise<Blob> {
  const session = currentSession();
  const type = animationType();
  const { axis, record } = session?.run ?? { axis: null, record: null };
  if (session === null || type === null || axis === null || record === null)
    throw new Error("nothing can be recorded here");
  const lasts = Math.min(LONGEST, INSTANT * axis.instants.length);
  session.pause();
  const back = session.event;
  const canvas = newCanvas(1);
  const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 4_000_000 });
  const pieces: Blob[] = [];
  recorder.ondataavailable = ({ data }) => pieces.push(data);
  const ended = new Promise<void>((resolve) => {
    recorder.onstop = () => resolve();
  });
  recorder.start(250);
  const end = axis.place(record.end);
  const began = performance.now();
  try {
    for (;;) {
      const share = (performance.now() - began) / lasts;
      if (share >= 1) session.seek(record.length);
      else session.seekTime(axis.time(share * end));
      await tick();
      draw(canvas, 1);
      told(Math.min(1, share));
      await new Promise(requestAnimationFrame);
      // The last still stays for a second, and until the recorder has taken something: a busy machine begins late.
      if (share >= 1 + 1_000 / lasts && pieces.some(({ size }) => size > 0)) break;
      if (performance.now() - began > lasts + PATIENCE) throw new Error("this browser recorded nothing");
    }
  } finally {
    if (recorder.state !== "inactive") {
      recorder.stop();
      await ended;
    }
    session.seek(back);
  }
  return new Blob(pieces, { type });
}
