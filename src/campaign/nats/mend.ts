/**
 * A queue after its server was killed. It can have lost its disk, and knows nothing of what was asked of it; or, as 2.9 does after a purge,
 * it begins anew to number what comes while it remembers how far it had delivered, and never delivers that.
 */
import type { Chunk } from "../../statistics/chunk.ts";
import type { Nats } from "./connect.ts";
import { type CampaignOrder, type Ordered, publishOrder } from "./order.ts";
import { fetchParts } from "./parts.ts";
import {
  CHUNKS,
  chunkSubject,
  chunkSubjects,
  consumerOf,
  ensureConsumer,
  ensureStreams,
  ORDERS,
  orderParts,
  RESULTS,
} from "./subjects.ts";

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
  if ((await fetchParts(nats, ORDERS, orderParts(id))) === null) {
    await remake(nats, ORDERS);
    await publishOrder(nats, ordered, id);
  }
  if (!(await isAtWork(nats, order))) {
    await jsm.consumers.delete(CHUNKS, consumerOf(order));
    await ensureConsumer(nats, order);
  }
  const there = await waiting(nats, order);
  for (const { first, count: trials } of chunks) {
    const subject = chunkSubject(order, id, first, trials);
    if (there[subject] === undefined) await js.publish(subject);
  }
}

/** In a work queue there lies what waits or is under way, and nothing else; and nobody waits for what waits. */
async function isAtWork(nats: Nats, order: CampaignOrder): Promise<boolean> {
  let delivered: number | null = null;
  for (let look = 0; look < LOOKS; look++) {
    if (look > 0) await new Promise((resolve) => setTimeout(resolve, BETWEEN));
    const count = Object.values(await waiting(nats, order)).reduce((sum, messages) => sum + messages, 0);
    const info = await nats.jsm.consumers.info(CHUNKS, consumerOf(order));
    const isStill = delivered === null || info.delivered.consumer_seq === delivered;
    delivered = info.delivered.consumer_seq;
    const agrees = count === info.num_pending + info.num_ack_pending;
    if (agrees && !(isStill && info.num_pending > 0 && info.num_waiting > 0)) return true;
  }
  return false;
}

/**
 * A stream of 2.9 that is made while one of the same name is being deleted can lose its folder to that, and neither stores nor delivers nor takes
 * consumers: it is made anew. Whoever has other chunks or results there finds them missing, as this one does.
 */
async function remakeLost(nats: Nats, { message }: Error): Promise<void> {
  const stream = [ORDERS, CHUNKS, RESULTS].find((name) => message.includes(name));
  if (stream === undefined || !/no such file|file exists|not empty/i.test(message)) return;
  await remake(nats, stream);
}

/** Some of such streams take what is published, and do not find it: no error says so. */
export async function remake(nats: Nats, stream: string): Promise<void> {
  await nats.jsm.streams.delete(stream);
  await ensureStreams(nats);
}

/** As asked; where that fails for such a reason, the next try finds the stream made anew. */
export async function orRemake<T>(nats: Nats, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    await remakeLost(nats, error as Error);
    throw error;
  }
}

async function waiting({ jsm }: Nats, order: CampaignOrder): Promise<Readonly<Record<string, number>>> {
  const { state } = await jsm.streams.info(CHUNKS, { subjects_filter: chunkSubjects(order) });
  return state.subjects ?? {};
}
