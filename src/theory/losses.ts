/** What can go wrong on the way, as theory reckons with it. */
export interface Losses {
  /** That a unicast is lost, that a receiver misses a multicast, that a process has crashed (as `simulate` takes them). */
  readonly loss: number;
  readonly multicastLoss: number;
  readonly crash: number;
}

/** Nothing goes wrong. */
export const LOSSLESS: Losses = { loss: 0, multicastLoss: 0, crash: 0 };

/** Whether nothing goes wrong on the way. */
export const faultless = ({ loss, multicastLoss, crash }: Losses): boolean =>
  loss === 0 && multicastLoss === 0 && crash === 0;
