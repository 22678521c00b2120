import { describe, expect, test } from "vitest";
import { campaign } from "../campaign/campaign.ts";
import { resolve } from "../campaign/settings.ts";
import type { Bench, Part } from "./claim.ts";
import { guptaReproductions } from "./gupta.ts";
import { FIG4, firstRounds } from "./gupta-setting.ts";

/** A third of the quick trials. */
const bench: Bench = {
  effort: "quick",
  trials: (quick) => Math.ceil(quick / 3),
  simulate: (request, trials) => campaign(resolve(request), { trials }),
  step: () => {},
};

const failing = ({ claims }: Part) =>
  claims
    .filter(({ verdict }) => verdict !== "holds")
    .map(({ verdict, section }) => `${verdict === "holds after repair" ? "~" : ""}${section}`);

/** The cheaper items; the verdicts of the others need the trials of `reproduce --quick`. */
const VERDICTS: Readonly<Record<string, readonly string[]>> = {
  fig2: ["~section 3.1", "section 3.1", "~section 3.1"],
  fig3: ["~Fig. 3"],
  theorems: ["~Theorem 3", "~Theorem 4", "~Theorem 4", "~Theorem 5"],
};

describe("Gupta et al.: items say what holds", () => {
  test.each(Object.keys(VERDICTS))("%s", async (name) => {
    const part = await guptaReproductions.find((item) => item.name === name)!.run(bench);
    expect(failing(part)).toEqual(VERDICTS[name]);
    expect(part.text.length).toBeGreaterThan(100);
    for (const { svg, caption } of part.figures) {
      expect(svg).toMatch(/^<svg/);
      expect(caption.length).toBeLessThan(130);
    }
  });
});

test("names are what `reproduce gupta NAME` takes, each once", () => {
  const names = guptaReproductions.map(({ name }) => name);
  expect(names).toEqual(["fig2", "fig3", "fig4", "theorems", "fig5", "crash", "scale"]);
});

test("first rounds: all succeed without faults, and a dead leader goes unnoticed", async () => {
  const quiet = { ...FIG4, view: 1, loss: 0, multicastLoss: 0, crash: 0 };
  expect(await firstRounds(30, 10, quiet, 10)).toMatchObject({ success: { rate: 1 }, failures: 0 });
  const { success, noticed, failures } = await firstRounds(60, 40, { ...quiet, crash: 0.4 }, 60);
  // The leader lives with probability 0.6: 10 failures or fewer of 60 have a chance of 1e-4.
  expect(failures).toBeGreaterThan(10);
  expect(success.rate).toBeLessThan(0.9);
  expect(noticed.rate).toBe(0);
});
