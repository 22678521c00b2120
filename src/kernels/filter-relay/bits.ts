/** How long the ids of members without a name are, where so many speak that nobody wants to know each. */
import type { Id } from "../../protocol.ts";
import { bitLength } from "../../protocols/bits.ts";
import { hypergeometric } from "../../random/hypergeometric.ts";
import type { Source } from "../../random/source.ts";

export class IdBits {
  /** By length, how many ids of 1 .. n are left. */
  private readonly left: number[];

  constructor(n: number, taken: Iterable<Id>) {
    this.left = Array.from({ length: bitLength(n) + 1 }, (_, length) =>
      length === 0 ? 0 : Math.min(n + 1, 2 ** length) - 2 ** (length - 1),
    );
    for (const id of taken) this.left[bitLength(id)]--;
  }

  /** The lengths of so many of them together, which are then gone. */
  draw(source: Source, count: number): number {
    const { left } = this;
    let urn = left.reduce((sum, ids) => sum + ids, 0);
    let wanted = count;
    return left.reduce((sum, ids, length) => {
      const drawn = hypergeometric(source, ids, urn - ids, wanted);
      left[length] -= drawn;
      urn -= ids;
      wanted -= drawn;
      return sum + drawn * length;
    }, 0);
  }
}
