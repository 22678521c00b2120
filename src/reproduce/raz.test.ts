import { describe, expect, test } from "vitest";
import { campaign } from "../campaign/campaign.ts";
import { resolve } from "../campaign/settings.ts";
import type { Bench, Part } from "./claim.ts";
import { razReproductions } from "./raz.ts";
import { logSpaced, spaced } from "./raz-setting.ts";

/** A quarter of the quick trials: verdicts rest on exact values, or on differences of many standard errors. */
const bench: Bench = {
  effort: "quick",
  trials: (quick) => Math.max(8, Math.ceil(quick / 4)),
  simulate: (request, trials) => campaign(resolve(request), { trials }),
  step: () => {},
};

/** What does not hold as printed, by item: sections, with ~ where a repair helps. */
const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  fig1: [],
  fig2: [],
  fig5: ["section V", "~equation (4)", "section V"],
  fig6: ["section V", "section V"],
  fig7: ["section V", "section V-A"],
  fig10: ["section V-A", "section V-A"],
  fig11: ["section V-B", "section I"],
  fig14: ["Fig. 14", "Fig. 14", "Fig. 14", "equation (16)"],
  fig15: ["Fig. 15", "section VII"],
  fig17: ["section II", "~section IV", "section VII-A", "~equations (19), (20)"],
  loss: ["~section VII-B"],
  table1: [],
  "figs8-13": ["~Figs. 12, 13", "~Fig. 8", "~Figs. 3, 4", "~Figs. 3, 4"],
  continuous: ["~section VIII"],
};

const failing = ({ claims }: Part) =>
  claims
    .filter(({ verdict }) => verdict !== "holds")
    .map(({ verdict, section }) => `${verdict === "holds after repair" ? "~" : ""}${section}`);

describe("Raz et al.: every item says what holds, with figures of exact curves and runs", () => {
  test.each(razReproductions.map((item) => [item.name, item] as const))("%s", async (name, item) => {
    const part = await item.run(bench);
    expect(failing(part)).toEqual(VERDICTS[name]);
    expect(part.text.length).toBeGreaterThan(100);
    for (const { csv, svg, caption } of part.figures) {
      expect(svg).toMatch(/^<svg/);
      expect(csv).toMatch(/,theory,[\s\S]*,measured,/);
      // A longer one would widen the picture.
      expect(caption.length).toBeLessThan(125);
    }
  });
});

test("points of axes", () => {
  expect(logSpaced(1, 100, 1)).toEqual([1, 10, 100]);
  expect(logSpaced(10, 20, 20)).toEqual([10, 11, 13, 14, 16, 18, 20]);
  expect(spaced(0.1, 0.5, 0.2)).toEqual([0.1, 0.3, 0.5]);
});
