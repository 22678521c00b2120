/** The thread that fuzzes one target: what it tries next is in shared memory, so that an input that hangs or takes all memory is known. */
import { parentPort, workerData } from "node:worker_threads";
import { countBranches, noCoverage } from "./instrument.ts";
import { failure, fuzz, type Target } from "./loop.ts";

export interface FuzzWork {
  readonly target: string;
  readonly runs: number;
  readonly seed: number;
  /** Null: inputs are drawn. */
  readonly input: Uint8Array | null;
  /** A count of inputs, the length of the present one, and the present one. */
  readonly present: SharedArrayBuffer;
}

const { target: name, runs, seed, input, present } = workerData as FuzzWork;
const coverage = noCoverage();
countBranches(coverage);
const { target } = (await import(`./targets/${name}.ts`)) as { target: Target };
const [numbers, bytes] = [new Uint32Array(present, 0, 2), new Uint8Array(present, 8)];
const before = (next: Uint8Array) => {
  bytes.set(next.subarray(0, bytes.length));
  numbers[1] = next.length;
  numbers[0]++;
};
if (input === null) parentPort!.postMessage(await fuzz(target, { runs, seed, coverage, before }));
else {
  before(input);
  const error = await failure(target, input);
  const findings = error === null ? [] : [{ input, error }];
  parentPort!.postMessage({ runs: 1, corpus: [], branches: 0, findings });
}
target.close?.();
// Servers of a target would keep the thread alive.
process.exit();
