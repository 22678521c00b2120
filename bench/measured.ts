/** What a program that is measured says in its only line. */
export interface Measured {
  readonly messages: number;
  /** Of all trials. */
  readonly seconds: number;
  /** At its highest. */
  readonly megabytes?: number;
  /** Of ours alone. */
  readonly bits?: number;
  readonly rounds?: number;
  /** Of ours: which kernel ran, if one did. */
  readonly kernel?: string | null;
}

/** The quickest two runs are enough when the second took at most this many times the first. */
const AGREE = 1.02;

/** The quickest of at most this many runs: what else the machine does only adds. */
export function quickest(runs: number, run: () => Measured): Measured {
  const all = [run()];
  while (all.length < runs && !(all[1]?.seconds <= AGREE * all[0].seconds)) {
    all.push(run());
    all.sort((a, b) => a.seconds - b.seconds);
  }
  return all[0];
}
