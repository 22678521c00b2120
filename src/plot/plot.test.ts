import { expect, test } from "vitest";
import { signsOf } from "./figure.ts";
import { type LinePlot, linePlot, smallMultiples } from "./plot.ts";

const SIZES = [10, 100, 1000, 10_000];

const FIGURE: LinePlot = {
  title: "Messages <of> two & more",
  caption: "seed 1, 100 trials",
  x: { label: "n (processes)", log: true },
  y: { label: "messages", log: true },
  series: [
    { name: "a", kind: "measured", points: SIZES.map((x) => ({ x, y: 2 * x, low: x, high: 3 * x })) },
    { name: "a", kind: "theory", points: SIZES.map((x) => ({ x, y: 2 * x })) },
    { name: "b", kind: "measured", points: SIZES.map((x) => ({ x, y: x === 100 ? null : 5 * x })) },
    { name: "√n", kind: "reference", points: SIZES.map((x) => ({ x, y: Math.sqrt(x) })) },
  ],
};

const marks = (svg: string, mark: string) => svg.match(new RegExp(`aria-roledescription="${mark}"`, "g"))?.length ?? 0;

test("the same data give the same bytes, also after other figures", async () => {
  const first = await linePlot(FIGURE).svg();
  await linePlot({ ...FIGURE, title: "another" }).svg();
  expect(await linePlot(FIGURE).svg()).toBe(first);
  expect(first).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"[\s\S]*<\/svg>\n$/);
});

test("shows title, caption, axes, legend and each point that has a value", async () => {
  const svg = await linePlot(FIGURE).svg();
  for (const text of ["Messages &lt;of&gt; two &amp; more", "seed 1, 100 trials", "n (processes)", "messages", "√n"]) {
    expect(svg).toContain(`>${text}</text>`);
  }
  for (const text of ["a", "b", "measured", "theory", "10,000"]) expect(svg).toContain(`>${text}</text>`);
  expect(marks(svg, "point")).toBe(2 * SIZES.length - 1);
});

test("a logarithmic axis of little more than a decade has marks between the powers of ten", async () => {
  const points = [20, 100, 400].map((x) => ({ x, y: x }));
  const svg = await linePlot({ ...FIGURE, series: [{ name: "a", kind: "measured", points }] }).svg();
  for (const mark of ["20", "50", "200"]) expect(svg).toContain(`>${mark}</text>`);
});

test("a logarithmic axis leaves out what it cannot show, and bands end above zero", async () => {
  const points = [0, 1, 2].map((i) => ({ x: i, y: 10 ** i - 1, low: -5, high: 10 ** i }));
  const svg = await linePlot({ ...FIGURE, series: [{ name: "a", kind: "measured", points }] }).svg();
  // x = 0 has no place on the axis, and there is no other point at which y is 0.
  expect(marks(svg, "point")).toBe(2);
  expect(svg).not.toMatch(/NaN|Infinity/);
});

test("categories stand side by side, in the order given", async () => {
  const points = ["small", "large"].map((x, i) => ({ x, y: 1 + i, low: i, high: 2 + i }));
  const { series: _, ...rest } = FIGURE;
  const svg = await linePlot({
    ...rest,
    x: { label: "size" },
    y: { label: "messages" },
    series: [
      { name: "a", kind: "measured", points },
      { name: "b", kind: "measured", points },
      { name: "b", kind: "theory", points },
    ],
  }).svg();
  expect(svg.indexOf(">small<")).toBeLessThan(svg.indexOf(">large<"));
  expect(marks(svg, "point")).toBe(4);
  expect(marks(svg, "tick")).toBe(2);
});

test("small multiples share one legend", async () => {
  const panels = ["(a)", "(b)", "(c)"].map((title) => ({ ...FIGURE, title }));
  const svg = await smallMultiples({ title: "Fig. 5", columns: 2, panels }).svg();
  for (const { title } of panels) expect(svg).toContain(`>${title}</text>`);
  expect(svg.match(/>measured<\/text>/g)).toHaveLength(1);
});

test("a series and its theory have one colour", () => {
  const signs = signsOf(FIGURE.series);
  expect([...signs.keys()]).toEqual(["a", "b"]);
  expect(signs.get("a")!.colour).not.toBe(signs.get("b")!.colour);
  expect(signs.get("a")!.shape).not.toBe(signs.get("b")!.shape);
});
