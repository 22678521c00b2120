/**
 * The declarations that users get: for `require` (.d.cts), and for `import` a line that names those (.d.ts), since a module may import CommonJS
 * and not the other way round. And what `require` gets: the same modules, so that a class is one class however it was loaded.
 * `declared`: where the compiler has written to; `folder`: what becomes dist.
 */
import { globSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

const [declared, folder] = process.argv.slice(2);
const entries = globSync(`${declared}/entries/*.d.ts`).map((file) => [basename(file, ".d.ts"), resolve(file)]);

const types = join(folder, "types");
const bundle = await rolldown({
  input: Object.fromEntries(entries),
  plugins: [dts({ dtsInput: true })],
  external: /^node:/,
  preserveEntrySignatures: "allow-extension",
});
const { output } = await bundle.write({
  dir: types,
  format: "es",
  chunkFileNames: "[name].ts",
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      // Programs for a page have none of Node's types, and nothing of these.
      { name: "members.d", test: /[\\/]live[\\/].*\.d\.ts$/, minShareCount: 2 },
      { name: "shared.d", test: /\.d\.ts$/, minShareCount: 2 },
    ],
  },
});
await bundle.close();

for (const { fileName, code } of output) {
  rmSync(join(types, fileName));
  const file = join(types, fileName.replace(/\.d\.ts$/, ".d.cts"));
  writeFileSync(file, code.replace(/( from "\.\/[\w.-]+)\.js"/g, '$1.cjs"'));
}
for (const [entry] of entries) writeFileSync(join(types, `${entry}.d.ts`), `export * from "./${entry}.cjs";\n`);

/** Node could always load CommonJS, so too old a one is told here that it is; a newer one loads modules like this. */
const required = (entry) => `"use strict";
try {
  module.exports = require("./${entry}.js");
} catch (error) {
  if (error.code !== "ERR_REQUIRE_ESM") throw error;
  throw new Error("sortition needs Node 22.13 or later, this is " + process.versions.node + ": update Node");
}
`;

for (const [entry] of entries) writeFileSync(join(folder, "entries", `${entry}.cjs`), required(entry));
