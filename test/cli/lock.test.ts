import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/**
 * A registry that serves only the packages of one platform makes npm drop the others from the lock file, and `npm ci`
 * then refuses it everywhere. Put back what this names: version, os, cpu and "optional".
 */
test("the lock file names the optional packages of every platform", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  );
  expect(missing).toEqual([]);
});
