/** The figures of the page are drawn by the code as it is, from the data beside them, and their letters can be read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { paperPageOf } from "../../scripts/site/reproduction.ts";
import { itemOf } from "../../src/reproduce/all.ts";
import { redrawn } from "../../src/reproduce/redraw.ts";
import { effort } from "../support/effort.ts";
import { type Box, lettersOf } from "./letters.ts";
import { entries, folder } from "./record.ts";

const figures = entries.flatMap(({ paper, figures }) => figures.map((figure) => ({ paper, figure })));
const textOf = (name: string) => readFileSync(join(folder, name), "utf8");

describe("figures", () => {
  test("have letters that are whole and do not lie on others", () => {
    const wrong = figures.flatMap(({ figure: { name } }) => {
      const { boxes, size } = lettersOf(textOf(`${name}.svg`));
      expect(boxes.length, name).toBeGreaterThan(5);
      return [...cut(boxes, size), ...pairsThatMeet(boxes)].map((what) => `${name}: ${what}`);
    });
    expect(wrong).toEqual([]);
  });

  // Each takes a tenth of a second: of every kind one, and all of them in the long run.
  const some = /raz-fig1$|gupta-crash|kutten-algorithm2|ramanathan-as-printed/;
  const drawn = figures.filter(({ figure }) => effort(some.test(figure.name), true));
  test.each(drawn)("$figure.name is drawn again from its data, byte for byte", async ({ paper, figure }) => {
    const plot = redrawn(paper, figure, textOf(`${figure.name}.csv`));
    if (plot !== null) expect(await plot.svg()).toBe(textOf(`${figure.name}.svg`));
  });

  test("have a size and a title on request, to the pixel", async () => {
    const { paper, figure } = figures.find(({ figure: { name } }) => name === "gupta-crash")!;
    const plot = redrawn(paper, figure, textOf("gupta-crash.csv"))!;
    const svg = await plot.svg({ title: "Of my own", width: 620, height: 480 });
    expect(svg).toContain(">Of my own</text>");
    expect(lettersOf(svg).size).toEqual([620, 480]);
    await expect(plot.svg({ width: 200 })).rejects.toThrow("leaves no room for the axes");
    const specification = JSON.stringify(await plot.specification!({ title: "Of my own" }));
    expect(specification).toContain("Of my own");
    expect(specification).toContain("messages are lost");
  });
});

test("every claim is found by its command, which stands below it on the site's page", () => {
  for (const { paper, name, claims } of entries) {
    const page = paperPageOf(entries, paper);
    for (const { key } of claims) {
      expect(itemOf(paper, undefined, key).name, key).toBe(name);
      expect(page).toContain(`\`npx sortition reproduce ${paper} --claim ${key}\``);
    }
  }
  expect(() => itemOf("raz", undefined, "naive-q")).toThrow('raz has no claim "naive-q"; did you mean "naive-p"?');
  expect(() => itemOf(undefined, undefined, "naive-p")).toThrow("--claim is for one paper");
});

/** Marks of an axis may reach a pixel beyond. */
const cut = (boxes: readonly Box[], [width, height]: readonly [number, number]) =>
  boxes
    .filter(({ left, right, top, bottom }) => left < -1 || top < -1 || right > width + 1 || bottom > height + 1)
    .map(({ text }) => `"${text}" is cut`);

function pairsThatMeet(boxes: readonly Box[]): string[] {
  return boxes.flatMap((a, i) =>
    boxes
      .slice(i + 1)
      .filter((b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
      .map((b) => `"${a.text}" lies on "${b.text}"`),
  );
}
