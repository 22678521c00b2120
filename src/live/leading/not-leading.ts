/** What `check()` throws and what a signal gives as its reason, once this process must not act as the leader any more. */
export class NotLeading extends Error {
  override readonly name = "NotLeading";
  readonly code = "NOT_LEADING";
  /** "leader"; of an office with seats, which one: "shards#2". */
  readonly seat: string;
  /** Under which this process led; null without an engine. */
  readonly token: bigint | null;
  /** Whether the lease is over, so that somebody else may lead already; otherwise it is kept until the work has ended. */
  readonly lost: boolean;

  constructor(seat: string, token: bigint | null, why: string, lost = false) {
    super(`${seat}: this process does not lead it any more: ${why}`);
    this.seat = seat;
    this.token = token;
    this.lost = lost;
  }
}
