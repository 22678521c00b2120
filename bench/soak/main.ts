/** `npm run soak`: simulated groups under faults, over all cores, for as long as it is given. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { replayCommand } from "../../test/group/command.ts";
import { HELP, readOptions, type SoakOptions } from "./options.ts";
import { replay } from "./replay.ts";
import { add, type Done, nothingDone } from "./session.ts";
import type { Work } from "./worker.ts";

const print = (line: string) => process.stdout.write(`${line}\n`);
const MOST_SHOWN = 20;

async function soak(options: SoakOptions): Promise<number> {
  const threads = options.threads ?? availableParallelism();
  const began = Date.now();
  const until = began + 60_000 * options.minutes;
  const all = nothingDone();
  print(`${threads} threads, first seed ${options.seed}, ${options.minutes} minutes`);
  const take = (done: Done) => {
    all.runs += done.runs;
    all.events += done.events;
    all.virtualMs += done.virtualMs;
    add(all.faults, done.faults);
    for (const failure of done.failures) {
      all.failures.push(failure);
      if (all.failures.length > MOST_SHOWN) continue;
      const { seed, mix, breach } = failure;
      print(`✗ ${breach.property} at ${breach.time.toFixed(0)} ms: ${breach.what}`);
      print(`  ${replayCommand(seed, mix, options.wanted)}${options.stack === "live" ? " --stack live" : ""}`);
    }
  };
  const hours = () => (Date.now() - began) / 3_600_000;
  process.once("SIGINT", () => {
    print("interrupted: what had been done by then");
    report(all, hours());
    process.exit(all.failures.length === 0 ? 130 : 1);
  });
  await Promise.all(Array.from({ length: threads }, (_, thread) => work({ options, thread, threads, until }, take)));
  report(all, hours());
  return all.failures.length === 0 ? 0 : 1;
}

function work(data: Work, take: (done: Done) => void): Promise<void> {
  const worker = new Worker(new URL("./worker.ts", import.meta.url), { workerData: data });
  worker.on("message", take);
  return new Promise((resolve, reject) => {
    worker.on("error", reject);
    worker.on("exit", () => resolve());
  });
}

function report({ runs, events, virtualMs, faults, failures }: Done, hours: number): void {
  print(
    `${runs} runs, ${Math.round(runs / hours)} an hour; ${(virtualMs / 3_600_000).toFixed(1)} virtual hours, ${events} events`,
  );
  const counts = Object.entries(faults).sort(([, a], [, b]) => b - a);
  print(`faults: ${counts.map(([kind, count]) => `${kind} ${count}`).join(", ") || "none"}`);
  print(failures.length === 0 ? "✓ nothing went wrong" : `✗ ${failures.length} runs went wrong`);
}

const options = readOptions(process.argv.slice(2));
if (options.help) print(HELP);
else process.exitCode = options.replay === null ? await soak(options) : replay(options.replay, options);
