/** Which tests of `npm test` are near a fault, the likeliest first. */
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

interface Folder {
  /** So many faults are drawn. */
  readonly count: number;
  /** One list after the other is run until a test fails. */
  readonly stages: readonly (readonly string[])[];
  /** Tests that start the built command. */
  readonly ofCommand?: readonly string[];
}

const VIRTUAL =
  "test/live/{faults,group-absurd,group-host,group-hostile,group-strangers,host,hostile,strict-members}.test.ts";

export const FOLDERS: Readonly<Record<string, Folder>> = {
  "src/elector": {
    count: 25,
    stages: [["src/elector/**/*.test.ts"], ["test/group/*.test.ts", VIRTUAL]],
  },
  "src/protocols/lease": {
    count: 25,
    stages: [
      ["src/protocols/lease/*.test.ts", "src/elector/strict/*.test.ts", "test/engines/{model,rows-schedules}.test.ts"],
      ["test/explorer/lease*.test.ts", "test/group/strict*.test.ts", VIRTUAL],
    ],
  },
  "src/protocols/membership": {
    count: 25,
    stages: [["src/protocols/membership/*.test.ts"], ["src/elector/**/*.test.ts", "test/group/*.test.ts", VIRTUAL]],
  },
  "src/live/group": {
    count: 12,
    stages: [
      ["src/live/group/*.test.ts", VIRTUAL],
      ["src/live/**/*.test.ts", "test/group/live.test.ts", "test/keys/{file,rotation,steps,told}.test.ts"],
    ],
  },
  "src/live/engines": {
    count: 12,
    stages: [
      ["src/live/engines/*.test.ts", "test/engines/*.test.ts"],
      ["test/live/{lease-*,watched-stores}.test.ts", "src/live/**/*.test.ts"],
    ],
  },
  "src/live/guards": {
    count: 12,
    stages: [["src/live/guards/*.test.ts", "test/guards/*.test.ts"], ["test/agent/http-fence.test.ts"]],
  },
  "src/live/run": {
    count: 12,
    stages: [["src/live/run/*.test.ts"]],
    ofCommand: ["test/run/*.test.ts"],
  },
};

const imported = new Map<string, readonly string[]>();

/** Files that a file names: imports, and programs that it starts. */
function namedIn(root: string, file: string): readonly string[] {
  let found = imported.get(file);
  if (found === undefined) {
    const text = readFileSync(join(root, file), "utf8");
    const paths = [...text.matchAll(/"(\.[^"\s]*\.ts)"/g)].map(([, path]) => join(dirname(file), path));
    found = paths.filter((path) => globSync(path, { cwd: root }).length > 0);
    imported.set(file, found);
  }
  return found;
}

function reaches(root: string, from: string, file: string): boolean {
  const seen = new Set([from]);
  for (const each of seen) {
    if (each === file) return true;
    for (const next of namedIn(root, each)) seen.add(next);
  }
  return false;
}

const stemOf = (file: string) => basename(file).split(".")[0];

/** Of these patterns, the tests that load the file: those of its name, then those of its folder, then all others; short ones first. */
export function testsFor(
  root: string,
  file: string,
  patterns: readonly string[],
  seconds: (test: string) => number,
): string[] {
  const rank = (test: string): number => {
    if (stemOf(file).startsWith(stemOf(test)) || stemOf(test).startsWith(stemOf(file))) return 0;
    return dirname(test) === dirname(file) ? 1 : 2;
  };
  return globSync([...patterns], { cwd: root })
    .filter((test) => reaches(root, test, file))
    .sort((a, b) => rank(a) - rank(b) || seconds(a) - seconds(b) || (a < b ? -1 : 1));
}
