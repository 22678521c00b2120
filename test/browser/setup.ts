/**
 * Before the first test file of the project "browser", and after built.ts: starts one browser for all files. Where no browser starts, these tests are skipped and the last line of the run says so; under CI that is a failure.
 */
import type { TestProject } from "vitest/node";
import { startBrowser } from "./chromium.ts";

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  try {
    const server = await startBrowser();
    project.provide("browser", server.wsEndpoint());
    return () => server.close();
  } catch (error) {
    if (process.env.CI) throw error;
    project.provide("browser", null);
    return async () => {
      process.stdout.write(`\nNOT TESTED: every test in a browser is skipped, because ${(error as Error).message}\n`);
    };
  }
}
