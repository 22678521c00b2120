/**
 * A queue after its server was killed. It can have lost its disk, and knows nothing of what was asked of it; or, as 2.9 does after a purge,
 * it begins anew to number what comes while it remembers how far it had delivered, and never delivers that.
 */
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";
import { type Order, type Ordered, publishOrder } from "./order.ts";
import { CHUNKS, chunkSubject, chunkSubjects, consumerOf, ensureConsumer, ensureStreams } from "./subjects.ts";

/** How often the counts of a queue that others use meanwhile are compared, and milliseconds between. */
const LOOKS = 3;
const BETWEEN = 200;

/** `chunks`: those of a campaign without a result. What runs twice for this counts once. */
export async function mendQueue(nats: Nats, ordered: Ordered, id: string, chunks: readonly Chunk[]): Promise<void> {
  const { js, jsm } = nats;
  const { order } = ordered;
  await ensureStreams(nats);
  await ensureConsumer(nats, order);
  await publishOrder(nats, ordered, id);
  if (await disagrees(nats, order)) {
    await jsm.consumers.delete(CHUNKS, consumerOf(order));
    await ensureConsumer(nats, order);
  }
  const there = await waiting(nats, order);
  for (const { first, count: trials } of chunks) {
    const subject = chunkSubject(order, id, first, trials);
    if (there[subject] === undefined) await js.publish(subject);
  }
}

/** In a work queue there lies what waits or is under way, and nothing else. */
async function disagrees(nats: Nats, order: Order): Promise<boolean> {
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    const count = Object.values(await waiting(nats, order)).reduce((sum, messages) => sum + messages, 0);
    const { num_pending, num_ack_pending } = await nats.jsm.consumers.info(CHUNKS, consumerOf(order));
    if (count === num_pending + num_ack_pending) return false;
  }
  return true;
}

async function waiting({ jsm }: Nats, order: Order): Promise<Readonly<Record<string, number>>> {
  const { state } = await jsm.streams.info(CHUNKS, { subjects_filter: chunkSubjects(order) });
  return state.subjects ?? {};
}
