/** The built page in a real browser, served as `sortition lab` serves it. */
import type { Server } from "node:http";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { serveLab } from "../../src/cli/commands/lab.ts";
import { newContext, newPage, openBrowser } from "../browser/browser.ts";

export interface Site {
  readonly url: string;
  /**
   * Opens the page at a hash, in a context of its own, which ends with the page. For a reader who wants less motion: frames between two
   * events take half the time of all these tests. Tests of motion ask for it (MOVING).
   */
  open(hash: string, options?: BrowserContextOptions): Promise<Page>;
  /** The same in a page that all tests of a file share, which is quicker: the view is a new one, the page and its worker are not. */
  visit(hash: string): Promise<Page>;
  /** A page that has loaded nothing yet, and of which nobody reports problems. */
  blank(options?: BrowserContextOptions): Promise<Page>;
  /** For several tabs of one visitor. */
  context(options: BrowserContextOptions): Promise<BrowserContext>;
  /** How many bytes the server has sent, packed as they were. */
  sent(): number;
}

/** Options of a page that moves. */
export const MOVING = { reducedMotion: "no-preference" } as const;

/** For the tests of a file, after each of which the browser must have complained of nothing. */
export function openSite(opened: ReadonlyMap<string, Uint8Array> = new Map()): Site {
  const problems: string[] = [];
  let browser!: Browser;
  let server!: Server;
  let url = "";
  let sent = 0;
  let shared: Page | null = null;

  beforeAll(async () => {
    if (inject("browser") === null) return;
    browser = await openBrowser();
    ({ server, url } = await serveLab(0, opened));
    server.on("request", (_, response) => {
      response.on("finish", () => {
        sent += Number(response.getHeader("content-length") ?? 0);
      });
    });
  });
  afterEach(() => expect(problems.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    server?.close();
    server?.closeAllConnections();
  });

  const site: Site = {
    get url() {
      return url;
    },
    sent: () => sent,
    blank: (options) => newPage(browser, options),
    context: (options) => newContext(browser, options),
    async open(hash, options = {}) {
      const calm = { viewport: { width: 1440, height: 900 }, reducedMotion: "reduce" } as const;
      const page = await newPage(browser, { ...calm, ...options });
      page.on("console", (message) => message.type() === "error" && problems.push(`${hash}: ${message.text()}`));
      page.on("pageerror", (error) => problems.push(`${hash}: ${error}`));
      page.on("request", (request) => {
        if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url()))
          problems.push(`asks ${request.url()}`);
      });
      await page.goto(`${url}${hash}`);
      return page;
    },
    async visit(hash) {
      shared ??= await site.open("#/lessons");
      // Another view in between, so that nothing of the last one is left.
      await shared.goto(`${url}#/lessons`);
      await shared.waitForSelector("main >> text=A question, a guess, a run");
      await shared.goto(`${url}${hash}`);
      return shared;
    },
  };
  return site;
}

/** Waits until the run that is watched has been computed. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector("main[data-loading=false] button.play:not([disabled])");
}

export const sentence = (page: Page): Promise<string> => page.innerText("h2.sentence");

/** Waits until the address says at which event the page is. */
export async function written(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const event = /event (\d+)/.exec(document.querySelector("[aria-label=Time]")?.getAttribute("aria-valuetext") ?? "");
    return event !== null && new URLSearchParams(location.hash.split("?")[1]).get("e") === event[1];
  });
}
