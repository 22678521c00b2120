/** `npm start`: elections among real processes, then, for somebody who can see it, the Lab. Plain JavaScript, as build.js is. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const bin = fileURLToPath(new URL("../bin/sortition.js", import.meta.url));
const sortition = (...args) => spawnSync(process.execPath, [bin, ...args], { stdio: "inherit" }).status ?? 1;

process.exitCode = sortition("demo");
if (process.exitCode === 0) {
  if (process.stdout.isTTY) process.exitCode = sortition("lab");
  else process.stdout.write("To watch elections in a browser: npx sortition lab\n");
}
