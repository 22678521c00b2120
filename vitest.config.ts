import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import LongestFirst from "./test/support/longest-first.ts";

const matching = (...patterns: string[]): string[] => globSync(patterns, { cwd: import.meta.dirname });
const text = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

/** Tests that replace a module or a global object: they need a process that has loaded nothing yet, and that nobody uses after them. */
const alone = matching("src/**/*.test.ts", "test/**/*.test.ts").filter((file) =>
  /\bvi\.(mock|doMock|resetModules|useFakeTimers)\(/.test(text(file)),
);

/** Pure functions and virtual time: no processes, sockets or browsers. */
const pure = matching(
  "src/**/*.test.ts",
  "test/{conformance,explorer,fuzz,group,papers,predictions,reproduction,scenarios}/*.test.ts",
  "test/contributing.test.ts",
  "test/flight/replay.test.ts",
  "test/lab/true.test.ts",
  "test/live/{conformance,faults,group-absurd,group-host,group-hostile,group-strangers,host,hostile,leading-faults,restarts,strict-members}.test.ts",
).filter((file) => !alone.includes(file));

/** Of these, the long ones: large searches, many drawn settings, whole plans and papers. */
const studies = matching(
  "test/{papers,reproduction}/*.test.ts",
  "test/explorer/{lease,lease-run,mutants,ramanathan,reduction,referees-async,rings,term-rule,twins}.test.ts",
  "test/flight/replay.test.ts",
  "test/group/*.test.ts",
  "test/live/{leading-faults,restarts}.test.ts",
  "src/planner/{plan,promises,tolerance}.test.ts",
  "src/kernels/{drawn-settings,filter-relay/filter-relay}.test.ts",
  "src/campaign/{campaign,rare}.test.ts",
  "src/{registry/predict,statistics/precision,topology/mixing,explorer/probability/probabilities}.test.ts",
  "src/protocols/**/{filter-relay,flood-max,network-size,predict,tree-election,continuous}.test.ts",
).filter((file) => pure.includes(file));

/** What one runs while editing. */
const quick = pure.filter((file) => !studies.includes(file));

/** Pages in a real browser, which all of these files share. */
const browser = matching("test/lab/*.test.ts", "test/browser/*.test.ts").filter(
  (file) => !alone.includes(file) && /openSite|openBrowser/.test(text(file)),
);

const setup = "./test/support/setup.ts";
const built = "./test/support/built.ts";
/** Commands that tests start take what Node has compiled for the one before. */
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/sortition-compiled") };
/** Milliseconds for a test or a hook: one that stands still costs a minute. */
const limit = process.env.LONG === "1" ? 3_600_000 : 60_000;
const common = {
  env,
  globalSetup: setup,
  testTimeout: limit,
  hookTimeout: limit,
  // Of the tests in a file that may run at the same time.
  maxConcurrency: 2,
  // More than there are cores, because many tests wait: for a process that starts, for a lease that ends, for a page.
  maxWorkers: availableParallelism() + 3,
};

const inTurn = {
  // They keep nothing between them, so that a process loads the modules once and runs file after file.
  isolate: false,
  // Node loads them itself: through Vite's module runner each call of an imported function costs a look-up, a quarter of the time.
  experimental: { viteModuleRunner: false },
};

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/reporter.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...common,
          ...inTurn,
          name: "main",
          globalSetup: [setup, built, "./test/support/servers.ts"],
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...quick, ...browser, ...alone],
        },
      },
      { test: { ...common, name: "alone", include: alone } },
      { test: { ...common, ...inTurn, name: "quick", include: quick } },
      // Vitest ends the last project first: the browser is closed before somebody looks for processes that were left running.
      {
        test: {
          ...common,
          ...inTurn,
          name: "browser",
          include: browser,
          globalSetup: [setup, built, "./test/browser/setup.ts"],
        },
      },
    ],
  },
});
