/** How far we are from C: the same work by the same algorithm, one thread each, by the time of the processor. */
import { type Request, resolve } from "../src/simulation/settings.ts";
import { type Measured, quickest } from "./measured.ts";
import { ours, type Programs } from "./programs.ts";

interface Work {
  readonly work: string;
  readonly program: string;
  /** After n, trials, seed and loss. */
  readonly more?: readonly number[];
  readonly request: Request;
  readonly trials: number;
  /** At most this many times the time of C, and half as much again where messages are lost. */
  readonly target: number;
}

/** As many rounds of the first phase as ours plays by default. */
const roundsOf = (n: number) => Number(resolve({ protocol: "tournament", n }).params.J);

const WORKS: readonly Work[] = [
  ...[1_000_000, 10_000_000].map((n) => ({
    work: `chang-roberts n = ${n.toExponential(0)}, all events`,
    program: "chang-roberts",
    request: { protocol: "chang-roberts", n },
    trials: 1,
    target: 1.5,
  })),
  ...(
    [
      [1e9, 1, 2],
      [1e6, 1000, 2.5],
    ] as const
  ).flatMap(([n, trials, exact]) =>
    (
      [
        ["auto", exact],
        ["lumped", 1],
      ] as const
    ).map(([kernel, target]) => ({
      work: `referees n = ${n.toExponential(0)}, ${trials} trials`,
      program: "referees",
      request: { protocol: "referees", n, kernel },
      trials,
      target,
    })),
  ),
  {
    work: "tournament n = 1e+7, with its second phase",
    program: "tournament",
    more: [roundsOf(1e7)],
    request: { protocol: "tournament", n: 1e7 },
    trials: 1,
    target: 3,
  },
];

const LOSS = 0.01;

export interface Limit {
  readonly work: string;
  readonly loss: number;
  readonly c: Measured;
  readonly ours: Measured | null;
  /** Why there is none of ours. */
  readonly why?: string;
  readonly ratio: number | null;
  readonly target: number;
}

/** Two rows for each: without faults, and with a message in a hundred lost. */
export function* limits(programs: Programs, runs: number): Generator<Limit | { missing: string }> {
  for (const { work, program: name, more = [], request, trials, target: lossless } of WORKS) {
    const program = programs.c(name);
    if ("missing" in program) {
      yield { missing: `C for ${work}: ${program.missing}` };
      continue;
    }
    for (const loss of [0, LOSS]) {
      const target = loss === 0 ? lossless : 1.5 * lossless;
      const c = quickest(runs, () => program.run(request.n!, trials, 1, loss, ...more));
      const order = { request: { ...request, seed: 1, ...(loss === 0 ? {} : { loss }) }, trials, warm: 1 };
      try {
        const mine = quickest(runs, () => ours(order));
        yield { work, loss, c, ours: mine, ratio: mine.seconds / c.seconds, target };
      } catch (error) {
        yield { work, loss, c, ours: null, why: lastLine(error as Error), ratio: null, target };
      }
    }
  }
}

const lastLine = ({ message }: Error): string =>
  message
    .trim()
    .split("\n")
    .find((line) => /Error|ended/.test(line)) ?? message;
