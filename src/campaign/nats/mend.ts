/**
 * A queue after its server was killed. It can have lost its disk, and knows nothing of what was asked of it; or, as 2.9 does after a purge,
 * it begins anew to number what comes while it remembers how far it had delivered, and never delivers that.
 */
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";
import { type Order, writeOrder } from "./order.ts";
import {
  CHUNKS,
  chunkSubject,
  chunkSubjects,
  consumerOf,
  ensureConsumer,
  ensureStreams,
  orderSubject,
} from "./subjects.ts";

/** `chunks`: those of a campaign without a result. What runs twice for this counts once. */
export async function mendQueue(nats: Nats, order: Order, id: string, chunks: readonly Chunk[]): Promise<void> {
  const { js, jsm } = nats;
  await ensureStreams(nats);
  await ensureConsumer(nats, order);
  await js.publish(orderSubject(id), writeOrder(order));
  const { state } = await jsm.streams.info(CHUNKS, { subjects_filter: chunkSubjects(order) });
  const there = state.subjects ?? {};
  const { num_pending, num_ack_pending } = await jsm.consumers.info(CHUNKS, consumerOf(order));
  // In a work queue there lies what waits or is under way, and nothing else.
  const count = Object.values(there).reduce((sum, messages) => sum + messages, 0);
  if (count !== num_pending + num_ack_pending) {
    await jsm.consumers.delete(CHUNKS, consumerOf(order));
    await ensureConsumer(nats, order);
  }
  for (const { first, count: trials } of chunks) {
    const subject = chunkSubject(order, id, first, trials);
    if (there[subject] === undefined) await js.publish(subject);
  }
}
