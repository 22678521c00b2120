/** The built page in a real browser, served as `sortition lab` serves it. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { serveLab } from "../../src/cli/lab-server.ts";
import { openBrowser } from "../browser/chromium.ts";

const BUILT = fileURLToPath(new URL("../../dist/lab/index.html", import.meta.url));

export interface Site {
  readonly browser: Browser;
  readonly url: string;
  /** Opens the page at a hash; what the browser complains of is collected in `problems`. */
  open(hash: string, options?: BrowserContextOptions): Promise<Page>;
  /** The same in a page that all tests of a file share, which is quicker: the view is a new one, the page and its worker are not. */
  visit(hash: string): Promise<Page>;
  readonly problems: string[];
  /** How many bytes the server has sent, packed as they were. */
  sent(): number;
  close(): Promise<void>;
}

/** Null where no browser starts on this machine. */
export async function openSite(opened: ReadonlyMap<string, string> = new Map()): Promise<Site | null> {
  if (!existsSync(BUILT)) throw new Error("dist/lab is not there: npm run build");
  const browser = await openBrowser();
  if (browser === null) return null;
  const { server, url } = await serveLab(0, opened);
  const problems: string[] = [];
  let sent = 0;
  server.on("request", (_, response) => {
    response.on("finish", () => {
      sent += Number(response.getHeader("content-length") ?? 0);
    });
  });
  let shared: Page | null = null;
  const site: Site = {
    sent: () => sent,
    browser,
    url,
    problems,
    async open(hash, options = {}) {
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
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
    async close() {
      await browser.close();
      server.close();
      server.closeAllConnections();
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
