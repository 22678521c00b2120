import { defineConfig } from "vitest/config";

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
  "test/cli/live.test.ts",
  "test/cli/group.test.ts",
  "test/tutorial/tutorial.test.ts",
  "test/lab/*processes.test.ts",
  "test/examples/*-processes.test.ts",
];

const patience = { testTimeout: 240_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    reporters: ["default", "./test/support/untested.ts"],
    projects: [
      {
        test: {
          ...patience,
          name: "main",
          include: ["src/**/*.test.ts", "test/**/*.test.ts"],
          exclude: LIVE,
          // Vitest's default leaves a core free, which is half of a small machine.
          maxWorkers: "100%",
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: { ...patience, name: "live", include: LIVE, fileParallelism: false, sequence: { groupOrder: 1 } },
      },
    ],
  },
});
