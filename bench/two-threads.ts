/** What a second thread gains, against what two processes of C gain on this machine: cores share their caches and their clock. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { catalogue } from "../src/protocols/catalogue.ts";
import { quickest } from "./measured.ts";
import { ours } from "./programs.ts";

export interface Gain {
  readonly protocol: string;
  readonly one: number;
  readonly two: number;
  readonly gain: number;
}

/** Seconds of a run on one thread. */
const LENGTH = 5;

/** Work a second of two processes over that of one, where both do nothing but count. */
export async function gainOfProcesses(): Promise<number> {
  const count =
    "let x=1;const t=performance.now();for(let i=0;i<6e8;i++)x=(x*1664525+1013904223)|0;console.log(performance.now()-t+(x&0))";
  const run = async () => {
    const child = spawn(process.execPath, ["-e", count], { stdio: ["ignore", "pipe", "inherit"] });
    const [text] = await once(child.stdout, "data");
    return Number(text);
  };
  const alone = await run();
  const together = await Promise.all([run(), run()]);
  return (2 * alone) / Math.max(...together);
}

export function* gains(runs: number): Generator<Gain> {
  for (const { name } of catalogue) {
    const request = { protocol: name, n: 200, seed: 1 };
    const probe = ours({ request, trials: 20, warm: 20 });
    const trials = Math.max(200, Math.ceil((20 * LENGTH) / probe.seconds));
    const seconds = (threads: number) => quickest(runs, () => ours({ request, trials, threads })).seconds;
    const [one, two] = [seconds(1), seconds(2)];
    yield { protocol: name, one, two, gain: one / two };
  }
}
