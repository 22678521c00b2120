/** The browser that all test files share: each file connects to it, and closes only its own pages. */
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { describe, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the browser, or null where none starts. */
    browser: string | null;
  }
}

/** Milliseconds to wait for anything in a page: a starved machine is slow, and a test has 60 seconds. */
const PATIENCE = 45_000;

/** Skipped where no browser starts; the last line of the run says why. */
export const inBrowser = describe.skipIf(inject("browser") === null);

export const openBrowser = (): Promise<Browser> => chromium.connect(inject("browser")!, { timeout: PATIENCE });

/** A page in a context of its own, which ends with the page. */
export async function newPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.context().setDefaultTimeout(PATIENCE);
  return page;
}

/** For several tabs of one visitor. */
export async function newContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}
