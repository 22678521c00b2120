import sax from "sax";
import { describe, expect, test } from "vitest";
import { InputError } from "../../errors.ts";
import { type Request, resolve } from "../../simulation/settings.ts";
import type { TraceEvent } from "../events.ts";
import { tellTrial } from "../replay.ts";
import { type DiagramOptions, diagram } from "./diagram.ts";
import { SIZE, textWidth } from "./measure.ts";

const exponential = { kind: "exponential", mean: 1 } as const;
const crashes = [{ node: 1, at: 1 }];
const RUNS: Readonly<Record<string, Request>> = {
  "chang-roberts": { protocol: "chang-roberts", n: 5 },
  peterson: { protocol: "peterson", n: 5 },
  "out of order, with losses": {
    protocol: "hirschberg-sinclair",
    n: 6,
    host: "events",
    delay: exponential,
    faults: { loss: 0.2 },
  },
  "a crash": { protocol: "chang-roberts", n: 6, host: "events", delay: exponential, faults: { crashes } },
  timers: { protocol: "time-slice", n: 4 },
  "tournament-async": { protocol: "tournament-async", n: 8 },
  "quorum as printed": { protocol: "quorum", n: 6, delay: exponential, params: { reading: "tables", tau: 3 } },
  referees: { protocol: "referees", n: 12 },
  "filter-relay": { protocol: "filter-relay", n: 10 },
  council: { protocol: "council-basic", n: 8, params: { L: 2, U: 3 } },
  "forty nodes": { protocol: "chang-roberts", n: 40 },
  "random walks": { protocol: "random-walks", n: 16 },
};

interface Box {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

function parsed(svg: string): { readonly tags: readonly sax.Tag[]; readonly texts: readonly Box[] } {
  const tags: sax.Tag[] = [];
  const texts: Box[] = [];
  const parser = sax.parser(true);
  let open: sax.Tag | null = null;
  parser.onerror = (error) => {
    throw error;
  };
  parser.onopentag = (tag) => {
    tags.push(tag as sax.Tag);
    if (tag.name === "text") open = tag as sax.Tag;
  };
  parser.ontext = (text) => {
    if (open !== null) texts.push(boxOf(open, text));
    open = null;
  };
  parser.write(svg).close();
  return { tags, texts };
}

/** What a text takes at most: letters from a table of wide ones. */
function boxOf({ attributes }: sax.Tag, text: string): Box {
  const style = attributes.class;
  const size = style === "title" ? SIZE.title : style === "head" ? SIZE.head : SIZE.text;
  const width = textWidth(text, size, style === "title" || style === "head");
  const [x, y] = [Number(attributes.x), Number(attributes.y)];
  const left =
    attributes["text-anchor"] === "end" ? x - width : attributes["text-anchor"] === "middle" ? x - width / 2 : x;
  return { text, left, right: left + width, top: y - 0.8 * size, bottom: y + 0.22 * size };
}

const apart = (a: Box, b: Box): boolean =>
  a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

function overlaps(texts: readonly Box[]): string[] {
  return texts.flatMap((a, i) => texts.slice(i + 1).flatMap((b) => (apart(a, b) ? [] : [`${a.text} | ${b.text}`])));
}

const sizeOf = (svg: string): readonly [number, number] => {
  const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!;
  return [Number(width), Number(height)];
};

const OPTIONS: Readonly<Record<string, Partial<DiagramOptions>>> = {
  "as it is": {},
  narrow: { width: 560 },
  wide: { width: 1800 },
  "in grey, without legend": { theme: "print", legend: false, unit: "round" },
};

describe.each(Object.entries(RUNS))("%s", (_, request) => {
  const story = tellTrial(resolve(request), 0);
  const { events } = story;

  test.each(Object.entries(OPTIONS))("%s: no two texts overlap, and none is cut", (_, options) => {
    if (request.n! > 16 && options.width === 560) return;
    const svg = diagram(story, { title: '5 < 6 & "so on"', subtitle: "seed 1", unit: "t =", ...options });
    const { tags, texts } = parsed(svg);
    expect(tags[0].name).toBe("svg");
    expect(svg).not.toMatch(/NaN|undefined|Infinity|\[object/);
    expect(overlaps(texts)).toEqual([]);
    const [width, height] = sizeOf(svg);
    expect(
      texts.filter(({ left, right, top, bottom }) => left < 0 || top < 0 || right > width || bottom > height),
    ).toEqual([]);
    if (options.width !== undefined) expect(width).toBe(options.width);
  });

  test("each message has its line, each node its lane", () => {
    const { tags } = parsed(diagram(story, { title: "", legend: false }));
    const of = (what: TraceEvent["do"]) => events.filter((event) => event.do === what).length;
    expect(tags.filter(({ attributes }) => attributes.class === "message")).toHaveLength(of("send"));
    const lanes = new Set(
      tags.filter(({ attributes }) => attributes.class === "life").map(({ attributes }) => attributes.x1),
    );
    expect(lanes.size).toBe(new Set(events.map(({ node }) => node)).size);
  });
});

const ring = tellTrial(resolve(RUNS["chang-roberts"]), 0);
const textsIn = (options: Partial<DiagramOptions>, story = ring) =>
  parsed(diagram(story, { title: "a ring", ...options })).texts.map(({ text }) => text);

test("what happened is said at the event, and can be left out", () => {
  expect(textsIn({})).toEqual(
    expect.arrayContaining(["swallows 1", "elect 1", "id 5", "node 4", "own id is back: leads"]),
  );
  expect(textsIn({ words: false })).not.toContain("swallows 1");
});

test("some nodes, some events: no other lanes, and no sentence about what is not shown", () => {
  const texts = textsIn({ nodes: [1, 2], wanted: ({ at }) => at <= 2 });
  expect(texts).toEqual(expect.arrayContaining(["node 1", "node 2", "swallows 4"]));
  expect(texts).not.toContain("node 0");
  expect(texts).not.toContain("5 leads");
});

test("a legend names only what occurs", () => {
  const names = (story: typeof ring) => textsIn({ words: false }, story);
  expect(names(ring)).toEqual(expect.arrayContaining(["elect", "announce", "leader", "knows the leader"]));
  expect(names(ring)).not.toContain("crash");
  expect(names(tellTrial(resolve(RUNS["a crash"]), 0))).toContain("crash");
});

test("kinds differ by pattern and not by colour alone", () => {
  const { tags } = parsed(diagram(tellTrial(resolve(RUNS["tournament-async"]), 0), { title: "", theme: "print" }));
  const patterns = tags
    .filter(({ attributes }) => attributes.class === "message")
    .map(({ attributes }) => attributes["stroke-dasharray"]);
  expect(new Set(patterns).size).toBeGreaterThanOrEqual(6);
});

test("lanes that cannot be told apart are refused, with what to do", () => {
  const many = tellTrial(resolve(RUNS["forty nodes"]), 0);
  expect(() => diagram(many, { title: "", width: 300 })).toThrow(InputError);
  expect(() => diagram(many, { title: "", width: 300 })).toThrow(/40 lanes need a width of at least \d+/);
});
