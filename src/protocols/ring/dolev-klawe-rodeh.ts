/**
 * Dolev, Klawe and Rodeh: the largest of three active neighbours' ids survives, at the node after its owner.
 *
 * D. Dolev, M. Klawe, M. Rodeh, "An O(n log n) unidirectional distributed algorithm for extrema finding in a circle",
 * J. Algorithms 3(3), 1982: the first of its algorithms. Its improvements (1.5 n log2 n, and 1.356 n log2 n together with an
 * idea of Peterson's) are not here.
 *
 * A0. An active process v sends <1, max(v)>, where max(v) is at first its own id.
 * A1. When <1, i> arrives: if i = max(v), then i is the largest of all. Otherwise left(v) := i, and v sends <2, i>.
 * A2. When <2, j> arrives: if left(v) is larger than j and max(v), then max(v) := left(v) and v begins again with A0.
 *     Otherwise v becomes passive, and from then on only passes messages on.
 *
 * Peterson found the same at the same time (ACM TOPLAS 4(4), 1982). In his text <2, ...> carries the larger of max(v) and i,
 * which leads to the same comparisons, the same phases and as many messages. So the machine is that of peterson.ts: `first`
 * is <1, i>, `second` is <2, j>, `temporary` is max(v), `before` is left(v). What differs is who leads. This paper is after
 * the largest id, so its owner leads, whichever process has found out; in peterson.ts it is by default the process that stays active.
 *
 * Model: unidirectional ring with channels that keep the order of messages, asynchronous, ids, n unknown.
 * Cost: 2n messages a phase, n in the last one, at most floor(log2 n) + 1 phases; then n for the announcement.
 */
import type { Protocol } from "../../protocol.ts";
import { type RingParams, ringParameters } from "./common.ts";
import { type PetersonMessage, type PetersonState, peterson } from "./peterson.ts";

export const dolevKlaweRodeh: Protocol<RingParams, PetersonState, PetersonMessage, "start"> = {
  ...peterson,
  name: "dolev-klawe-rodeh",
  title: "Dolev-Klawe-Rodeh: the largest of three active neighbours' ids survives",
  citation: "Dolev, Klawe and Rodeh, J. Algorithms 3(3), 1982",
  parameters: ringParameters,

  init: (params, self, saved, ctx) => peterson.init({ ...params, winner: "owner" }, self, saved, ctx),
};
