/** `npm run bench`: how many messages a second the reference hosts carry on one core, and how queues compare. */
import { resolve } from "../src/simulation/settings.ts";
import { runTrial } from "../src/simulation/trial.ts";
import { compareCouncils } from "./councils.ts";
import { compareQueues } from "./queues.ts";

const TRIALS = 5;
const print = (line: string) => process.stdout.write(`${line}\n`);

print("Queues, one pop and one push:");
for (const [name, times] of Object.entries(compareQueues())) {
  const columns = Object.entries(times).map(([waiting, time]) => `${waiting}: ${time}`);
  print(`  ${name.padEnd(14)} ${columns.join("   ")}`);
}

print("\nChang-Roberts, n = 100,000, one core, no kernel (messages a second; first trial includes compilation):");
const rows = [
  { host: "events", delay: { kind: "fixed", value: 1 }, wanted: 5 },
  { host: "events", delay: { kind: "uniform", min: 0, max: 1 }, wanted: null },
  { host: "events", delay: { kind: "exponential", mean: 1 }, wanted: 2 },
  { host: "lockstep", delay: { kind: "fixed", value: 1 }, wanted: null },
] as const;
for (const { host, delay, wanted } of rows) {
  const settings = resolve({ protocol: "chang-roberts", n: 100_000, host, delay, kernel: "off" });
  const rates: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const start = performance.now();
    const { messages } = runTrial(settings, trial);
    rates.push(messages / (performance.now() - start) / 1000);
  }
  const name = host === "events" ? `events, ${delay.kind} delay` : "lock-step";
  const goal = wanted === null ? "" : `   (wanted: ${wanted})`;
  print(`  ${name.padEnd(26)} ${rates.map((rate) => rate.toFixed(2).padStart(6)).join("")}  million/s${goal}`);
}

print("\nCouncils, n = 10,000, one core (trials a second):");
for (const [name, { host, kernel }] of Object.entries(compareCouncils(10_000))) {
  print(`  ${name.padEnd(12)} host ${String(host).padStart(6)}   kernel ${String(kernel).padStart(8)}`);
}

print("\nReferees, n = 1,000,000, one core: the protocol on the lock-step host, and its kernel (messages a second):");
for (const kernel of ["off", "auto"] as const) {
  const settings = resolve({ protocol: "referees", n: 1_000_000, kernel });
  const rates: number[] = [];
  for (let trial = 0; trial < TRIALS; trial++) {
    const start = performance.now();
    const { messages } = runTrial(settings, trial);
    rates.push(messages / (performance.now() - start) / 1000);
  }
  const name = settings.kernel === null ? "protocol" : `kernel ${settings.kernel}`;
  print(`  ${name.padEnd(26)} ${rates.map((rate) => rate.toFixed(2).padStart(6)).join("")}  million/s`);
}
