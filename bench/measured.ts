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

/** The quickest of several runs: what else the machine does only adds. */
export function quickest(runs: number, run: () => Measured): Measured {
  return Array.from({ length: runs }, run).reduce((best, each) => (each.seconds < best.seconds ? each : best));
}
