/** Where the letters of an SVG stand: boxes in pixels, from what Vega and our diagrams write. */
import sax from "sax";
import { pictureSize } from "../../src/plot/picture.ts";
import { textWidth } from "../../src/trace/diagram/measure.ts";

export interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

interface Frame {
  readonly x: number;
  readonly y: number;
  readonly turned: boolean;
}

interface Run {
  readonly frame: Frame;
  readonly anchor: string;
  readonly size: number;
  readonly bold: boolean;
  readonly text: string;
}

interface Tag {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Our table of widths is for the widest letters in use; most are narrower. */
const USUAL = 0.85;
const SIZE = 11;

export function lettersOf(svg: string): { readonly boxes: readonly Box[]; readonly size: readonly [number, number] } {
  const boxes: Box[] = [];
  const frames: Frame[] = [{ x: 0, y: 0, turned: false }];
  let open: Omit<Run, "text"> | null = null;
  let text = "";
  const end = () => {
    if (open !== null && text !== "") boxes.push(boxOf({ ...open, text }));
    text = "";
  };
  const reader = sax.parser(true);
  reader.onopentag = ({ name, attributes }: Tag) => {
    const of = (key: string) => attributes[key] ?? "";
    const last = frames[frames.length - 1];
    const [, dx = "0", dy = "0"] = /translate\(([-\d.e]+),\s*([-\d.e]+)\)/.exec(of("transform")) ?? [];
    const frame = {
      x: last.x + Number(dx) + Number(of("x") || 0),
      y: last.y + Number(dy) + Number(of("y") || 0),
      turned: last.turned || of("transform").includes("rotate"),
    };
    frames.push(frame);
    if (name === "text") {
      const size = Number.parseFloat(of("font-size")) || SIZE;
      open = { frame, anchor: of("text-anchor"), size, bold: of("font-weight") === "bold" };
    }
    // A further line of the same text.
    if (name !== "tspan" || open === null) return;
    end();
    open = { ...open, frame: { ...open.frame, y: open.frame.y + Number(of("dy") || 0) } };
  };
  reader.ontext = (some: string) => {
    if (open !== null) text += some;
  };
  reader.onclosetag = (name: string) => {
    frames.pop();
    if (name !== "text") return;
    end();
    open = null;
  };
  reader.write(svg).close();
  return { boxes, size: pictureSize(svg) };
}

function boxOf({ frame, anchor, size, bold, text }: Run): Box {
  const length = USUAL * textWidth(text, size, bold);
  const before = anchor === "middle" ? length / 2 : anchor === "end" ? length : 0;
  const above = 0.7 * size;
  return frame.turned
    ? { text, left: frame.x - above, right: frame.x, top: frame.y - length + before, bottom: frame.y + before }
    : { text, left: frame.x - before, right: frame.x + length - before, top: frame.y - above, bottom: frame.y };
}
