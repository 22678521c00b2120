/** What axe-core finds in a page. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What is serious or critical, in light and dark, and whether anything is wider than the screen. */
export async function faultsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  await shown(page, "light");
  const light = await serious(page, null);
  const wide = await tooWide(page);
  // The other theme is the same page in other colours.
  await shown(page, "dark");
  const dark = await serious(page, "color-contrast");
  await shown(page, "light");
  return [...light, ...wide, ...dark.map((fault) => `dark: ${fault}`)];
}

/** The page in this theme, and nothing fades any more: contrast is measured. */
async function shown(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce", colorScheme: theme });
  await page.waitForSelector(`html[data-theme=${theme}]`);
  await page.evaluate(() => {
    for (const each of document.getAnimations()) {
      if (each.effect?.getComputedTiming().endTime === Number.POSITIVE_INFINITY) each.cancel();
      else each.finish();
    }
  });
}

/** Where something is wider than the screen: what reaches farthest, with what it says. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return [];
    const reach = (one: Element) => one.getBoundingClientRect().right;
    const [farthest] = [...document.querySelectorAll("body *")].sort((a, b) => reach(b) - reach(a));
    return [`${scrollWidth} pixels wide on ${clientWidth}: ${farthest.outerHTML.slice(0, 400)}`];
  });
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
