import { globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import LongestFirst from "./test/support/longest-first.ts";

/** Real processes, sockets and clocks: a file at a time, and with nothing else beside it. */
const LIVE = [
  "test/engines/linear.test.ts",
  "test/engines/postgres.test.ts",
  "test/live/processes.test.ts",
  "test/live/sockets.test.ts",
  "test/live/group-processes.test.ts",
  "test/live/group-of-25.test.ts",
  "test/live/group-parted.test.ts",
  "test/live/lease-*.test.ts",
  "test/run/{faults,guarded}.test.ts",
  "test/agent/http-malformed.test.ts",
];

/** Real processes too, which mostly wait for each other and bear a neighbour: two files at a time. */
const WAITING = [
  "test/campaign/*-processes.test.ts",
  "test/tutorial/tutorial.test.ts",
  "test/cli/{demo-*,group,live}.test.ts",
  "test/agent/*processes.test.ts",
  "test/agent/http{,-contract,-events,-fence,-security}.test.ts",
  "test/examples/*-processes.test.ts",
  "test/keys/*-processes.test.ts",
  "test/lab/*processes.test.ts",
  "test/run/{ends,terminal}.test.ts",
  "test/wire/previous-processes.test.ts",
];

/**
 * Nothing but functions and virtual time: they keep nothing between them, so that a process may load the modules once and run
 * file after file. But for those that put something else in a module's place: one that is loaded already would not notice.
 */
const pure = globSync(
  [
    "src/**/*.test.ts",
    ...["conformance", "explorer", "group", "papers", "reproduction"].map((name) => `test/${name}/*.test.ts`),
  ],
  { cwd: import.meta.dirname },
).filter((file) => !/\bvi\b.* from "vitest"/.test(readFileSync(join(import.meta.dirname, file), "utf8")));

/** Commands that tests start, hundreds of them, take what Node has compiled for the one before. */
const env = { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/sortition-compiled") };
const patience = { testTimeout: 240_000, hookTimeout: 60_000, env };
/** One more than there are cores, because some wait: for a process that starts, or for a page. */
const atOnce = { maxWorkers: availableParallelism() + 1, sequence: { groupOrder: 0 } };

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/untested.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...patience, ...atOnce, name: "pure", include: pure, isolate: false } },
      {
        test: {
          ...patience,
          ...atOnce,
          name: "main",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: [...LIVE, ...WAITING, ...pure],
        },
      },
      { test: { ...patience, name: "waiting", include: WAITING, maxWorkers: 2, sequence: { groupOrder: 1 } } },
      {
        test: { ...patience, name: "live", include: LIVE, fileParallelism: false, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
