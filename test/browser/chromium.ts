/** A browser to test in: the one from npm, or the machine's own. */
import { existsSync } from "node:fs";
import { type Browser, chromium as launcher } from "playwright-core";

const MACHINE = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Null where none starts on this machine; under CI that is a failure. */
export async function openBrowser(): Promise<Browser | null> {
  const problems: string[] = [];
  for (const candidate of [fromNpm, fromMachine]) {
    try {
      return await candidate();
    } catch (error) {
      problems.push(String(error).split("\n")[0]);
    }
  }
  if (process.env.CI) throw new Error(`no browser starts here: ${problems.join("; ")}`);
  return null;
}

async function fromNpm(): Promise<Browser> {
  const { default: chromium } = await import("@sparticuz/chromium");
  // In a single process, closing a page would end the browser.
  const args = chromium.args.filter((flag) => flag !== "--single-process");
  return launcher.launch({ executablePath: await chromium.executablePath(), args, headless: true });
}

async function fromMachine(): Promise<Browser> {
  const executablePath = MACHINE.find(existsSync);
  if (executablePath === undefined) throw new Error(`none of ${MACHINE.join(", ")} is there`);
  return launcher.launch({ executablePath, args: ["--no-sandbox"] });
}
