/** `npm run fuzz`: inputs that nobody thought of, for everything that reads what others have written. */
import { readdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import type { Fuzzed } from "./loop.ts";
import type { FuzzWork } from "./worker.ts";

const HELP = `npm run fuzz -- [target ...] [options]

Draws inputs from examples, runs them, and goes on from those that take a new branch. Without a target: all of them.

  --runs N          inputs for each target (default 100,000)
  --seed S          of the draws (default 1)
  --input HEX       this input alone: repeats a finding`;

const TARGETS = readdirSync(new URL("targets", import.meta.url)).map((file) => file.replace(".ts", ""));
/** Bytes of the longest input of any target. */
const LONGEST = 1 << 16;
/** Milliseconds without another input; MB of memory. */
const [HANGS, MEMORY] = [20_000, 512];

const print = (line: string) => process.stdout.write(`${line}\n`);

function fuzzInThread(work: Omit<FuzzWork, "present">): Promise<Fuzzed> {
  const present = new SharedArrayBuffer(8 + LONGEST);
  const [numbers, bytes] = [new Uint32Array(present, 0, 2), new Uint8Array(present, 8)];
  const worker = new Worker(new URL("./worker.ts", import.meta.url), {
    workerData: { ...work, present } satisfies FuzzWork,
    resourceLimits: { maxOldGenerationSizeMb: MEMORY },
  });
  let last = -1;
  const failed = (error: string): Fuzzed => ({
    runs: numbers[0],
    corpus: [],
    branches: 0,
    findings: [{ input: bytes.slice(0, numbers[1]), error }],
  });
  return new Promise((resolve) => {
    const watch = setInterval(() => {
      if (numbers[0] === last && last > 0) resolve(failed(`it has not ended within ${HANGS} ms`));
      last = numbers[0];
    }, HANGS);
    worker.on("message", resolve);
    worker.on("error", (error) => resolve(failed(error.stack ?? error.message)));
    worker.on("exit", () => clearInterval(watch));
  }).then((fuzzed) => worker.terminate().then(() => fuzzed as Fuzzed));
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    input: { type: "string" },
    help: { type: "boolean" },
  },
});
const unknown = positionals.find((target) => !TARGETS.includes(target));
if (values.help || unknown !== undefined) {
  print(unknown === undefined ? HELP : `there is no target ${unknown}: there are ${TARGETS.join(", ")}`);
  process.exit(unknown === undefined ? 0 : 2);
}
for (const target of positionals.length === 0 ? TARGETS : positionals) {
  const input = values.input === undefined ? null : Buffer.from(values.input, "hex");
  const cpu = process.cpuUsage();
  const fuzzed = await fuzzInThread({ target, runs: Number(values.runs), seed: Number(values.seed), input });
  const { user, system } = process.cpuUsage(cpu);
  const { runs, branches, corpus, findings } = fuzzed;
  print(
    `${findings.length === 0 ? "✓" : "✗"} ${target}: ${runs} inputs, ${branches} branches, ${corpus.length} inputs kept, ${((user + system) / 1e6).toFixed(1)} CPU-s`,
  );
  for (const { input, error } of findings) {
    print(`  ${error.split("\n").slice(0, 4).join("\n  ")}`);
    print(`  npm run fuzz -- ${target} --input ${Buffer.from(input).toString("hex")}`);
    process.exitCode = 1;
  }
}
