/** One measurement of ours in a process of its own: `node ours.ts '{"request": {...}, "trials": 3}'`; one line of JSON. */
import { type Request, resolve } from "../src/simulation/settings.ts";
import { runTrial } from "../src/simulation/trial.ts";

export interface OurOrder {
  readonly request: Request;
  readonly trials: number;
  /** 0: here, one after the other. */
  readonly threads?: number;
  /** Trials before, which are not counted: compilation is paid by them. */
  readonly warm?: number;
}

const { request, trials, threads = 0, warm = 0 } = JSON.parse(process.argv[2]) as OurOrder;
const settings = resolve(request);
for (let trial = 0; trial < warm; trial++) runTrial(settings, trials + trial);
let [messages, bits, rounds] = [0, 0, 0];
let seconds: number;
if (threads === 0) {
  // Of the processor: what else the machine does adds nothing. Compilers and collectors of V8 count, in their own threads.
  const start = process.cpuUsage();
  for (let trial = 0; trial < trials; trial++) {
    const one = runTrial(settings, trial);
    messages += one.messages;
    bits += one.bits;
    rounds += one.rounds;
  }
  const { user, system } = process.cpuUsage(start);
  seconds = (user + system) / 1e6;
} else {
  // What users run is built: threads that read the sources take 0.2 s of the processor longer to start, each.
  const built: string = "../dist/entries/simulate.js";
  const { simulate }: typeof import("../src/entries/simulate.ts") = await import(built);
  const report = await simulate({ ...request, trials }, { threads, check: false });
  messages = trials * (report.messages?.mean ?? 0);
  seconds = report.seconds;
}
const megabytes = process.resourceUsage().maxRSS / 1024;
process.stdout.write(`${JSON.stringify({ messages, bits, rounds, seconds, megabytes, kernel: settings.kernel })}\n`);
