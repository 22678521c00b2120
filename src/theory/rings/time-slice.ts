/**
 * What the variable-time election costs on a ring that loses messages. A node that hears an announcement is silent from then on, so an
 * announcement that is lost on its way leaves a stretch of the ring that has heard nothing. The first node of such a stretch hears
 * nobody, and speaks in its own slot; all behind it hear it, or one of themselves, unless that is lost as well, which makes another
 * stretch. So the last to speak is the largest of the ids that stand first, and ids are random.
 */
import { around, harmonic } from "./rings.ts";

interface Ring {
  readonly n: number;
  readonly live: number;
  readonly contenders: number;
  readonly loss: number;
}

/** Below this nothing shows. */
const NEGLIGIBLE = 1e-12;

export function timeSliceCosts({ n, live, contenders, loss }: Ring): { messages: number; rounds: number } {
  let [messages, rounds] = [0, 0];
  // The k-th smallest id speaks where the first hop of all before it was lost.
  for (let [k, p] = [1, 1]; k <= contenders && p > NEGLIGIBLE; k++) {
    const id = (k * (n + 1)) / (contenders + 1);
    let arrives = 1 - loss;
    messages += p;
    for (let hop = 2; hop <= live && p * arrives > NEGLIGIBLE; hop++) {
      messages += p * arrives;
      const lost = p * arrives * loss;
      arrives *= 1 - loss;
      const rest = restOf({ n, live, contenders, loss }, live - hop, contenders - k, id);
      rounds += lost * (rest.rounds ?? live * id + hop - 1);
      messages += lost * rest.messages;
    }
    rounds += p * arrives * (live * id + live);
    p *= loss;
  }
  return { messages, rounds };
}

/** A stretch of so many nodes that have heard nothing; `others` contenders beside those that have spoken have ids above `id`. */
function restOf({ n, live, loss }: Ring, stretch: number, others: number, id: number) {
  const inside = (others * stretch) / Math.max(1, live - 1);
  if (inside === 0) return { messages: 0, rounds: null };
  const somebody = 1 - (1 - stretch / Math.max(1, live - 1)) ** others;
  const speakers = harmonic(Math.max(1, Math.round(inside)));
  const behind = Math.max(0, inside - speakers);
  const gap = stretch / (inside + 1);
  const covered = inside * around(gap, loss);
  const last = id + (n + 1 - id) * (1 - 1 / (2 + loss * behind));
  return {
    messages: somebody * (covered + speakers + loss * behind),
    rounds: live * (somebody * last + (1 - somebody) * id) + (somebody * covered) / 2,
  };
}
