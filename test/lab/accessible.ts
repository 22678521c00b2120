/** What axe-core finds in a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is serious or critical, in light and dark, and whether anything is wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Nothing fades while its contrast is measured.
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const light = await serious(page, null);
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return { scrollWidth, clientWidth };
  });
  const wide = scrollWidth > clientWidth ? [`${scrollWidth} pixels wide on ${clientWidth}`] : [];
  // The other theme is the same page in other colours.
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "dark" });
  await page.waitForSelector("html[data-theme=dark]");
  const dark = await serious(page, "color-contrast");
  await page.emulateMedia({ reducedMotion: null, colorScheme: "light" });
  await page.waitForSelector("html[data-theme=light]");
  return [...light, ...wide, ...dark.map((fault) => `dark: ${fault}`)];
}

/** Of one rule only, where one is named. */
async function serious(page: Page, rule: string | null): Promise<string[]> {
  return page.evaluate(async (only) => {
    const { violations } = await (
      globalThis as unknown as {
        axe: {
          run(options: object): Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }>;
        };
      }
    ).axe.run({ resultTypes: ["violations"], ...(only !== null && { runOnly: [only] }) });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0].html.slice(0, 160)}`);
  }, rule);
}
