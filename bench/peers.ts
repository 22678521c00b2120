/** Simulators that a user might pick instead, with the same election, every message an event; none of ours uses a kernel. */
import { type Measured, quickest } from "./measured.ts";
import { ours, type Program, type Programs } from "./programs.ts";

export interface Comparison {
  readonly peer: string;
  readonly n: number;
  readonly delay: "fixed" | "exponential";
  readonly theirs: Measured;
  readonly ours: Measured;
  /** Our messages a second over theirs. */
  readonly ratio: number;
}

const rate = ({ messages, seconds }: Measured): number => messages / seconds;

export function* peers(programs: Programs, runs: number): Generator<Comparison | { missing: string }> {
  const ns3 = programs.ns3("chang-roberts");
  const simpy = programs.simpy("chang-roberts");
  const simgrid = programs.simgrid("chang-roberts");
  const rows: readonly (readonly [string, Program, number, "fixed" | "exponential"])[] = [
    ["ns-3, scheduler alone", ns3, 100_000, "fixed"],
    ["ns-3, scheduler alone", ns3, 1_000_000, "fixed"],
    ["ns-3, scheduler alone", ns3, 1_000_000, "exponential"],
    ["SimPy 3, callbacks", simpy, 100_000, "fixed"],
    ["SimPy 3, callbacks", simpy, 100_000, "exponential"],
    ["SimGrid S4U, actors", simgrid, 10_000, "fixed"],
  ];
  const told = new Set<string>();
  for (const [peer, program, n, delay] of rows) {
    if ("missing" in program) {
      if (!told.has(peer)) yield { missing: `${peer}: ${program.missing}` };
      told.add(peer);
      continue;
    }
    let theirs: Measured;
    try {
      theirs = quickest(runs, () => program.run(n, 1, delay));
    } catch (error) {
      yield { missing: `${peer}, n = ${n}: ${(error as Error).message}` };
      continue;
    }
    const how = delay === "fixed" ? { kind: "fixed", value: 1 } : { kind: "exponential", mean: 1 };
    const request = { protocol: "chang-roberts", n, host: "events", delay: how, kernel: "off", seed: 1 };
    const mine = quickest(runs, () => ours({ request, trials: 1, warm: 1 }));
    yield { peer, n, delay, theirs, ours: mine, ratio: rate(mine) / rate(theirs) };
  }
}
