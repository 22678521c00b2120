/** Pictures for the docs, from the page as it is: `PICTURES=write npx vitest run test/lab/pictures.test.ts` makes them again. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../cli/run.ts";
import { openSite, settled } from "./site.ts";

const PICTURES = [
  ["lab-watch", "#/watch?protocol=chang-roberts&n=12&seed=3&e=55&sel=4"],
  ["lab-lesson", "#/lessons/average?guess=900&answer=shown&e=1000000"],
] as const;

const writes = process.env.PICTURES === "write";
const site = writes ? openSite() : null;

describe("pictures in the docs", () => {
  test.each(PICTURES)("%s", async (name, hash) => {
    const path = join(root, "docs", "figures", `${name}.png`);
    if (site !== null) {
      const page = await site.open(hash, { viewport: { width: 1280, height: 860 } });
      await settled(page);
      await page.evaluate(() => document.fonts.ready);
      await page.screenshot({ path, animations: "disabled" });
      await page.close();
    }
    expect(existsSync(path)).toBe(true);
    expect(readFileSync(path).subarray(1, 4).toString()).toBe("PNG");
    expect(readFileSync(join(root, "docs/lab.md"), "utf8")).toContain(`figures/${name}.png`);
  });
});
