/**
 * `npm test`: builds, checks formatting, then runs the tests with the type checks beside them, and says how long each part took.
 * Arguments go to Vitest: `npm test -- test/run`. `npm run test:long` is the same with LONG=1.
 */
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import "./compiled.js";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const programOf = (name, file) =>
  createRequire(import.meta.url)
    .resolve(`${name}/package.json`)
    .replace("package.json", file);

const BUILD = ["build", ["scripts/build.js"]];
const LINT = ["lint", [programOf("@biomejs/biome", "bin/biome"), "check", "."]];
const TYPES = ["types", ["scripts/types.js"]];
const TESTS = ["tests", [programOf("vitest", "vitest.mjs"), "run", ...process.argv.slice(2)]];

const parts = [];

/** Ctrl-C reaches the parts too: they end by themselves, and this process after them. */
let isInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    isInterrupted = true;
  });
}

/** What a part says is shown as it comes, or, if it `waits`, when it is printed. */
function run([name, args], waits = false) {
  const began = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ["inherit", ...(waits ? ["pipe", "pipe"] : ["inherit", "inherit"])],
  });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (text) => said.push(text));
  return new Promise((done) => {
    child.on("close", (status) => {
      parts.push({ name, status, seconds: (performance.now() - began) / 1000, said: Buffer.concat(said) });
      done(status);
    });
  });
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`;

const began = performance.now();
if ((await run(BUILD)) === 0 && (await run(LINT)) === 0) await Promise.all([run(TYPES, true), run(TESTS)]);
const failed = parts.filter(({ status }) => status !== 0);
for (const { name, said } of failed) if (said.length > 0) process.stdout.write(`\n${name}:\n${said}`);
const told = parts.map(({ name, status, seconds }) => `${name} ${clock(seconds)}${status === 0 ? "" : " FAILED"}`);
process.stdout.write(`\n${told.join(", ")}; ${clock((performance.now() - began) / 1000)} in all\n`);
process.exitCode = isInterrupted ? 130 : failed.length === 0 ? 0 : 1;
