/** The part above the line runs in a page: the same results in a browser's Web Worker as in Node. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inBrowser, newPage, openBrowser } from "./browser.ts";
import { sample } from "./sample.ts";
import { bundle, serve } from "./site.ts";

const made = await bundle();

test("nothing in the bundle asks for Node, but for sax, which does without", () => {
  expect(made.node).toEqual(["sax.js asks for stream"]);
});

inBrowser("in a browser's worker", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  test("one trial of every protocol, an exploration and a plan are what they are in Node", async () => {
    const { server, url } = await serve(made);
    try {
      const page = await newPage(browser);
      const problems: string[] = [];
      page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(String(error)));
      await page.goto(url);
      const answer = (await page.evaluate("window.answer")) as { result?: string; error?: string };
      expect([answer.error, problems]).toEqual([undefined, []]);
      const [there, here] = [JSON.parse(answer.result!), JSON.parse(await sample())];
      expect(there.trials).toEqual(here.trials);
      expect(there.exploration).toEqual(here.exploration);
      // Engines differ in the last bits of Math.log and Math.exp; predictions use those, runs do not (see random/ln.ts).
      expect(rounded(there.plan)).toEqual(rounded(here.plan));
    } finally {
      server.close();
    }
  });
});

/** Every number to twelve digits. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, part) => (typeof part === "number" ? Number(part.toPrecision(12)) : part)),
  );
}
