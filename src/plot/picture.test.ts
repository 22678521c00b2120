import { expect, test } from "vitest";
import { overTheirRims, pictureOf, pictureSize } from "./picture.ts";

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="40" viewBox="0 0 120 40"><rect width="120" height="40" fill="#fff"/><text x="4" y="20" font-family="Helvetica, Arial, sans-serif" font-size="12">σ = √n</text></svg>';

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

test("a PNG has twice the pixels of the picture, letters in it, and the same bytes each time", async () => {
  const png = await pictureOf(SVG, "png", "letters");
  expect(text(png).slice(1, 4)).toBe("PNG");
  const view = new DataView(png.buffer, png.byteOffset);
  expect([view.getUint32(16), view.getUint32(20)]).toEqual([240, 80]);
  const blank = await pictureOf(SVG.replace("σ = √n", ""), "png", "blank");
  expect(png.length).toBeGreaterThan(2 * blank.length);
  expect(Buffer.compare(png, await pictureOf(SVG, "png", "letters"))).toBe(0);
});

test("a PDF is one page of the picture's size, with letters as letters, and the same bytes each time", async () => {
  const pdf = text(await pictureOf(SVG, "pdf", "letters"));
  expect(pdf).toMatch(/^%PDF-/);
  expect(pdf).toContain("/MediaBox [0 0 90 30]");
  expect(pdf).toContain("/BaseFont");
  expect(pdf).toContain("DejaVuSans");
  expect(text(await pictureOf(SVG, "pdf", "letters"))).toBe(pdf);
});

test("the size is read from the root element", () => {
  expect(pictureSize(SVG)).toEqual([120, 40]);
});

test("letters with a rim are written again over it, in their own colour; others once", () => {
  const svg = `<svg><style>
  text { fill: #000; }
  .said { stroke: #FFF; paint-order: stroke; }</style><text style="fill:#1B54A8" class="said" x="1">REQ</text><text class="tick">t</text></svg>`;
  const drawn = overTheirRims(svg);
  expect(drawn).toContain('class="said rimless ink-1B54A8" x="1">REQ</text>');
  expect(drawn).toContain(".rimless { stroke: none; } .ink-1B54A8 { fill: #1B54A8; }</style>");
  expect(drawn.match(/>REQ</g)).toHaveLength(2);
  expect(drawn.match(/>t</g)).toHaveLength(1);
});
