/**
 * Checks the types of everything, as many programs at a time as there are cores. Each program has one checker: several would check what
 * they share once each.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import "./compiled.js";
import { assemble } from "./assemble.js";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
await assemble();
const { resolve } = createRequire(import.meta.url);
const programOf = (name, file) => resolve(`${name}/package.json`).replace("package.json", file);
const tsc = programOf("@typescript/native", "bin/tsc");

const checks = [
  [programOf("svelte-check", "bin/svelte-check"), "--tsgo", "--tsconfig", "tsconfig.lab.json", "--threshold", "error"],
  [tsc, "--checkers", "1"],
  [tsc, "--checkers", "1", "-p", "tsconfig.core.json"],
];

/** What a check says is printed at its end, so that lines of two do not mix. */
function run(args) {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => said.push(text));
    child.on("close", (status) => {
      process.stdout.write(Buffer.concat(said));
      if (status !== 0) process.exitCode = 1;
      done();
    });
  });
}

async function runInTurn() {
  for (let next = checks.shift(); next !== undefined; next = checks.shift()) await run(next);
}

await Promise.all(Array.from({ length: availableParallelism() }, runInTurn));
