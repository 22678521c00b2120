/** The site that `npm run site` builds, without the reference of the API: every link leads somewhere, and it works without a server. */
import { execFile } from "node:child_process";
import { globSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inBrowser, newPage, openBrowser } from "./browser.ts";

const root = join(import.meta.dirname, "../..");
let out = "";
let said = "";

beforeAll(async () => {
  out = join(mkdtempSync(join(tmpdir(), "sortition-site-")), "a site");
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/site/main.ts", "--no-api", "--out", out], {
    cwd: root,
  });
  said = stdout;
});
afterAll(() => rmSync(join(out, ".."), { recursive: true }));

test("a page for every page of the repository, and every link leads somewhere", () => {
  expect(said).toMatch(/^\d+ pages in .*; every link leads somewhere$/m);
  for (const page of globSync("docs/*.md", { cwd: root })) {
    expect(globSync(page.replace("README.md", "index.md").replace(/md$/, "html"), { cwd: out })).toHaveLength(1);
  }
});

inBrowser("the site in a browser, from a folder", () => {
  test("search finds a section, by the keyboard alone, and nothing is asked of any server", async () => {
    const browser = await openBrowser();
    const page = await newPage(browser, { viewport: { width: 1280, height: 800 } });
    const asked: string[] = [];
    const problems: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => problems.push(String(error)));
    await page.goto(pathToFileURL(join(out, "index.html")).href);
    expect(await page.textContent("h1")).toBe("Sortition");
    await page.keyboard.press("/");
    await page.keyboard.type("fencing token");
    await page.waitForSelector(".search li a");
    await page.keyboard.press("Enter");
    await page.waitForURL(/docs\/.*\.html/);
    expect((await page.textContent("main"))?.toLowerCase()).toContain("token");
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    expect(asked.filter((url) => !url.startsWith("file:"))).toEqual([]);
    expect(problems).toEqual([]);
    await browser.close();
  });
});
