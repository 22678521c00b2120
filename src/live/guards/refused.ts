/** Why a guard did not let somebody write. */

/**
 * `missing`: no fence came along. `malformed`: it is none. `forged`: none of the guard's keys has signed it. `foreign`: it was given
 * to another seat. `old`: a newer leader has been here. `rival`: another lease with the same token has been here, which takes an
 * engine that was restored from an old copy.
 */
export type Refusal = "missing" | "malformed" | "forged" | "foreign" | "old" | "rival";

/** What a guard throws instead of letting somebody write; nothing was written, and nothing remembered. */
export class FenceRefused extends Error {
  override readonly name = "FenceRefused";
  readonly code: Refusal;
  /**
   * The newest token that the guard has seen; null where it did not come to that. A leader who is refused as `old` or `rival` takes
   * it as a floor, gives its lease back and asks again: the engine then grants a larger one.
   */
  readonly newest: bigint | null;

  constructor(code: Refusal, message: string, newest: bigint | null = null) {
    super(message);
    this.code = code;
    this.newest = newest;
  }
}
